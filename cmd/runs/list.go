package runs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// filter selects what `runs list` shows.
type filter struct {
	pipeline     string
	outcomes     []string // none: all
	since, until time.Time
	limit        int
}

var (
	// failures are what --failed selects.
	failures = []string{string(workqueue.RunFailed), interrupted, string(workqueue.Missed), string(workqueue.RequestExpired)}

	outcomes = []string{
		string(workqueue.RunRunning), string(workqueue.RunSucceeded), string(workqueue.RunFailed), interrupted, late,
		string(workqueue.Missed), string(workqueue.Skipped), string(workqueue.RequestPending), string(workqueue.RequestExpired), string(workqueue.RequestRefused),
	}
)

// mostScanned bounds the rows that are read to find the runs with an outcome that the database does
// not have: late and interrupted.
const mostScanned = 10_000

func (a *command) runsListCommand() *cobra.Command {
	var f filter
	var failed bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List runs, and scheduled runs that did not take place",
		Long: `Lists the runs of system pipelines, the latest first, together with planned times that
were missed or skipped and requested runs that have not started.

Outcomes of runs are running, succeeded, failed and interrupted (the process ended
first). A planned time without a run was missed (no worker noticed it in time) or
skipped (a worker had a reason not to start it). A request is pending, expired (no
worker started it in time) or refused. --outcome late selects the runs that started
more than a minute after their planned time.

--failed is short for --outcome failed,interrupted,missed,expired.

` + cli.TimeForms + `
--since and --until apply to the start of a run, to a planned time without a run, and
to the time of a request.

Below the table are the pipelines that are paused.`,
		Example: `  botwork runs list
  botwork runs list --failed --since yesterday
  botwork runs list --pipeline nightly --outcome missed,skipped,late --since "yesterday 22:00" --until 06:00
  botwork runs list --since 7d --output json`,
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.pipeline, "pipeline", "", "only of the pipeline `NAME`")
	flags.StringSliceVar(&f.outcomes, "outcome", nil, "only with these `OUTCOMES`, separated by commas")
	flags.BoolVar(&failed, "failed", false, "only what failed, was interrupted, missed or expired")
	flags.IntVar(&f.limit, "limit", 50, "list at most this many, the latest")
	since := cli.TimeFlag(cmd, &a.Streams, "since", "only from this `TIME` on")
	until := cli.TimeFlag(cmd, &a.Streams, "until", "only before this `TIME`")
	_ = cmd.RegisterFlagCompletionFunc("outcome", cobra.FixedCompletions(outcomes, cobra.ShellCompDirectiveNoFileComp))
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if f.since, err = since(); err != nil {
			return err
		}
		if f.until, err = until(); err != nil {
			return err
		}
		if err := f.check(); err != nil {
			return err
		}
		if failed {
			f.outcomes = append(f.outcomes, failures...)
		}
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			views, err := find(cmd.Context(), store, f)
			if err != nil {
				return err
			}
			controls, err := store.Controls(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, views, func() {
				a.runTable(views)
				a.PrintPauses(controls.Paused, f.pipeline)
			})
		})
	}
	return cmd
}

func (f *filter) check() error {
	if f.limit < 1 || f.limit > mostScanned {
		return cli.Usagef("--limit: got %d, want 1 to %d", f.limit, mostScanned)
	}
	for _, o := range f.outcomes {
		if !slices.Contains(outcomes, o) {
			return cli.NotOneOf("outcome", o, outcomes)
		}
	}
	if !f.since.IsZero() && !f.until.IsZero() && !f.since.Before(f.until) {
		return cli.Usagef("got --since %s and --until %s, want an earlier --since", f.since.Format(time.RFC3339), f.until.Format(time.RFC3339))
	}
	return nil
}

// find returns what the filter selects, the latest first.
func find(ctx context.Context, store cli.Store, f filter) ([]view, error) {
	views := []view{}
	for _, part := range []func(context.Context, cli.Store, filter) ([]view, error){findRuns, findFirings, findRequests} {
		found, err := part(ctx, store, f)
		if err != nil {
			return nil, err
		}
		views = append(views, found...)
	}
	slices.SortStableFunc(views, func(x, y view) int { return y.at.Compare(x.at) })
	return views[:min(len(views), f.limit)], nil
}

// wants reports whether the filter selects any of the outcomes.
func (f *filter) wants(any ...string) bool {
	return len(f.outcomes) == 0 || slices.ContainsFunc(f.outcomes, func(o string) bool { return slices.Contains(any, o) })
}

