package pipelines

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/author/strictyaml"
	"botwork/internal/filenames"
	"botwork/pipelines"
	"botwork/pipelines/graph"
	"botwork/tasks"
)

func (a *command) pipelinesGraphCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "graph [NAME...]",
		Short: "Draw pipelines, as Mermaid or SVG",
		Long: `Draws the steps of the named pipelines: their triggers, conditions, what ends the
run, what follows an error, and the pipelines for which a step creates items. The steps
of a block are in a frame, and so are those of a called pipeline. Without a name it
draws the whole folder: all pipelines, their triggers, and which pipelines and tasks
call or create items for which pipelines.

It prints Mermaid text, which code hosts show as a drawing in a code block of the
language mermaid. --output svg prints an SVG drawing, --svg writes it to a file: the
SVG has no scripts and no references, and suits light and dark pages. JSON and YAML
are a list of charts: title, nodes, edges.`,
		Example:           "  botwork pipelines graph\n  botwork pipelines graph hello\n  botwork pipelines graph hello --svg hello.svg",
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	cmd.Flags().StringVar(&file, "svg", "", "write the drawing to this `FILE`, and print nothing")
	_ = cmd.MarkFlagFilename("svg", "svg")
	output := cli.OutputFlagOf(cmd, cli.FormatMermaid, cli.FormatSVG, cli.FormatJSON, cli.FormatYAML)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file != "" && cmd.Flags().Changed("output") {
			return cli.Usagef("got --svg and --output, want one of them")
		}
		charts, findings, err := a.charts(cmd.Context(), args)
		if err != nil {
			return err
		}
		if err := a.draw(charts, *output, file); err != nil {
			return err
		}
		if len(args) == 0 {
			return findings.Err() // the drawing does not include broken files
		}
		return nil
	}
	return cmd
}

// charts returns the charts of the named pipelines, or one of the whole project.
func (a *command) charts(ctx context.Context, names []string) ([]*graph.Chart, strictyaml.Findings, error) {
	if a.UsesServer() {
		charts, err := a.chartsOfServer(ctx, names)
		return charts, nil, err
	}
	catalogue, findings, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		var list []graph.Task
		defined, wrong := tasks.Decode(a.Config.Tasks, a.Config.Pipelines.Timezone)
		for _, t := range defined {
			task := graph.Task{Name: t.Name, Pipeline: t.Pipeline}
			if t.Notify != nil {
				task.Notify = t.Notify.Pipeline
			}
			list = append(list, task)
		}
		return []*graph.Chart{graph.OfProject(catalogue.All(), list)}, append(findings, wrong...), nil
	}
	var charts []*graph.Chart
	for _, name := range names {
		var p *pipelines.Pipeline
		if p, err = projectdir.Find(catalogue, findings, name); err != nil {
			return nil, nil, err
		}
		charts = append(charts, graph.OfPipeline(p))
	}
	return charts, findings, nil
}

// chartsOfServer is charts of the server's project.
func (a *command) chartsOfServer(ctx context.Context, names []string) (charts []*graph.Chart, err error) {
	if len(names) == 0 {
		names = []string{""}
	}
	err = a.WithServer(func(s *remote.Server) error {
		for _, name := range names {
			chart, err := s.Chart(ctx, name)
			if err != nil {
				return cli.UnknownAsUsage(err)
			}
			charts = append(charts, chart)
		}
		return nil
	})
	return charts, err
}

// draw prints the charts, or writes them to file.
func (a *command) draw(charts []*graph.Chart, output cli.Format, file string) error {
	if file != "" {
		if err := filenames.Check(filepath.Base(file)); err != nil {
			return &cli.UsageError{Message: "the file of the drawing: " + err.Error()}
		}
		var drawing bytes.Buffer
		if err := graph.WriteSVG(&drawing, charts...); err != nil {
			return err
		}
		if err := os.WriteFile(file, drawing.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Clean(file), err)
		}
		return nil
	}
	switch output {
	case cli.FormatMermaid:
		return graph.WriteMermaid(a.Machine(), charts...)
	case cli.FormatSVG:
		return graph.WriteSVG(a.Machine(), charts...)
	}
	return a.Print(output, charts, func() {})
}
