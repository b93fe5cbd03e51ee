package runs

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
)

func (a *command) runsShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a run",
		Long: `Shows a run: when it was planned, started and ended, its worker, its trigger and who
asked for it, the numbers that it reported, the step that failed and the whole error,
and which version of the pipeline ran. "botwork pipelines diff" shows what has changed
since then.

JSON and YAML are one object, as in the list.`,
		Example: "  botwork runs show 17\n  botwork runs show 17 --output json",
		Args:    cli.OneArgument("the run's id"),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id < 1 {
			return cli.Usagef("got %q, want the id of a run, such as 17", args[0])
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			view, err := store.RunByID(cmd.Context(), id)
			if err != nil {
				return err
			}
			return a.Print(*output, view, func() { a.runSheet(&view) })
		})
	}
	return cmd
}

// runSheet shows a run, one line for each field that has a value.
func (a *command) runSheet(v *operations.Run) {
	g := cli.NewGrid()
	add := func(name, value string) {
		if value != "" && value != "-" {
			g.Add(name, value)
		}
	}
	add("run", fmt.Sprint(*v.ID))
	add("pipeline", v.Pipeline)
	add("outcome", v.Outcome)
	add("trigger", cli.OrDash(v.Trigger))
	add("requested by", cli.OrDash(v.RequestedBy))
	add("planned", a.Instant(v.PlannedAt))
	add("started", a.Instant(v.StartedAt))
	add("late", span(v.LateMs))
	add("ended", a.Instant(v.FinishedAt))
	add("took", span(v.TookMs))
	add("worker", cli.OrDash(v.Worker))
	add("items made", cli.OrDash(v.ItemsMade))
	add("numbers", string(v.Numbers))
	add("failed step", cli.OrDash(v.FailedStep))
	add("text", cli.ShortHash(v.Hash))
	g.Print(a.Stdout)
	if v.Error != nil {
		fmt.Fprintf(a.Stdout, "\nerror:\n%s\n", *v.Error)
	}
}
