// Package pipelines is the command `botwork pipelines`.
package pipelines

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/author/strictyaml"
	"botwork/internal/operations"
	"botwork/workqueue"
)

// command is one call of `botwork pipelines`.
type command struct{ *projectdir.App }

// Command returns `botwork pipelines`.
func Command(a *projectdir.App) *cobra.Command { return (&command{a}).pipelinesCommand() }

func (a *command) pipelinesCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "pipelines", Aliases: []string{"pipeline"}, Short: "List, check, test, run and pause pipelines",
		Long: `Works with the pipelines in the folder pipelines.dir: the files *.yaml and *.yml in
it and its subfolders, except names that begin with a dot or "_".`,
	},
		cli.OverServer(a.pipelinesListCommand()),
		cli.OverServer(a.pipelinesShowCommand()),
		a.pipelinesCheckCommand(),
		cli.OverServer(a.pipelinesRunCommand()),
		cli.OverServer(a.pipelinesBackfillCommand()),
		cli.OverServer(a.pipelinesPauseCommand()),
		cli.OverServer(a.pipelinesResumeCommand()),
		a.pipelinesTestCommand(),
		cli.OverServer(a.pipelinesGraphCommand()),
		cli.OverServer(a.pipelinesNextCommand()),
		cli.OverServer(a.pipelinesVersionsCommand()),
		cli.OverServer(a.pipelinesDiffCommand()),
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
		views, paused, findings, err := a.list(cmd.Context())
		if err != nil {
			return err
		}
		err = a.Print(*output, views, func() {
			if len(views) == 0 {
				fmt.Fprintln(a.Stdout, a.noPipelines())
				return
			}
			g := cli.NewGrid("name", "starts", "steps", "file", "description").DropWhenNarrow("description", "file")
			for _, v := range views {
				g.Add(v.Name, starts(v), fmt.Sprint(len(v.Steps)), v.File, cli.Shorten(v.Description, 60))
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

// list returns the pipelines of the folder, or of the server's project, those that are paused by
// name, and the errors in the files.
func (a *command) list(ctx context.Context) (views []operations.Pipeline, paused map[string]workqueue.PipelinePause, findings strictyaml.Findings, err error) {
	if a.UsesServer() {
		err = a.WithServer(func(s *remote.Server) error {
			got, err := s.Pipelines(ctx)
			views, paused, findings = got.Items, got.Paused(), strictyaml.Findings(got.Findings).WithSeverity(strictyaml.Error)
			return err
		})
		return views, paused, findings, err
	}
	catalogue, findings, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return nil, nil, nil, err
	}
	paused, views = a.pauses(ctx), []operations.Pipeline{}
	for _, p := range catalogue.All() {
		v := operations.ViewPipeline(p)
		if pause, ok := paused[p.Name]; ok {
			v.Paused = &pause
		}
		views = append(views, v)
	}
	return append(views, operations.BrokenPipelines(catalogue)...), paused, findings, nil
}

func (a *command) noPipelines() string {
	if a.UsesServer() {
		return "no pipelines in the server's project"
	}
	return "no pipelines in " + a.Config.Pipelines.Dir
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
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		view, text, err := a.find(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return a.Print(*output, view, func() {
			fmt.Fprintf(a.Stdout, "# %s\n%s\n", view.File, strings.TrimRight(text, "\r\n"))
		})
	}
	return cmd
}

// find returns a pipeline of the folder, or of the server's project, and the text of its file.
func (a *command) find(ctx context.Context, name string) (view operations.Pipeline, text string, err error) {
	if a.UsesServer() {
		err = a.WithServer(func(s *remote.Server) (err error) {
			view, text, err = s.Pipeline(ctx, name)
			return cli.UnknownAsUsage(err)
		})
		return view, text, err
	}
	catalogue, findings, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return view, "", err
	}
	p, err := projectdir.Find(catalogue, findings, name)
	if err != nil {
		return view, "", err
	}
	return operations.ViewPipeline(p), p.Text, nil
}
