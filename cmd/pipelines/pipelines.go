// Package pipelines is the command `botwork pipelines`.
package pipelines

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
)

// command is one call of `botwork pipelines`.
type command struct{ *cli.App }

// Command returns `botwork pipelines`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).pipelinesCommand() }

func (a *command) pipelinesCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "pipelines", Aliases: []string{"pipeline"}, Short: "List, check, test, run and pause pipelines",
		Long: `Works with the pipelines in the folder pipelines.dir: the files *.yaml and *.yml in
it and its subfolders, except names that begin with a dot or "_".`,
	},
		a.pipelinesListCommand(),
		a.pipelinesShowCommand(),
		a.pipelinesCheckCommand(),
		a.pipelinesRunCommand(),
		a.pipelinesBackfillCommand(),
		a.pipelinesPauseCommand(),
		a.pipelinesResumeCommand(),
		a.pipelinesTestCommand(),
		a.pipelinesGraphCommand(),
		a.pipelinesNextCommand(),
		a.pipelinesVersionsCommand(),
		a.pipelinesDiffCommand(),
	)
}

func (a *command) pipelinesListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the pipelines of the folder",
		Long: `Lists the pipelines of the folder. A file with errors is listed as broken, with the
number of errors; the errors are printed after the list, and the exit code is 2. A
running worker keeps the previous version of such a file; a worker that starts skips
the file, and its items wait.

Paused pipelines are marked. If the database cannot be read, that is unknown, and
printed.`,
		Example: "  botwork pipelines list\n  botwork pipelines list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		catalogue, findings, err := projectdir.LoadCatalogue(a.App)
		if err != nil {
			return err
		}
		paused := a.pauses(cmd.Context())
		views := []pipelineView{}
		for _, p := range catalogue.All() {
			v := viewPipeline(p)
			if pause, ok := paused[p.Name]; ok {
				v.Paused = &pause
			}
			views = append(views, v)
		}
		views = append(views, viewBroken(catalogue)...)
		err = a.Print(*output, views, func() {
			if len(views) == 0 {
				fmt.Fprintf(a.Stdout, "no pipelines in %s\n", a.Config.Pipelines.Dir)
				return
			}
			g := cli.NewGrid("name", "starts", "steps", "file", "description").DropWhenNarrow("description", "file")
			for _, v := range views {
				g.Add(v.Name, v.starts(), fmt.Sprint(len(v.Steps)), v.File, cli.Shorten(v.Description, 60))
			}
			g.Print(a.Stdout)
			a.PrintPauses(paused, "")
		})
		if err != nil {
			return err
		}
		return findings.Err()
	}
	return cmd
}

func (a *command) pipelinesShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a pipeline",
		Long:              "Prints a pipeline's file; JSON and YAML show the parsed pipeline.",
		Example:           "  botwork pipelines show ExecuteWorkQueue\n  botwork pipelines show hello --output json",
		Args:              cli.OneArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		catalogue, findings, err := projectdir.LoadCatalogue(a.App)
		if err != nil {
			return err
		}
		p, err := projectdir.Find(catalogue, findings, args[0])
		if err != nil {
			return err
		}
		return a.Print(*output, viewPipeline(p), func() {
			fmt.Fprintf(a.Stdout, "# %s\n%s\n", p.File, strings.TrimRight(p.Text, "\r\n"))
		})
	}
	return cmd
}
