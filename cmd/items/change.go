package items

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
	"botwork/workqueue"
)

// itemChange is one call of a command that changes items.
type itemChange struct {
	workqueue.Change
	flags    itemFlags
	all, yes bool
}

// changeDoc is the last part of the help of each action.
const changeDoc = `

Name the items by their ids, or by a filter, or --all of them. With ids, an item
whose state does not allow the change is reported, the others are changed, and the
exit code is 1. With a filter, such items are skipped, and the number of changed
items is printed. Items are changed page by page, the newest first; items that are
enqueued meanwhile are not changed.

--dry-run changes nothing and prints what would be done. --all needs --yes. The
command never asks for confirmation, so that scripts can call it.`

// deleteDoc is in its place for deletions, which cannot be taken back in most queues.
var deleteDoc = strings.Replace(changeDoc, "--all needs --yes. The", "--all and a filter need\n--yes; without it, the number of items is printed and nothing is deleted. The", 1)

// itemsChangeCommand returns a command that applies one action to the items of its arguments,
// or to those that match its filter.
func (a *command) itemsChangeCommand(action workqueue.Action) *cobra.Command {
	text := changeTexts[action]
	c := &itemChange{Change: workqueue.Change{Action: action}}
	cmd := &cobra.Command{
		Use:     string(action) + " [ID...]",
		Aliases: text.aliases,
		Short:   text.short,
		Long:    text.long + docOf(action),
		Example: fmt.Sprintf("  botwork items %[1]s 17 18 19\n  botwork items %[1]s %[2]s --dry-run\n  botwork items %[1]s %[2]s%[3]s", action, text.filter, map[bool]string{true: " --yes"}[action == workqueue.Delete]),
	}
	c.register(cmd)
	a.RegisterLockTimeout(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		return a.runChange(cmd, c, ids)
	}
	return cmd
}

func docOf(action workqueue.Action) string {
	if action == workqueue.Delete {
		return deleteDoc
	}
	return changeDoc
}

// runChange changes the items with these ids, or those of the filter.
func (a *command) runChange(cmd *cobra.Command, c *itemChange, ids []int64) error {
	filter, err := c.flags.filter(cmd.Flags(), a.Zone())
	if err != nil {
		return err
	}
	if err := c.check(ids, filter); err != nil {
		return err
	}
	c.flags.Widen(&filter)
	return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
		if len(ids) > 0 {
			return a.changeEach(cmd.Context(), store, ids, c.Change)
		}
		if c.Action == workqueue.Delete && !c.yes && !c.DryRun {
			return a.deletionUnconfirmed(cmd.Context(), store, filter, c.Change)
		}
		n, err := a.changeMany(cmd.Context(), store, filter, c.Change)
		if err == nil && n == 0 {
			err = a.checkFilter(cmd.Context(), store, filter)
		}
		return err
	})
}

// deletionUnconfirmed returns the error for a deletion by a filter without --yes.
func (a *command) deletionUnconfirmed(ctx context.Context, store manyChanger, filter workqueue.ItemFilter, c workqueue.Change) error {
	c.DryRun = true
	r, more, err := a.countChanges(ctx, store, filter, c, dryRunBound)
	a.noteUnreadable(r.unreadable)
	if err != nil {
		return err
	}
	count := cli.ItemCount(r.changed)
	if more {
		count = "more than " + count
	}
	return cli.Usagef("deleting the items of a filter needs --yes; %s would be deleted", count)
}

func (c *itemChange) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	if c.Action == workqueue.Update {
		c.flags.register(cmd, updateNames)
	} else {
		c.flags.register(cmd, nil)
	}
	if c.Action.AllowsDeleted() {
		c.flags.registerDeleted(cmd)
	}
	flags.BoolVar(&c.all, "all", false, "all items, without a filter")
	flags.BoolVar(&c.DryRun, "dry-run", false, "change nothing, print what would be done")
	flags.BoolVar(&c.yes, "yes", false, yesDoc(c.Action))
	switch c.Action {
	case workqueue.Cancel, workqueue.Archive, workqueue.Delete:
		flags.StringVar(&c.Reason, "reason", changeTexts[c.Action].done+" on the command line", "`TEXT` to keep with the items and in the audit log")
		return
	case workqueue.Repeat:
		flags.StringVar(&c.FromStep, "from", "", "begin at this `STEP`, by its path such as \"post / sign\", and keep what the steps before it have\nput out: of items whose pipeline has resume (default the first step)")
	case workqueue.Clone:
		flags.StringVar(&c.NewKey, "new-key", "", "natural `KEY` of the copy of one item (default that of the item)")
		if who, err := user.Current(); err == nil {
			c.By = who.Username
		}
	}
	cli.ReasonFlag(cmd)
}

