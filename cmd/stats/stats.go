// Package stats is the command `botwork stats`.
package stats

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/author/strictyaml"
	"botwork/internal/moments"
	"botwork/workqueue"
)

// formatCSV is one line for each period and group.
const formatCSV cli.Format = "csv"

// defaultSince is how far back the command looks.
const defaultSince = "24h"

// command is one call of `botwork stats`.
type command struct{ *projectdir.App }

// Command returns `botwork stats`.
func Command(a *projectdir.App) *cobra.Command { return cli.OverServer((&command{a}).statsCommand()) }

func (a *command) statsCommand() *cobra.Command {
	var p workqueue.SeriesParams
	var since, by, group string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show what was done over time: counts, waits, run times, backlog",
		Long: `Shows what happened in each minute, hour or day of the last 24 hours, or of another
time: how many items were enqueued, runs started and succeeded, attempts failed
(business errors apart), items retried and cancelled, runs rescued and released, how
long items waited and ran (p50, p95; half and 95 % of them took at most so long), the
mean backlog, how long its oldest item had waited, and the mean slots in use. After a
slash are the slots that the workers offered, without a group and by worker.

The bar shows the runs that ended: █ succeeded, ▒ failed. With --group, the table has
one line for each queue, pipeline, band or worker instead of one for each period; the
other formats have both. The table has the last 400 periods, the other formats all.

` + cli.TimeForms + `
Without --by, a time of up to 3 hours is shown by minute, up to 14 days by hour, more
by day. Days are those of UTC. Minutes are kept for 48 hours, hours for 90 days, days
for 3 years.`,
		Example: `  botwork stats
  botwork stats --queue invoices --by hour --since 7d
  botwork stats --group pipeline --since yesterday --until today
  botwork stats --since 30d --output csv > month.csv`,
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&since, "since", defaultSince, "from the period of this `TIME` on")
	until := cli.TimeFlag(cmd, &a.Streams, "until", "until the period of this `TIME` (default now)")
	flags.StringVar(&by, "by", "", "length of a period: `PERIOD` is minute, hour or day")
	flags.StringVar(&p.Queue, "queue", "", "only items of the queue `NAME`")
	flags.StringVar(&p.Pipeline, "pipeline", "", "only items of the pipeline `NAME`")
	flags.StringVar(&p.Worker, "worker", "", "only what the worker `NAME` did")
	flags.StringVar(&p.Band, "band", "", "only items of a `BAND`: high (above 1000), medium (500 to 1000) or low")
	flags.StringVar(&group, "group", "", "divide by `WHAT`: queue, pipeline, band or worker")
	output := cli.OutputFlagOf(cmd, cli.FormatTable, cli.FormatJSON, cli.FormatYAML, formatCSV)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		p.By, p.Group = workqueue.Resolution(by), workqueue.SeriesGroup(group)
		if p.From, err = moments.Parse(since, time.Now(), a.Zone()); err != nil {
			return cli.Usagef("--since: %v", err)
		}
		if p.Until, err = until(); err != nil {
			return err
		}
		if p.Until.IsZero() {
			p.Until = time.Now()
		}
		if by == "" {
			p.By = workqueue.ResolutionFor(p.Until.Sub(p.From))
		}
		if err := p.Validate(); err != nil {
			return cli.Usagef("%v", err)
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			if err := known(cmd.Context(), store, &p); err != nil {
				return err
			}
			s, err := store.Series(cmd.Context(), p)
			if err == nil {
				err = a.knownPipeline(cmd.Context(), store, &p, &s)
			}
			if err != nil {
				return err
			}
			if *output == formatCSV {
				return writeCSV(a.Machine(), &s)
			}
			return a.Print(*output, s, func() { a.table(&p, &s) })
		})
	}
	return cmd
}

// known returns an error if the queue or the worker does not exist.
func known(ctx context.Context, store cli.Backend, p *workqueue.SeriesParams) error {
	if err := cli.CheckQueue(ctx, store, p.Queue); err != nil || p.Worker == "" {
		return err
	}
	workers, err := store.Workers(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(workers))
	for i := range workers {
		names[i] = workers[i].Name
	}
	if slices.Contains(names, p.Worker) {
		return nil
	}
	hint := cmp.Or(strictyaml.Suggest(p.Worker, names), "registered workers: "+cli.OrNone(strings.Join(names, ", ")))
	return fmt.Errorf("worker %q has never registered; %s", p.Worker, hint)
}

// knownPipeline returns an error if nothing was found of a pipeline that does not exist, so that
// a mistyped name does not look like a quiet one.
func (a *command) knownPipeline(ctx context.Context, store cli.Backend, p *workqueue.SeriesParams, found *workqueue.Series) error {
	if p.Pipeline == "" || happened(found) {
		return nil
	}
	n, err := store.CountItems(ctx, workqueue.ItemFilter{Pipeline: p.Pipeline, Statuses: workqueue.Statuses()})
	if err != nil || n > 0 {
		return err
	}
	now := time.Now()
	ever, err := store.Series(ctx, workqueue.SeriesParams{
		By: workqueue.ByDay, From: now.Add(-workqueue.ByDay.Kept()), Until: now, Pipeline: p.Pipeline,
	})
	if err != nil || happened(&ever) {
		return err
	}
	if a.UsesServer() {
		return a.knownToServer(ctx, p.Pipeline)
	}
	return projectdir.CheckUnused(a.App, p.Pipeline, "there are no statistics of the pipeline")
}

// knownToServer is knownPipeline for the server's project.
func (a *command) knownToServer(ctx context.Context, name string) error {
	return a.WithServer(func(s *remote.Server) error {
		list, err := s.Pipelines(ctx)
		if err != nil {
			return nil //nolint:nilerr // a server without a project knows no pipelines
		}
		names := make([]string, len(list.Items))
		for i := range list.Items {
			names[i] = list.Items[i].Name
		}
		if slices.Contains(names, name) {
			return nil
		}
		return &cli.UsageError{
			Message: fmt.Sprintf("there are no statistics of the pipeline, and the server has no pipeline %q", name),
			Hint:    cmp.Or(strictyaml.Suggest(name, names), "pipelines: "+cli.OrNone(strings.Join(names, ", "))),
		}
	})
}

// happened reports whether anything was counted, waited or ran.
func happened(s *workqueue.Series) bool {
	return slices.ContainsFunc(s.Totals, func(p workqueue.SeriesPoint) bool {
		if g := p.Gauges; g != nil && g.MostBacklog+g.MostSlotsUsed > 0 {
			return true
		}
		p.Gauges = nil // others were sampled
		return !empty(&p)
	})
}
