package items

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue/assign"
)

func (a *command) itemsWhyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why ID",
		Short: "Show why an item is not running, and when it is expected to start",
		Long: `Names the one true reason why an item is not running yet, and what would change
it: that it is not due, its queue is paused, a limit is reached, no live worker
satisfies its selectors or they all have enough to do, its band is assigned later,
others go first, or the worker that it is assigned to is busy or dead. When
several things keep it from running, the one that has to be fixed first is named.

It also says when the item is expected to start: it runs the coming assignment
passes and items in memory, by the schedules of the pipelines folder and the
estimated durations, and is as good as those. It changes nothing, and exits with 0
whatever the reason is.

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
		return a.WithStoreToRead(cmd.Context(), func(store cli.Store) error {
			book, err := projectdir.LoadPasses(a.App)
			if err != nil {
				return err
			}
			r, err := assign.Why(cmd.Context(), store, ids[0], projectdir.WhyParams(a.App, book, store))
			if err != nil {
				return err
			}
			return a.Print(*output, r, func() { a.reasonSheet(&r) })
		})
	}
	return cmd
}

// reasonSheet shows a reason, and then the workers in question.
func (a *command) reasonSheet(r *assign.Reason) {
	expected := r.Expected
	if strings.HasPrefix(expected, "unknown: ") {
		expected = "unknown" // the sheet already has the reason
	}
	s := &sheet{cli.NewGrid()}
	s.add("item", fmt.Sprint(r.ItemID))
	s.add("status", string(r.Status))
	s.add("reason", string(r.Kind))
	s.add("why", r.Text)
	s.add("what would change it", r.Change)
	s.add("expected to start", expected)
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
