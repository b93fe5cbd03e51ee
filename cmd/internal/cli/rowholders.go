package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/workqueue"
)

// RegisterLockTimeout registers the flag of a command that changes items.
func (a *App) RegisterLockTimeout(cmd *cobra.Command) {
	timeout := cmd.Flags().Duration("lock-timeout", 30*time.Second, "how long a change waits for a row that another session of the database holds: a `TIME`")
	cmd.PreRun = func(*cobra.Command, []string) { a.LockTimeout = *timeout }
}

// ReportRowHolders says who holds the rows that the change of a command waits for.
func (a *App) ReportRowHolders(holders []workqueue.RowHolder) {
	if a.LockTimeout == 0 {
		return // a worker logs it
	}
	for _, h := range holders {
		fmt.Fprintf(a.Stderr, "botwork: waiting up to %s: %s; commit or roll back there, or end the session: %s\n", a.LockTimeout, h, h.End)
	}
}
