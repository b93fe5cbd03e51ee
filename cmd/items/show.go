package items

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// auditShown is how many entries of the audit log are shown with an item, the newest.
const auditShown = 20

// itemDetails is what `items show --output json` prints: the item's fields, then its attempts, and
// its entries of the audit log.
type itemDetails struct {
	workqueue.Item
	Attempts []workqueue.Attempt
	Audit    []workqueue.AuditEntry
}

// MarshalJSON appends the attempts and the entries to the item's JSON. An embedded item would write only its
// own fields.
func (d itemDetails) MarshalJSON() ([]byte, error) {
	item, err := d.Item.MarshalJSON()
	if err != nil {
		return nil, err
	}
	attempts, err := cli.PlainJSON(d.Attempts)
	if err != nil {
		return nil, err
	}
	audit, err := cli.PlainJSON(d.Audit)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(item[:len(item)-1], `,"attempts":%s,"audit":%s}`, attempts, audit), nil
}

func (a *command) itemsShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show an item with its attempts and changes",
		Long: `Shows all fields of an item and the attempts that failed, timed out, were released
or were snoozed. A snooze is not a failure: it has a reason instead of an error.

Step, progress and log are shown for the current or last run, and for each attempt:
they are recorded every two seconds during a run, and at its end.

Below that are the latest changes on request, with who made them and why; "botwork
audit show" shows their values.

With --follow the log of a run comes last, and what is added to it until the run ends,
as "botwork items logs --follow" shows it. An item that has not run yet is waited for.

JSON and YAML are one object, with the attempts under "attempts" and the changes, with
the item's values before and after, under "audit".`,
		Example: "  botwork items show 17\n  botwork items show 17 --follow\n  botwork items show 17 --output json",
		Args:    cli.OneArgument("the item's id"),
	}
	follow := cmd.Flags().BoolP("follow", "f", false, "also show what is added to the log until the run ends")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		if *follow && *output != cli.FormatTable {
			return cli.Usagef("--follow shows text: leave out --output")
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			return a.showItem(cmd.Context(), store, ids[0], *output, *follow)
		})
	}
	return cmd
}

func (a *command) showItem(ctx context.Context, store cli.Backend, id int64, output cli.Format, follow bool) error {
	item, err := store.Item(ctx, id)
	if err != nil {
		return err
	}
	attempts, err := store.Attempts(ctx, item.ID)
	if err != nil {
		return err
	}
	audit, err := store.AuditEntries(ctx, workqueue.AuditFilter{ItemID: item.ID, Limit: auditShown})
	if err != nil {
		return err
	}
	a.hideSecrets(&item, attempts, audit)
	if output != cli.FormatTable {
		return a.Print(output, itemDetails{item, attempts, audit}, nil)
	}
	workers, err := store.Workers(ctx)
	if err != nil {
		return err
	}
	follow = follow && (item.State == workqueue.Blocked || len(attempts) == 0 && item.FinishedAt == nil)
	if follow {
		item.LogTail = nil // its log comes last, and grows
	}
	a.itemSheet(&item, attempts, workers)
	a.attemptTable(attempts)
	a.auditTable(audit)
	if !follow {
		return nil
	}
	fmt.Fprintln(a.Stdout)
	return a.follow(ctx, store, id)
}

func (a *command) attemptTable(attempts []workqueue.Attempt) {
	if len(attempts) == 0 {
		return
	}
	g := cli.NewGrid("attempt", "outcome", "worker", "host", "text", "step", "finished", "error or reason")
	groups := workqueue.GroupSnoozes(attempts, (*workqueue.Attempt).SameSnooze)
	for _, group := range groups {
		at := group[len(group)-1]
		outcome := at.Outcome
		if n := len(group); n > 1 {
			outcome += fmt.Sprintf(" %d times", n)
		}
		g.Add(fmt.Sprint(at.Attempt), outcome, cli.OrDash(at.WorkerName), cli.OrDash(at.Host), cmp.Or(cli.ShortHash(at.PipelineHash), "-"), cli.OrDash(at.Step),
			a.Instant(&at.FinishedAt), cli.OrDash(cmp.Or(at.Error, at.Reason)))
	}
	fmt.Fprintln(a.Stdout)
	g.Print(a.Stdout)
	for _, group := range groups {
		a.printAttemptLog(&group[len(group)-1])
	}
}

// auditTable prints the latest changes of the item.
func (a *command) auditTable(entries []workqueue.AuditEntry) {
	if len(entries) == 0 {
		return
	}
	g := cli.NewGrid("audit", "time", "by", "host", "action", "reason")
	for i := range entries {
		e := &entries[i]
		g.Add(fmt.Sprint(e.ID), a.Instant(&e.At), e.By(), cli.OrNone(e.Host), e.Action, cli.OrNone(cli.Shorten(e.Reason, 80)))
	}
	fmt.Fprintln(a.Stdout)
	g.Print(a.Stdout)
}

// printAttemptLog prints the progress and the log of an attempt.
func (a *command) printAttemptLog(at *workqueue.Attempt) {
	if at.Progress == nil && at.LogTail == nil && at.StepTimes == "" {
		return
	}
	// A release does not count as an attempt, so two rows may have the same number: the time
	// identifies the row of the table.
	fmt.Fprintf(a.Stdout, "\nattempt %d, %s %s\n", at.Attempt, at.Outcome, a.Instant(&at.FinishedAt))
	g := cli.NewGrid()
	if at.Progress != nil {
		g.Add("  progress", *at.Progress)
	}
	if at.StepTimes != "" {
		g.Add("  steps took", stepTimes(at.StepTimes))
	}
	if at.LogTail != nil {
		g.Add("  log", logLines(at.LogTail))
	}
	g.Print(a.Stdout)
}

// stepTimes returns how long a run was in each of its steps; "" if that was not recorded.
func stepTimes(text workqueue.JSONText) string {
	all := workqueue.ParseStepTimes(text)
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = fmt.Sprintf("%s %s", s.Step, time.Duration(s.Ms)*time.Millisecond)
	}
	return strings.Join(texts, ", ")
}

// logLines returns the last lines of a run's log; "" for none. A table cell shows each on its
// own line.
func logLines(tail *string) string {
	if tail == nil {
		return ""
	}
	return strings.TrimRight(*tail, "\n")
}