func findRuns(ctx context.Context, store cli.Store, f filter) ([]view, error) {
	by := workqueue.RunFilter{Pipeline: f.pipeline, Since: f.since, Until: f.until, Limit: f.limit}
	for _, o := range f.outcomes {
		switch o {
		case late:
			by.Outcomes = append(by.Outcomes, workqueue.RunRunning, workqueue.RunSucceeded, workqueue.RunFailed)
			by.Limit = mostScanned
		case interrupted:
			by.Outcomes = append(by.Outcomes, workqueue.RunRunning)
			by.Limit = mostScanned
		case string(workqueue.RunRunning), string(workqueue.RunSucceeded), string(workqueue.RunFailed):
			by.Outcomes = append(by.Outcomes, workqueue.RunOutcome(o))
		}
	}
	if len(f.outcomes) > 0 && len(by.Outcomes) == 0 {
		return nil, nil
	}
	runs, err := store.Runs(ctx, by)
	if err != nil {
		return nil, err
	}
	all, err := viewRuns(ctx, store, runs)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(v view) bool { return !f.wants(v.Outcome) && (!v.isLate() || !f.wants(late)) }), nil
}

// viewRuns returns runs with the names of their workers.
func viewRuns(ctx context.Context, store cli.Store, runs []workqueue.PipelineRun) ([]view, error) {
	list, err := store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	now, err := store.Now(ctx)
	if err != nil {
		return nil, err
	}
	workers := workersByID{}
	for i := range list {
		workers[list[i].ID] = &list[i]
	}
	views := make([]view, len(runs))
	for i := range runs {
		views[i] = viewRun(&runs[i], workers, now)
	}
	return views, nil
}

func findFirings(ctx context.Context, store cli.Store, f filter) ([]view, error) {
	by := workqueue.FiringFilter{Schedule: f.pipeline, Pipelines: true, Since: f.since, Until: f.until, Limit: f.limit}
	for _, o := range []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped} {
		if f.wants(string(o)) {
			by.Outcomes = append(by.Outcomes, o)
		}
	}
	if len(by.Outcomes) == 0 {
		return nil, nil
	}
	firings, err := store.Firings(ctx, by)
	views := make([]view, len(firings))
	for i := range firings {
		views[i] = viewFiring(&firings[i])
	}
	return views, err
}

// findRequests returns requests without a run.
func findRequests(ctx context.Context, store cli.Store, f filter) ([]view, error) {
	if !f.wants(string(workqueue.RequestPending), string(workqueue.RequestExpired), string(workqueue.RequestRefused)) {
		return nil, nil
	}
	requests, err := store.RunRequests(ctx, workqueue.RequestFilter{Pipeline: f.pipeline, Since: f.since, Until: f.until, Limit: mostScanned})
	var views []view
	for i := range requests {
		if q := &requests[i]; q.State != workqueue.RequestStarted && f.wants(string(q.State)) {
			views = append(views, viewRequest(q))
		}
	}
	return views, err
}

func (a *command) runTable(views []view) {
	if len(views) == 0 {
		fmt.Fprintln(a.Stdout, "no runs")
		return
	}
	g := cli.NewGrid("run", "pipeline", "planned", "started", "late", "took", "outcome", "trigger", "worker", "made", "why").
		DropWhenNarrow("made", "worker", "trigger", "late")
	for i := range views {
		v := &views[i]
		delay := "-"
		if v.isLate() {
			delay = span(v.LateMs)
		}
		made := "-"
		if v.ItemsMade != nil && *v.ItemsMade > 0 {
			made = fmt.Sprint(*v.ItemsMade)
		}
		g.Add(cli.OrDash(v.ID), v.Pipeline, cli.OrNone(a.Instant(v.PlannedAt)), cli.OrNone(a.Instant(v.StartedAt)), delay, span(v.TookMs),
			v.Outcome, cli.OrDash(v.Trigger), cli.OrDash(v.Worker), made, cli.OrNone(cli.Shorten(v.why(), 80)))
	}
	g.Print(a.Stdout)
}

// why returns the error of a run, why there was none, or who asked for it.
func (v *view) why() string {
	switch {
	case v.Error != nil:
		return *v.Error
	case v.Reason != nil:
		return *v.Reason
	case v.RequestedBy != nil:
		return "requested by " + *v.RequestedBy
	}
	return ""
}

// span returns a duration for tables; "-" for none.
func span(ms *int64) string {
	if ms == nil {
		return "-"
	}
	d := time.Duration(*ms) * time.Millisecond
	if d >= time.Second {
		d = d.Round(time.Second)
	}
	return d.String()
}
