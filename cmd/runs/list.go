package runs

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
)

func (a *command) runsListCommand() *cobra.Command {
	var f operations.RunFilter
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
	flags.StringVar(&f.Pipeline, "pipeline", "", "only of the pipeline `NAME`")
	flags.StringSliceVar(&f.Outcomes, "outcome", nil, "only with these `OUTCOMES`, separated by commas")
	flags.BoolVar(&failed, "failed", false, "only what failed, was interrupted, missed or expired")
	flags.IntVar(&f.Limit, "limit", 50, "list at most this many, the latest")
	since := cli.TimeFlag(cmd, &a.Streams, "since", "only from this `TIME` on")
	until := cli.TimeFlag(cmd, &a.Streams, "until", "only before this `TIME`")
	_ = cmd.RegisterFlagCompletionFunc("outcome", cobra.FixedCompletions(operations.RunOutcomes(), cobra.ShellCompDirectiveNoFileComp))
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if f.Since, err = since(); err != nil {
			return err
		}
		if f.Until, err = until(); err != nil {
			return err
		}
		if err := check(&f); err != nil {
			return err
		}
		if failed {
			f.Outcomes = append(f.Outcomes, operations.FailedRuns()...)
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			views, err := store.FindRuns(cmd.Context(), f)
			if err != nil {
				return err
			}
			controls, err := store.Controls(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, views, func() {
				a.runTable(views)
				a.PrintPauses(controls.Paused, f.Pipeline)
			})
		})
	}
	return cmd
}

func check(f *operations.RunFilter) error {
	if f.Limit < 1 || f.Limit > operations.MostRunsScanned {
		return cli.Usagef("--limit: got %d, want 1 to %d", f.Limit, operations.MostRunsScanned)
	}
	for _, o := range f.Outcomes {
		if !slices.Contains(operations.RunOutcomes(), o) {
			return cli.NotOneOf("outcome", o, operations.RunOutcomes())
		}
	}
	if !f.Since.IsZero() && !f.Until.IsZero() && !f.Since.Before(f.Until) {
		return cli.Usagef("got --since %s and --until %s, want an earlier --since", f.Since.Format(time.RFC3339), f.Until.Format(time.RFC3339))
	}
	return nil
}

func (a *command) runTable(views []operations.Run) {
	if len(views) == 0 {
		fmt.Fprintln(a.Stdout, "no runs")
		return
	}
	g := cli.NewGrid("run", "pipeline", "planned", "started", "late", "took", "outcome", "trigger", "worker", "made", "why").
		DropWhenNarrow("made", "worker", "trigger", "late")
	for i := range views {
		v := &views[i]
		delay := "-"
		if v.IsLate() {
			delay = span(v.LateMs)
		}
		made := "-"
		if v.ItemsMade != nil && *v.ItemsMade > 0 {
			made = fmt.Sprint(*v.ItemsMade)
		}
		g.Add(cli.OrDash(v.ID), v.Pipeline, cli.OrNone(a.Instant(v.PlannedAt)), cli.OrNone(a.Instant(v.StartedAt)), delay, span(v.TookMs),
			v.Outcome, cli.OrDash(v.Trigger), cli.OrDash(v.Worker), made, cli.OrNone(cli.Shorten(why(v), 80)))
	}
	g.Print(a.Stdout)
}

// why returns the error of a run, why there was none, or who asked for it.
func why(v *operations.Run) string {
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
