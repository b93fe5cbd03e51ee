// Package audit is the command `botwork audit`.
package audit

import (
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// command is one call of `botwork audit`.
type command struct{ *cli.App }

// Command returns `botwork audit`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).auditCommand() }

func (a *command) auditCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "audit", Short: "List and show who changed what",
		Long: `Lists and shows the audit log: which person, robot, rule or worker changed what, when,
from which machine, and why. Commands that change something have the flag --reason.

A change and its entry are written in one transaction. What a command does to many
items is one entry with the filter, the number of items, and each item with its
values before and after. What runs do to their items is recorded in the items and
their attempts; changes by hand in SQL are not recorded.`,
	},
		cli.OverServer(a.auditListCommand()),
		cli.OverServer(a.auditShowCommand()),
	)
}

// targetText names what an entry changed.
func targetText(e *workqueue.AuditEntry) string {
	switch {
	case e.TargetKind == workqueue.TargetItem && e.Target == "":
		return cli.ItemCount(int(e.Changed))
	case e.Target == "":
		return e.TargetKind
	}
	return e.TargetKind + " " + e.Target
}
