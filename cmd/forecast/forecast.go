// Package forecast is the command `botwork forecast`.
package forecast

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/moments"
	"botwork/workqueue/forecast"
)

// command is one call of `botwork forecast`.
type command struct{ *projectdir.App }

// Command returns `botwork forecast`.
func Command(a *projectdir.App) *cobra.Command {
	c := &command{a}
	cmd := cli.OverServer(c.forecastCommand())
	cmd.AddCommand(cli.OverServer(c.accuracyCommand()))
	return cmd
}

func (a *command) forecastCommand() *cobra.Command {
	var q forecast.Question
	var until string
	var changes changeFlags
	cmd := &cobra.Command{
		Use:   "forecast",
		Short: "Forecast when the queue is empty, what will be late, and what a change would do",
		Long: `Simulates what is likely to happen, many times: workers run the items by the rules of
the assignment passes, runs take as long as such runs have lately taken, attempts fail
as often, and items arrive by tasks, schedules and as in the last weeks. It writes
nothing; "botwork forecast accuracy" compares forecasts that the handler RecordForecast
has recorded with what happened.

For the whole queue, each band, queue and pipeline it shows when that is empty for the
first time: in half of the simulated histories by the time p50, in 95 % of them by p95.
It also shows which items may miss their deadlines, how busy each worker is in each
hour, and what arrives. With --item it shows when an item starts and ends.

The flags below What-if change the workers, items, queues and arrivals; they can be
combined. The present and the change are then shown side by side, for the same
simulated durations, failures and arrivals. --meet-deadlines searches for how many more
workers or slots would meet all deadlines with a probability of 95 %.

--until is a time such as 18:00 (the next one), "tomorrow 06:00", 2026-01-31T13:45:00Z,
or how far ahead (6h, 7d). Without it, the forecast covers a day, or longer if the
present items take longer.`,
		Example: `  botwork forecast
  botwork forecast --until 18:00 --item 4711
  botwork forecast --add-worker capacity=4,label=gpu=true --arrivals +20%
  botwork forecast --meet-deadlines --output json`,
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&until, "until", "", "look ahead until this `TIME`")
	flags.Int64SliceVar(&q.Items, "item", nil, "show when the item `ID` starts and ends; repeatable")
	flags.IntVar(&q.Histories, "histories", forecast.DefaultHistories, "simulate `N` histories")
	flags.Uint64Var(&q.Seed, "seed", 1, "draw with this seed `N`; the same seed draws the same")
	changes.register(flags)
	flags.BoolVar(&q.MeetDeadlines, "meet-deadlines", false, "search for the capacity that would meet all deadlines")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if q.Until, err = a.parseUntil(until); err != nil {
			return err
		}
		if q.Histories < 1 || q.Histories > forecast.MostHistories {
			return cli.Usagef("--histories: got %d, want 1 to %d", q.Histories, forecast.MostHistories)
		}
		if q.Change, err = changes.change(); err != nil {
			return err
		}
		answer, err := a.ask(cmd.Context(), q)
		if err != nil {
			return err
		}
		return a.Print(*output, answer, func() { a.print(answer) })
	}
	return cmd
}

// ask asks the server of the flags, or simulates the queue of the database.
func (a *command) ask(ctx context.Context, q forecast.Question) (answer *forecast.Answer, err error) {
	if a.UsesServer() {
		err = a.WithServer(func(s *remote.Server) error {
			answer, err = s.Forecast(ctx, q)
			return err
		})
		return answer, err
	}
	err = a.WithReadOnlyStore(ctx, func(store cli.Store) error {
		passes, err := projectdir.LoadPasses(a.App)
		if err != nil {
			return err
		}
		present, err := forecast.Read(ctx, store, projectdir.WhyParams(a.App, passes, store))
		if err != nil {
			return err
		}
		answer, err = present.Ask(ctx, q)
		if wrong, ok := errors.AsType[*forecast.ChangeError](err); ok {
			return cli.Usagef("%v", wrong)
		}
		return err
	})
	return answer, err
}

func (a *command) parseUntil(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	now := time.Now()
	at, err := moments.Coming(text, now, a.Zone())
	switch {
	case err != nil:
		return at, cli.Usagef("--until: %v", err)
	case !at.After(now):
		return at, cli.Usagef("--until: %q is over", text)
	case at.Sub(now) > forecast.Longest:
		return at, cli.Usagef("--until: got %q, want at most %d days from now", text, int(forecast.Longest/(24*time.Hour)))
	}
	return at, nil
}

// print prints an answer as tables.
func (a *command) print(answer *forecast.Answer) {
	f := answer.Present
	fmt.Fprintf(a.Stdout, "forecast of %s until %s, %d histories\n\n", a.Instant(&f.At), a.Instant(&f.Until), f.Histories)
	a.drains(answer)
	a.items(answer)
	a.late(answer)
	a.enough(answer.Enough)
	shown := f
	if answer.WhatIf != nil {
		shown = answer.WhatIf
	}
	a.workers(shown)
	a.arrivals(shown)
	for _, note := range f.Notes {
		fmt.Fprintf(a.Stdout, "note: %s\n", note)
	}
	if f.NeverStart > 0 {
		fmt.Fprintf(a.Stdout, "note: %d items never start in this time; botwork items why ID explains it\n", f.NeverStart)
	}
}
