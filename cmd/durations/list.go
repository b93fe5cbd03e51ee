package durations

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// durationView is a learned duration as JSON and YAML show it; its field names
// are part of the command line's contract.
type durationView struct {
	Kind     learned.Kind `json:"kind"`
	Pipeline *string      `json:"pipeline"` // nil for a task whose items have their own pipelines
	Name     *string      `json:"name"`     // the task's name, or the keys' prefix; nil for a pipeline
	Runs     int64        `json:"runs"`

	Mean workqueue.Duration `json:"mean"`
	P90  workqueue.Duration `json:"p90"`

	// Error is the mean difference between a run and its estimate, and ErrorPercent is its share
	// of the mean; nil until a run was compared.
	Error        *workqueue.Duration `json:"error"`
	ErrorPercent *float64            `json:"errorPercent"`

	UpdatedAt time.Time `json:"updatedAt"`
}

func viewDuration(l *learned.Duration) durationView {
	v := durationView{
		Kind: l.Kind, Pipeline: cli.OrNull(l.Pipeline), Name: cli.OrNull(l.Name), Runs: l.Runs,
		Mean: roundSpan(l.Mean()), P90: roundSpan(l.P90()), UpdatedAt: l.UpdatedAt,
	}
	if off, compared := l.Error(); compared {
		v.Error = new(roundSpan(off))
		if mean := l.Mean(); mean > 0 {
			v.ErrorPercent = new(math.Round(1000*float64(off)/float64(mean)) / 10)
		}
	}
	return v
}

// roundSpan rounds short durations to microseconds and others to milliseconds.
func roundSpan(d time.Duration) workqueue.Duration {
	if d < 10*time.Millisecond {
		return workqueue.Duration(d.Round(time.Microsecond))
	}
	return workqueue.Duration(d.Round(time.Millisecond))
}

// off returns the error in short form, such as "±1.5s (12%)".
func (v *durationView) off() string {
	switch {
	case v.Error == nil:
		return "-"
	case v.ErrorPercent == nil:
		return "±" + v.Error.String()
	}
	return fmt.Sprintf("±%s (%.0f%%)", *v.Error, *v.ErrorPercent)
}

func (a *command) durationsListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List how long runs take",
		Long: `Lists the durations that workers have learned, by pipeline: the number of runs,
their mean, the time that nine of ten runs did not exceed (p90), the mean difference
between a run and its estimate, and the time of the last update. Recent runs weigh
more. After three runs the durations are used for items without an estimated
duration: that of the prefix of their natural key, else of their task, else of their
pipeline.

JSON and YAML are a list; durations are written as "1m30s", errorPercent is a
percentage of the mean, and a missing value is null.`,
		Example: "  botwork durations list\n  botwork durations list --pipeline invoices --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	var flags durationFlags
	flags.register(cmd)
	limit := cmd.Flags().Int("limit", 1000, "list at most `N` durations")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		filter, _, err := flags.filter(cmd.Flags())
		if err != nil {
			return err
		}
		if filter.Limit = *limit; *limit < 1 {
			return cli.Usagef("--limit: got %d, want 1 or more", *limit)
		}
		return a.WithReadOnlyStore(cmd.Context(), func(store cli.Store) error {
			all, err := store.Durations(cmd.Context(), filter)
			if err != nil {
				return err
			}
			views := make([]durationView, len(all))
			for i := range all {
				views[i] = viewDuration(&all[i])
			}
			return a.Print(*output, views, func() { a.durationTable(views) })
		})
	}
	return cmd
}

func (a *command) durationTable(views []durationView) {
	if len(views) == 0 {
		fmt.Fprintln(a.Stdout, "nothing has been learned: workers record how long a run took within ten seconds")
		return
	}
	g := cli.NewGrid("kind", "pipeline", "name", "runs", "mean", "p90", "error", "updated")
	for i := range views {
		v := &views[i]
		g.Add(string(v.Kind), cli.OrDash(v.Pipeline), cli.Shorten(cli.OrDash(v.Name), 60), fmt.Sprint(v.Runs), v.Mean.String(), v.P90.String(), v.off(), a.Instant(&v.UpdatedAt))
	}
	g.Print(a.Stdout)
}
