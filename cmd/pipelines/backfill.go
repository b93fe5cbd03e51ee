package pipelines

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/pipelines"
	"botwork/workqueue"
)

const (
	// backfillWithin is how long the runs of a backfill may wait for their turn.
	backfillWithin = 24 * time.Hour

	// mostBackfilled bounds a backfill. One of more than fewBackfilled needs --yes.
	mostBackfilled, fewBackfilled = 1000, 10
)

// plannedView is a planned time of a backfill.
type plannedView struct {
	PlannedAt time.Time `json:"plannedAt"`
	Runs      bool      `json:"runs"`   // the backfill runs it
	Reason    string    `json:"reason"` // why it runs or does not
	RequestID *int64    `json:"requestId"`

	unknown bool // it is older than all records, so it may have run
}

func (a *command) pipelinesBackfillCommand() *cobra.Command {
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "backfill NAME",
		Short: "Run the planned times of a range that did not run",
		Long: `Lists the planned times of a pipeline's schedule in a range and asks the workers to run
those that did not run: missed and skipped ones, and those without a record. The
workers run them one after the other, the earliest first, while the schedule
continues. A planned time that has run, even if it failed, is left out, and no planned
time is backfilled twice. Each run is recorded with its planned time, the trigger
"backfill" and who asked for it; in its expressions, now is the planned time.

A pipeline that each worker runs on its own (scope: each-worker) runs once for each
planned time, on one of the workers.

--dry-run shows what would run. More than 10 runs, or planned times that are older than
all records of the pipeline and may have run, need --yes. A run that no worker has
started within 24 hours expires.

` + cli.TimeForms,
		Example: `  botwork pipelines backfill nightly --from yesterday --to now --dry-run
  botwork pipelines backfill nightly --from 2026-01-30 --to 2026-02-02
  botwork pipelines backfill hourly --from "yesterday 18:00" --to 06:00 --yes`,
		Args:              cli.OneArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	from := cli.TimeFlag(cmd, &a.Streams, "from", "the first planned `TIME` (required)")
	to := cli.TimeFlag(cmd, &a.Streams, "to", "planned times before this `TIME` (required)")
	cli.ReasonFlag(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print what would run, without requesting it")
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm many runs, or runs of times without records")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		first, err := from()
		if err != nil {
			return err
		}
		end, err := to()
		if err != nil {
			return err
		}
		if first.IsZero() || end.IsZero() {
			return cli.Usagef("want both --from and --to")
		}
		p, planned, err := a.plannedTimes(args[0], first, end)
		if err != nil {
			return err
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			views, err := viewPlanned(cmd.Context(), store, p.Name, planned)
			if err != nil {
				return err
			}
			if !dry {
				if err := confirmBackfill(views, yes); err != nil {
					return err
				}
				if err := requestBackfill(cmd.Context(), store, p.Name, views); err != nil {
					return err
				}
			}
			return a.Print(*output, views, func() { a.backfillTable(p, views, dry) })
		})
	}
	return cmd
}

// plannedTimes returns the planned times of a pipeline from first on and before end.
func (a *command) plannedTimes(name string, first, end time.Time) (*pipelines.Pipeline, []time.Time, error) {
	catalogue, findings, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return nil, nil, err
	}
	p, err := projectdir.Find(catalogue, findings, name)
	if err != nil {
		return nil, nil, err
	}
	if p.Trigger == nil || p.Trigger.Schedule == nil {
		return nil, nil, cli.Usagef("pipeline %q has no cron or every in its trigger, so it has no planned times", name)
	}
	if now := time.Now(); end.After(now) {
		end = now
	}
	if !first.Before(end) {
		return nil, nil, cli.Usagef("got --from %s, want a time before --to and before now", first.Format(time.RFC3339))
	}
	var planned []time.Time
	for at := p.Trigger.Schedule.Next(first.Add(-1)); !at.IsZero() && at.Before(end); at = p.Trigger.Schedule.Next(at) {
		if len(planned) == mostBackfilled {
			return nil, nil, cli.Usagef("the range has more than %d planned times, want at most %d; hint: backfill it in parts", mostBackfilled, mostBackfilled)
		}
		planned = append(planned, at.UTC())
	}
	return p, planned, nil
}

