package pipelines

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/author/strictyaml"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
)

func (a *command) pipelinesNextCommand() *cobra.Command {
	var (
		most int
		from string
	)
	cmd := &cobra.Command{
		Use:   "next [NAME]",
		Short: "Show when pipelines will start",
		Long: `Lists the next scheduled runs of one pipeline, or of all, in the trigger's time zone
and in UTC. To see what a trigger does when the clocks change, give such a day with
--from.

Runs of paused pipelines are marked: they are skipped unless the pipeline is resumed
before.`,
		Example: `  botwork pipelines next
  botwork pipelines next ExecuteWorkQueue --count 10
  botwork pipelines next nightly --from 2026-10-24`,
		Args:              cli.OptionalArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	cmd.Flags().IntVar(&most, "count", 5, "list `N` scheduled runs of each pipeline")
	cmd.Flags().StringVar(&from, "from", "", "start at this `TIME`: RFC 3339, or 2006-01-02 15:04 in local time (default now)")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var start time.Time // zero: now
		if from != "" {
			var err error
			if start, err = cli.ParseTime(from); err != nil {
				return cli.Usagef("--from: %v", err)
			}
		}
		limit := 10_000
		if a.UsesServer() {
			limit = 1000
		}
		if most < 1 || most > limit {
			return cli.Usagef("--count: got %d, want 1 to %d", most, limit)
		}
		only := strings.Join(args, "")
		firings, paused, findings, err := a.coming(cmd.Context(), only, start, most)
		if err != nil {
			return err
		}
		err = a.Print(*output, firings, func() {
			a.firingTable(firings)
			a.PrintPauses(paused, only)
		})
		if err != nil {
			return err
		}
		return findings.Err()
	}
	return cmd
}

// coming returns the scheduled runs of a pipeline, or of all for "", from start on, the pauses by
// pipeline, and the errors in the files.
func (a *command) coming(ctx context.Context, name string, start time.Time, most int) (firings []operations.ComingRun, paused map[string]workqueue.PipelinePause, findings strictyaml.Findings, err error) {
	if a.UsesServer() {
		err = a.WithServer(func(s *remote.Server) error {
			var list remote.PipelineList
			if firings, err = s.Coming(ctx, name, start, most); err != nil {
				return cli.UnknownAsUsage(err)
			}
			list, err = s.Pipelines(ctx)
			paused = list.Paused()
			if name == "" {
				findings = strictyaml.Findings(list.Findings).WithSeverity(strictyaml.Error)
			}
			return err
		})
		return firings, paused, findings, err
	}
	catalogue, findings, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return nil, nil, nil, err
	}
	chosen := catalogue.All()
	if name != "" {
		p, err := projectdir.Find(catalogue, findings, name)
		if err != nil {
			return nil, nil, nil, err
		}
		if p.Trigger == nil {
			return nil, nil, nil, fmt.Errorf("pipeline %q has no trigger: it runs only for items", p.Name)
		}
		chosen, findings = []*pipelines.Pipeline{p}, nil
	}
	if start.IsZero() {
		start = time.Now()
	} else {
		start = start.Add(-1) // the schedule returns only later times, but a run at exactly this time counts too
	}
	firings, paused = operations.ComingRuns(chosen, start, time.Time{}, most), a.pauses(ctx)
	for i := range firings {
		_, firings[i].Paused = paused[firings[i].Pipeline]
	}
	return firings, paused, findings, nil
}

func (a *command) firingTable(firings []operations.ComingRun) {
	if len(firings) == 0 {
		fmt.Fprintln(a.Stdout, "no pipeline has a cron or every trigger")
		return
	}
	g := cli.NewGrid("pipeline", "local time", "utc")
	for _, f := range firings {
		name := f.Pipeline
		if f.Paused {
			name += " (paused)"
		}
		g.Add(name, f.Local().Format("Mon 2006-01-02 15:04:05 MST -07:00"), f.Local().UTC().Format("2006-01-02 15:04:05Z"))
	}
	g.Print(a.Stdout)
}
