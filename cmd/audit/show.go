package audit

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// details is what `audit show` prints as JSON: the entry, and its items.
type details struct {
	workqueue.AuditEntry
	Items []workqueue.AuditItem `json:"items"`
}

func (a *command) auditShowCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show an entry of the audit log with its items",
		Long: `Shows an entry of the audit log: who made the change, when and why, the filter, and
the values before and after. Of a change of items it shows each item with the values
that changed; an item that was permanently deleted has no values after.

A value that is longer than 4096 bytes is shown as its size and SHA-256 hash, and so
are the payload and metadata of encrypted items; their hash is that of the encrypted
text.

JSON and YAML are one object, with the items under "items".`,
		Example: "  botwork audit show 12\n  botwork audit show 12 --limit 5000 --output json",
		Args:    cli.OneArgument("the entry's id"),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "show at most `N` items")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id < 1 {
			return cli.Usagef("entry id: got %q, want a whole number from 1 on", args[0])
		}
		if limit < 1 {
			return cli.Usagef("--limit: got %d, want 1 or more", limit)
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			entries, err := store.AuditEntries(cmd.Context(), workqueue.AuditFilter{ID: id})
			if err != nil {
				return err
			}
			if len(entries) == 0 {
				return fmt.Errorf("audit entry %d: %w", id, workqueue.ErrNotFound)
			}
			d := details{AuditEntry: entries[0]}
			r := a.Redactor()
			d.MapTexts(r.Redact)
			if d.Items, err = store.AuditItems(cmd.Context(), id, 0, limit); err != nil {
				return err
			}
			for i := range d.Items {
				it := &d.Items[i]
				it.Before, it.After = workqueue.JSONText(r.Redact(string(it.Before))), workqueue.JSONText(r.Redact(string(it.After)))
			}
			return a.Print(*output, d, func() { a.sheet(&d) })
		})
	}
	return cmd
}

func (a *command) sheet(d *details) {
	g := cli.NewGrid()
	for _, line := range []struct{ name, value string }{
		{"id", fmt.Sprint(d.ID)}, {"time", a.Instant(&d.At)}, {"by", d.By()}, {"host", d.Host}, {"action", d.Action},
		{"target", targetText(&d.AuditEntry)}, {"changed", fmt.Sprint(d.Changed)}, {"filter", string(d.Filter)}, {"reason", d.Reason},
		{"before", string(d.Before)}, {"after", string(d.After)}, {"operation", cli.OrNone(deref(d.Operation))},
	} {
		if line.value != "" && line.value != cli.OrNone("") {
			g.Add(line.name, line.value)
		}
	}
	g.Print(a.Stdout)
	if len(d.Items) == 0 {
		return
	}
	fmt.Fprintln(a.Stdout)
	g = cli.NewGrid("item", "before", "after")
	for _, it := range d.Items {
		g.Add(fmt.Sprint(it.ItemID), cli.OrNone(string(it.Before)), cli.OrNone(string(it.After)))
	}
	g.Print(a.Stdout)
	if more := d.Changed - int64(len(d.Items)); more > 0 {
		fmt.Fprintf(a.Stdout, "%s more; --limit shows them\n", cli.ItemCount(int(more)))
	}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