// viewPlanned decides which planned times run.
func viewPlanned(ctx context.Context, store cli.Store, name string, planned []time.Time) ([]plannedView, error) {
	views := make([]plannedView, len(planned))
	if len(planned) == 0 {
		return views, nil
	}
	since, until := planned[0], planned[len(planned)-1].Add(time.Millisecond)
	// A schedule of each worker has a run or a record of each worker.
	const most = 100 * mostBackfilled
	runs, err := store.Runs(ctx, workqueue.RunFilter{Pipeline: name, PlannedSince: since, PlannedUntil: until, Limit: most})
	if err != nil {
		return nil, err
	}
	firings, err := store.Firings(ctx, workqueue.FiringFilter{Schedule: name, Since: since, Until: until, Limit: most})
	if err != nil {
		return nil, err
	}
	requests, err := store.RunRequests(ctx, workqueue.RequestFilter{Pipeline: name, PlannedSince: since, PlannedUntil: until, Limit: most})
	if err != nil {
		return nil, err
	}
	oldest, err := oldestRecord(ctx, store, name)
	if err != nil {
		return nil, err
	}
	records := map[int64]*workqueue.Firing{}
	for i := range firings {
		if f, known := &firings[i], records[firings[i].PlannedAt.UnixMilli()]; known == nil || f.Outcome == workqueue.Fired {
			records[f.PlannedAt.UnixMilli()] = f
		}
	}
	taken := map[int64]string{}
	for _, q := range requests {
		if q.State == workqueue.RequestPending {
			taken[q.PlannedAt.UnixMilli()] = fmt.Sprintf("requested by %s already", q.By)
		}
	}
	for _, r := range runs {
		taken[r.PlannedAt.UnixMilli()] = fmt.Sprintf("run %d: %s", r.ID, r.Outcome)
	}
	for i, at := range planned {
		v := plannedView{PlannedAt: at, Reason: taken[at.UnixMilli()]}
		f := records[at.UnixMilli()]
		switch {
		case v.Reason != "":
		case f != nil && f.Outcome == workqueue.Fired:
			v.Reason = "fired by worker " + f.RecordedBy
		case f != nil:
			v.Runs, v.Reason = true, fmt.Sprintf("%s: %s", f.Outcome, f.Reason)
		case oldest.IsZero() || at.Before(oldest):
			v.Runs, v.Reason, v.unknown = true, "no record is this old; it may have run", true
		default:
			v.Runs, v.Reason = true, "no record"
		}
		views[i] = v
	}
	return views, nil
}

// oldestRecord returns since when all runs of a pipeline are recorded; zero: none is.
func oldestRecord(ctx context.Context, store cli.Store, name string) (time.Time, error) {
	runs, err := store.Runs(ctx, workqueue.RunFilter{Pipeline: name, Oldest: true, Limit: 1})
	if err != nil || len(runs) == 0 {
		return time.Time{}, err
	}
	return runs[0].StartedAt, nil
}

// confirmBackfill returns an error if the backfill needs --yes.
func confirmBackfill(views []plannedView, yes bool) error {
	n, unknown := 0, 0
	for _, v := range views {
		if v.Runs {
			n++
		}
		if v.unknown {
			unknown++
		}
	}
	switch {
	case yes:
		return nil
	case unknown > 0:
		return &cli.UsageError{Message: fmt.Sprintf("%d planned times are older than all records of the pipeline and may have run; this needs --yes", unknown),
			Hint: "--dry-run shows them"}
	case n > fewBackfilled:
		return &cli.UsageError{Message: fmt.Sprintf("%d runs need --yes", n), Hint: "--dry-run shows them"}
	}
	return nil
}

// requestBackfill requests the runs. A planned time that another process has requested in the
// meantime is left out.
func requestBackfill(ctx context.Context, store cli.Store, name string, views []plannedView) error {
	n := workqueue.NewRunRequests{Pipeline: name, By: cli.UserName(), Within: backfillWithin}
	for _, v := range views {
		if v.Runs {
			n.PlannedAt = append(n.PlannedAt, v.PlannedAt)
		}
	}
	if len(n.PlannedAt) == 0 {
		return nil
	}
	ids, err := store.RequestRuns(ctx, n)
	if err != nil {
		return explainRefusal(name, err)
	}
	requests, err := store.RunRequests(ctx, workqueue.RequestFilter{
		Pipeline: name, PlannedSince: n.PlannedAt[0], PlannedUntil: n.PlannedAt[len(n.PlannedAt)-1].Add(time.Millisecond), Limit: 10 * mostBackfilled,
	})
	if err != nil {
		return err
	}
	at := map[int64]int64{}
	for _, q := range requests {
		at[q.ID] = q.PlannedAt.UnixMilli()
	}
	made := map[int64]int64{}
	for _, id := range ids {
		made[at[id]] = id
	}
	for i := range views {
		v := &views[i]
		if !v.Runs {
			continue
		}
		if id, ok := made[v.PlannedAt.UnixMilli()]; ok {
			v.RequestID = &id
		} else {
			v.Runs, v.Reason = false, "started or requested in the meantime"
		}
	}
	return nil
}

func (a *command) backfillTable(p *pipelines.Pipeline, views []plannedView, dry bool) {
	if len(views) == 0 {
		fmt.Fprintf(a.Stdout, "%s has no planned times in this range\n", p.Name)
		return
	}
	n := 0
	g := cli.NewGrid("planned", "in "+p.Trigger.Location.String(), "runs", "why")
	for i := range views {
		v := &views[i]
		does := "-"
		if v.Runs {
			n, does = n+1, "yes"
		}
		g.Add(a.Instant(&v.PlannedAt), v.PlannedAt.In(p.Trigger.Location).Format("2006-01-02 15:04:05 MST"), does, cli.Shorten(v.Reason, 80))
	}
	g.Print(a.Stdout)
	switch {
	case n == 0:
		fmt.Fprintln(a.Stdout, "\nnothing to run")
	case dry:
		fmt.Fprintf(a.Stdout, "\nwould request %s of %s\n", cli.Count(n, "run"), p.Name)
	default:
		fmt.Fprintf(a.Stdout, "\nrequested %s of %s; botwork runs list --pipeline %s shows how they go\n", cli.Count(n, "run"), p.Name, p.Name)
	}
}
