package items

import (
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
)

func (a *command) itemsReleaseCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "release ID...",
		Short: "Take items away from the robots that hold them",
		Long: `Takes items away from the robots that have checked them out, without waiting for the
end of their leases: they are due at once, and no failure is counted. What the robot
reports later is refused. Items that no robot holds are not changed; to stop an item
that a worker runs, use botwork items cancel.`,
		Example: `  botwork items release 17 --reason "its machine is gone"`,
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` to store with the attempt and in the audit log")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return cli.Usagef("got no id, want one or more")
		}
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
			refused := false
			for _, id := range ids {
				switch err := store.ReleaseFromRobot(cmd.Context(), id, reason); {
				case refusesItem(err):
					a.Complain(err)
					refused = true
				case err != nil:
					return err
				default:
					fmt.Fprintf(a.Stdout, "item %d: released\n", id)
				}
			}
			if refused {
				return &cli.ReportedError{Code: cli.ExitFailed}
			}
			return nil
		})
	}
	return cmd
}
