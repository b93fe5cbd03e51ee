package items

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/workqueue/assign"
)

func (a *command) itemsWhyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why ID",
		Short: "Show why an item is not running, and when it is expected to start",
		Long: `Shows why an item is not running yet, and what would change that: it is not due, its
queue is paused, a limit is reached, no live worker satisfies its selectors, all
workers have enough work, its band is assigned later, other items have precedence,
or the worker to which it is assigned is busy or dead. If there are several reasons,
it shows the one that must be fixed first.

It also shows when the item is expected to start. It simulates the next assignment
passes and runs from the schedules of the pipelines folder and the estimated
durations, and is as accurate as these. It changes nothing. The exit code is 0 for
any reason.

JSON and YAML are one object; "kind" names the reason in one word.`,
		Example: "  botwork items why 17\n  botwork items why 17 --output json",
		Args:    cli.OneArgument("the item's id"),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		r, err := a.why(cmd.Context(), ids[0])
		if err != nil {
			return err
		}
		return a.Print(*output, r, func() { a.reasonSheet(&r) })
	}
	return cmd
}

// why returns why an item is not running: by the pipelines of this machine, or of the server.
func (a *command) why(ctx context.Context, id int64) (r assign.Reason, err error) {
	if a.UsesServer() {
		err = a.WithServer(func(s *remote.Server) (err error) {
			r, err = s.Why(ctx, id)
			return err
		})
		return r, err
	}
	err = a.WithReadOnlyStore(ctx, func(store cli.Store) error {
		book, err := projectdir.LoadPasses(a.App)
		if err != nil {
			return err
		}
		r, err = assign.Why(ctx, store, id, projectdir.WhyParams(a.App, book, store))
		return err
	})
	return r, err
}

// reasonSheet shows a reason, and then the workers that matter for it.
func (a *command) reasonSheet(r *assign.Reason) {
	expected := r.Expected
	if strings.HasPrefix(expected, "unknown: ") {
		expected = "unknown" // the sheet already has the reason
	}
	s := &sheet{cli.NewGrid(), a.Instant}
	s.add("item", fmt.Sprint(r.ItemID))
	s.add("status", string(r.Status))
	s.add("reason", string(r.Kind))
	s.add("why", r.Text)
	s.add("what would change it", r.Change)
	s.add("expected to start", expected)
	if r.FinishBy != nil {
		s.add("must finish by", a.Instant(r.FinishBy)+"; then its run is ended")
	}
	for _, e := range r.Escalations {
		s.add("escalation", e.Text)
	}
	s.Print(a.Stdout)
	if len(r.Workers) == 0 {
		return
	}
	g := cli.NewGrid("worker", "slots", "running", "holds", "selectors")
	for _, w := range r.Workers {
		lacks := w.Lacks
		if lacks == "" {
			lacks = "-"
		}
		g.Add(w.Name, fmt.Sprint(w.Slots), fmt.Sprint(w.Running), fmt.Sprint(w.Holds), lacks)
	}
	fmt.Fprintln(a.Stdout)
	g.Print(a.Stdout)
}
