package cmd

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

func (a *app) pipelinesCommand() *cobra.Command {
	return group(&cobra.Command{
		Use: "pipelines", Aliases: []string{"pipeline"}, Short: "List, check, preview and run pipelines",
		Long: `Works with the pipelines of the folder that pipelines.dir names: the files *.yaml
and *.yml in it and below it, but none whose name begins with a dot or "_".`,
	},
		a.pipelinesListCommand(),
		a.pipelinesShowCommand(),
		a.pipelinesCheckCommand(),
		a.pipelinesRunCommand(),
		a.pipelinesTestCommand(),
		a.pipelinesGraphCommand(),
		a.pipelinesNextCommand(),
		a.pipelinesVersionsCommand(),
		a.pipelinesDiffCommand(),
	)
}

// catalogue loads the pipelines folder of the settings as a worker does when it
// starts. The findings are those of files with mistakes, which the catalogue knows as
// broken.
func (a *app) catalogue(c *checker.Checker) (*pipelines.Catalogue, strictyaml.Findings, error) {
	files, err := pipelines.ReadDir(shortPath(a.cfg.Pipelines.Dir), nil)
	if err != nil {
		return nil, nil, &usageError{message: err.Error()}
	}
	k, findings := usable(c, files)
	return k, findings, nil
}

// loadCatalogue loads settings and pipelines for a command that only reads.
func (a *app) loadCatalogue() (*pipelines.Catalogue, strictyaml.Findings, error) {
	if err := a.loadConfig(); err != nil {
		return nil, nil, err
	}
	checker, err := a.checker()
	if err != nil {
		return nil, nil, err
	}
	return a.catalogue(checker)
}

// find returns one pipeline by name. Where there is none it says whether its
// file has mistakes.
func find(k *pipelines.Catalogue, findings strictyaml.Findings, name string) (*pipelines.Pipeline, error) {
	if p, ok := k.Get(name); ok {
		return p, nil
	}
	if broken := k.BrokenPipeline(name); broken != nil {
		return nil, broken.Findings
	}
	var names []string
	for _, p := range k.All() {
		names = append(names, p.Name)
	}
	for _, f := range findings {
		base := filepath.Base(f.File)
		if strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), name) {
			return nil, findings
		}
	}
	hint := strictyaml.Suggest(name, names)
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "the pipelines folder has none"
	default:
		hint = "known are " + strings.Join(names, ", ")
	}
	return nil, &usageError{fmt.Sprintf("there is no pipeline %q", name), hint}
}

func (a *app) pipelinesListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the pipelines of the folder",
		Long: `Lists the pipelines of the folder. A file with mistakes is listed as broken, with how
many it has; they are printed after the list, and the exit code is 2 then. A worker
that runs goes on with the previous version of such a file; one that starts leaves it
out, and its items wait.`,
		Example: "  botwork pipelines list\n  botwork pipelines list --output json",
		Args:    noArguments,
	}
	output := outputFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		catalogue, findings, err := a.loadCatalogue()
		if err != nil {
			return err
		}
		views := []pipelineView{}
		for _, p := range catalogue.All() {
			views = append(views, viewPipeline(p))
		}
		views = append(views, viewBroken(catalogue)...)
		err = a.print(*output, views, func() {
			if len(views) == 0 {
				fmt.Fprintf(a.stdout, "no pipelines in %s\n", a.cfg.Pipelines.Dir)
				return
			}
			g := newGrid("name", "starts", "steps", "file", "description")
			for _, v := range views {
				g.add(v.Name, v.starts(), fmt.Sprint(len(v.Steps)), v.File, short(v.Description, 60))
			}
			g.writeTo(a.stdout)
		})
		if err != nil {
			return err
		}
		return findings.Err()
	}
	return cmd
}

func (a *app) pipelinesShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a pipeline",
		Long:              "Shows a pipeline's file as it is; JSON and YAML show what was read from it.",
		Example:           "  botwork pipelines show ExecuteWorkQueue\n  botwork pipelines show hello --output json",
		Args:              oneArgument("the pipeline's name"),
		ValidArgsFunction: a.completePipelines,
	}
	output := outputFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		catalogue, findings, err := a.loadCatalogue()
		if err != nil {
			return err
		}
		p, err := find(catalogue, findings, args[0])
		if err != nil {
			return err
		}
		return a.print(*output, viewPipeline(p), func() {
			fmt.Fprintf(a.stdout, "# %s\n%s\n", p.File, strings.TrimRight(p.Text, "\r\n"))
		})
	}
	return cmd
}

// completePipelines offers the names of pipelines to the shell.
func (a *app) completePipelines(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	catalogue, _, err := a.loadCatalogue()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, p := range catalogue.All() {
		names = append(names, p.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
