package durations

import (
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/operations"
)

// off returns the error in short form, such as "±1.5s (12%)".
func off(v *operations.Duration) string {
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
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			views, err := store.LearnedDurations(cmd.Context(), filter)
			if err != nil {
				return err
			}
			return a.Print(*output, views, func() { a.durationTable(views) })
		})
	}
	return cmd
}

func (a *command) durationTable(views []operations.Duration) {
	if len(views) == 0 {
		fmt.Fprintln(a.Stdout, "nothing has been learned: workers record how long a run took within ten seconds")
		return
	}
	g := cli.NewGrid("kind", "pipeline", "name", "runs", "mean", "p90", "error", "updated")
	for i := range views {
		v := &views[i]
		g.Add(string(v.Kind), cli.OrDash(v.Pipeline), cli.Shorten(cli.OrDash(v.Name), 60), fmt.Sprint(v.Runs), v.Mean.String(), v.P90.String(), off(v), a.Instant(&v.UpdatedAt))
	}
	g.Print(a.Stdout)
}