// yesDoc describes --yes.
func yesDoc(action workqueue.Action) string {
	switch action {
	case workqueue.RunNow:
		return "confirm --all, or a filter that matches both finished and waiting items"
	case workqueue.Delete:
		return "confirm --all, or a filter"
	default:
		return "confirm --all"
	}
}

// wantsYes returns the reason why a call needs --yes, or "". The command does not prompt,
// because scripts call it.
func (c *itemChange) wantsYes(ids []int64, filter workqueue.ItemFilter) string {
	switch {
	case c.yes || c.DryRun || len(ids) > 0:
		return ""
	case c.all:
		return fmt.Sprintf("--all: %s of all items needs --yes; --dry-run shows how many items match", changeTexts[c.Action].noun)
	case c.Action == workqueue.RunNow && len(filter.Statuses) == 0 && len(filter.States) == 0 && len(filter.Lifecycles) == 0:
		return "got a filter without --status, --lifecycle or --state, which would run every matching finished item again; " +
			"add one, such as --status scheduled,retry, or confirm with --yes; --dry-run shows how many items match"
	}
	return ""
}

// check rejects calls that do not clearly select items.
func (c *itemChange) check(ids []int64, filter workqueue.ItemFilter) error {
	filtered := !isZero(filter)
	switch {
	case len(ids) > 0 && (filtered || c.flags.Deleted):
		return cli.Usagef("got ids and a filter, want one of them")
	case c.NewKey != "" && len(ids) != 1:
		return cli.Usagef("--new-key: got %d ids, want one: each copy needs its own key", len(ids))
	case c.FromStep != "" && len(ids) == 0:
		return cli.Usagef("--from: got no ids, want those of the items that begin at the step; `botwork items run` with a filter lets items go on where they failed")
	case len(ids) > 0 && c.all:
		return cli.Usagef("got ids and --all, want one of them")
	case filtered && c.all:
		return cli.Usagef("got a filter and --all, want one of them")
	case len(ids) == 0 && !filtered && !c.all:
		return cli.Usagef("got no ids and no filter; want the items' ids, a filter such as --queue NAME, or --all")
	case !c.Action.AllowsDeleted() && filter.Deleted():
		return cli.Usagef("--status: got deleted, but deleted items can only be repeated or cloned")
	}
	if wanted := c.wantsYes(ids, filter); wanted != "" {
		return cli.Usagef("%s", wanted)
	}
	return nil
}

// changeEach changes the items one by one. Refusals are reported and do not stop the others.
func (a *command) changeEach(ctx context.Context, store cli.ItemBackend, ids []int64, c workqueue.Change) error {
	refused := false
	c.Batch.Key = workqueue.NewBatchKey()
	longer, stop := batch.WithGrace(ctx, batch.Grace)
	defer stop()
	for _, id := range ids {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var clone int64
		err := batch.RunPart(longer, a.App.App, c.Batch, func(ctx context.Context) (err error) {
			clone, err = store.ChangeItem(ctx, id, c)
			return err
		})
		_, unknown := errors.AsType[*workqueue.UnansweredError](err)
		switch {
		case unknown:
			return fmt.Errorf("it is unknown whether item %d was %s, because the %s did not answer: %w; hint: `botwork items batch %s` shows it",
				id, changeTexts[c.Action].done, a.Answerer(), err, c.Batch.Key)
		case refusesItem(err):
			a.Complain(refusal(id, err))
			refused = true
		case err != nil:
			return err
		case c.DryRun:
			fmt.Fprintf(a.Stdout, "item %d: would be %s\n", id, changeTexts[c.Action].done)
		case c.Action == workqueue.Clone:
			fmt.Fprintf(a.Stdout, "item %d: cloned as item %d\n", id, clone)
		default:
			fmt.Fprintf(a.Stdout, "item %d: %s\n", id, changeTexts[c.Action].done)
		}
	}
	if refused {
		return &cli.ReportedError{Code: cli.ExitFailed}
	}
	return nil
}

// refusal adds the item to an error about new values, which does not name it.
func refusal(id int64, err error) error {
	if bad, ok := errors.AsType[*workqueue.BadUpdateError](err); ok {
		return fmt.Errorf("item %d: refused: %w", id, bad)
	}
	return err
}

// refusesItem reports whether an error is about one item and not about the database.
func refusesItem(err error) bool {
	_, state := errors.AsType[*workqueue.TransitionError](err)
	_, key := errors.AsType[*workqueue.DuplicateError](err)
	_, version := errors.AsType[*workqueue.VersionError](err)
	_, bad := errors.AsType[*workqueue.BadUpdateError](err)
	remote, ok := errors.AsType[*remote.Error](err)
	return state || key || version || bad || ok && remote.RefusesItem() || errors.Is(err, workqueue.ErrNotFound)
}
