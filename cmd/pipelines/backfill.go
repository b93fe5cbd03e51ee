package pipelines

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/operations"
	"botwork/pipelines"
)

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
		if a.UsesServer() {
			views, zone, err := a.backfillServer(cmd.Context(), args[0], first, end, dry, yes)
			if err != nil {
				return err
			}
			return a.Print(*output, views, func() { a.backfillTable(args[0], zone, views, dry) })
		}
		p, planned, err := a.plannedTimes(args[0], first, end)
		if err != nil {
			return err
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			views, err := operations.PlanBackfill(cmd.Context(), store, p.Name, planned)
			if err != nil {
				return err
			}
			if !dry {
				if err := confirmBackfill(views, yes); err != nil {
					return err
				}
				if err := operations.RequestBackfill(cmd.Context(), store, p.Name, cli.UserName(), views); err != nil {
					return explainRefusal(p.Name, err)
				}
			}
			return a.Print(*output, views, func() { a.backfillTable(p.Name, p.Trigger.Location, views, dry) })
		})
	}
	return cmd
}

// backfillServer is the backfill of a pipeline of the server's project. It returns the zone of the trigger.
func (a *command) backfillServer(ctx context.Context, name string, first, end time.Time, dry, yes bool) (views []operations.BackfillTime, zone *time.Location, err error) {
	zone = time.UTC
	err = a.WithServer(func(s *remote.Server) error {
		p, _, err := s.Pipeline(ctx, name)
		if err != nil {
			return cli.UnknownAsUsage(err)
		}
		if p.Trigger != nil {
			if found, err := time.LoadLocation(p.Trigger.Timezone); err == nil {
				zone = found
			}
		}
		views, err = s.Backfill(ctx, name, first, end, dry, yes)
		refused, ok := errors.AsType[*remote.Error](err)
		if ok && (refused.Problem.Status == http.StatusUnprocessableEntity || refused.Problem.Code == operations.CodeNoSchedule) {
			if refused.Problem.Code == "not-confirmed" {
				return &cli.UsageError{Message: strings.TrimPrefix(refused.Problem.Detail, "the backfill must be confirmed: ") + "; this needs --yes", Hint: "--dry-run shows them"}
			}
			return &cli.UsageError{Message: refused.Error()}
		}
		return err
	})
	return views, zone, err
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
	if now := time.Now(); p.Trigger != nil && p.Trigger.Schedule != nil && (!first.Before(end) || !first.Before(now)) {
		return nil, nil, cli.Usagef("got --from %s, want a time before --to and before now", first.Format(time.RFC3339))
	}
	planned, err := operations.PlannedTimes(p, first, end)
	return p, planned, asUsage(err)
}

// confirmBackfill returns an error if the backfill needs --yes.
func confirmBackfill(views []operations.BackfillTime, yes bool) error {
	why := operations.Unconfirmed(views)
	if yes || why == "" {
		return nil
	}
	if strings.HasSuffix(why, "runs") {
		return &cli.UsageError{Message: why + " need --yes", Hint: "--dry-run shows them"}
	}
	return &cli.UsageError{Message: why + "; this needs --yes", Hint: "--dry-run shows them"}
}

func (a *command) backfillTable(name string, zone *time.Location, views []operations.BackfillTime, dry bool) {
	if len(views) == 0 {
		fmt.Fprintf(a.Stdout, "%s has no planned times in this range\n", name)
		return
	}
	n := 0
	g := cli.NewGrid("planned", "in "+zone.String(), "runs", "why")
	for i := range views {
		v := &views[i]
		does := "-"
		if v.Runs {
			n, does = n+1, "yes"
		}
		g.Add(a.Instant(&v.PlannedAt), v.PlannedAt.In(zone).Format("2006-01-02 15:04:05 MST"), does, cli.Shorten(v.Reason, 80))
	}
	g.Print(a.Stdout)
	switch {
	case n == 0:
		fmt.Fprintln(a.Stdout, "\nnothing to run")
	case dry:
		fmt.Fprintf(a.Stdout, "\nwould request %s of %s\n", cli.Count(n, "run"), name)
	default:
		fmt.Fprintf(a.Stdout, "\nrequested %s of %s; botwork runs list --pipeline %s shows how they go\n", cli.Count(n, "run"), name, name)
	}
}
