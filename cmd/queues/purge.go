package queues

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) queuesPurgeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "purge NAME",
		Short: "Permanently remove a queue's items",
		Long: `Permanently removes the items of a queue and their attempts: finished, deleted,
waiting and assigned items. They cannot be restored, even in a queue that keeps
deleted items. A running item is never removed: cancel it first. The queue itself
remains.

--lifecycle selects some of them. Without --yes nothing is removed, and the command
prints the number of items according to the statistics.

Items are removed page by page, the newest first, while workers continue. When it is
interrupted, it prints how many items it has removed; call it again to continue.`,
		Example: "  botwork queues purge invoices --lifecycle completed,archived --yes\n  botwork queues purge test --yes",
		Args:    cli.OneArgument("the queue's name"),
	}
	words := cmd.Flags().StringSlice("lifecycle", nil, "only these `LIFECYCLES`: scheduled, pending, assigned, retry, completed, archived, deleted")
	cli.ReasonFlag(cmd)
	yes := cmd.Flags().Bool("yes", false, "confirm that the items will be permanently removed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p := workqueue.PurgeParams{Queue: args[0]}
		var err error
		if cmd.Flags().Changed("lifecycle") && len(*words) == 0 {
			// An unset variable in a script must not select all items.
			return cli.Usagef("--lifecycle: got nothing, want one or more of %s", strings.Join(purgeWords(), ", "))
		}
		if p.Lifecycles, err = purgeLifecycles(*words); err != nil {
			return err
		}
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
			if _, err := store.Queue(cmd.Context(), p.Queue); err != nil {
				return cli.NoSuchQueue(cmd.Context(), store, p.Queue, err)
			}
			if !*yes {
				return purgeUnconfirmed(cmd.Context(), store, p)
			}
			return a.purge(cmd.Context(), store, p)
		})
	}
	return cmd
}

// purgeWords are the lifecycles whose items may be removed.
func purgeWords() []string {
	var words []string
	for _, l := range purgeable() {
		words = append(words, string(l))
	}
	return words
}

func purgeable() []workqueue.Lifecycle {
	var all []workqueue.Lifecycle
	for _, l := range workqueue.Lifecycles() {
		if l != workqueue.LifeActive {
			all = append(all, l)
		}
	}
	return all
}

func purgeLifecycles(words []string) ([]workqueue.Lifecycle, error) {
	var lifecycles []workqueue.Lifecycle
	for _, word := range words {
		l, err := workqueue.ParseLifecycle(word)
		switch {
		case err != nil:
			return nil, cli.NotOneOf("lifecycle", word, purgeWords())
		case l == workqueue.LifeActive:
			return nil, cli.Usagef("--lifecycle: got active, but a running item is never removed: cancel it first")
		}
		lifecycles = append(lifecycles, l)
	}
	return lifecycles, nil
}

// purgeUnconfirmed returns the error for a call without --yes.
func purgeUnconfirmed(ctx context.Context, store cli.Backend, p workqueue.PurgeParams) error {
	all, err := store.Statistics(ctx, p.Queue)
	if err != nil {
		return err
	}
	lifecycles := p.Lifecycles
	if lifecycles == nil {
		lifecycles = purgeable()
	}
	var n int64
	for _, q := range all {
		for _, l := range lifecycles {
			n += q.Items[l]
		}
	}
	return cli.Usagef("removing items permanently needs --yes; according to the statistics, %s would be removed", cli.ItemCount(int(n)))
}

// purge removes items page by page until none is left or ctx ends. It waits for the current
// page, so that the printed number is correct.
func (a *command) purge(ctx context.Context, store cli.Backend, p workqueue.PurgeParams) error {
	longer, stop := batch.WithGrace(ctx, batch.Grace)
	defer stop()
	bar := a.NewProgress("remove items", 0)
	p.Batch.Key = workqueue.NewBatchKey()
	removed, err := a.purgePages(ctx, longer, store, p, bar.Add)
	if err == nil {
		bar.Done()
	}
	bar.Stop()
	if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
		return fmt.Errorf("at least %s removed; there may be more, because the %s did not answer: %w; %s", cli.ItemCount(removed), a.Answerer(), err, a.afterSilence(p))
	}
	if err != nil {
		return fmt.Errorf("%s removed, then failed: %w", cli.ItemCount(removed), err)
	}
	fmt.Fprintf(a.Stdout, "queue %s: %s removed\n", p.Queue, cli.ItemCount(removed))
	if err := a.reportRunning(ctx, store, p); err != nil {
		a.Complain(err) // what was asked is done
	}
	return nil
}

// afterSilence says what to do when it is unknown how many items were removed.
func (a *command) afterSilence(p workqueue.PurgeParams) string {
	if a.UsesServer() {
		return "hint: repeat the command; `botwork audit list --action queues.purge` shows what this one removed"
	}
	return fmt.Sprintf("hint: repeat the command; `botwork items batch %s` shows what this one removed", p.Batch.Key)
}

// purger is the part of the store that a purge needs.
type purger interface {
	PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (workqueue.PurgeResult, error)
}

func (a *command) purgePages(ctx, longer context.Context, store purger, p workqueue.PurgeParams, removed func(n int)) (total int, err error) {
	for ctx.Err() == nil {
		p.Batch.Part++
		var page workqueue.PurgeResult
		err := batch.RunPart(longer, a.App, p.Batch, func(ctx context.Context) (err error) {
			page, err = store.PurgeQueue(ctx, p)
			return err
		})
		if err != nil {
			return total, err
		}
		total += page.Removed
		removed(page.Removed)
		if page.Next == 0 {
			return total, nil
		}
		p.BeforeID = page.Next
	}
	return total, ctx.Err()
}

// maxRunningCounted is how many running items are counted.
const maxRunningCounted = 100

// reportRunning prints how many running items were not removed.
func (a *command) reportRunning(ctx context.Context, store cli.Backend, p workqueue.PurgeParams) error {
	if p.Lifecycles != nil {
		return nil
	}
	running, err := store.Items(ctx, workqueue.ItemFilter{
		QueueName: p.Queue, Lifecycles: []workqueue.Lifecycle{workqueue.LifeActive}, Limit: maxRunningCounted + 1,
	})
	if err != nil {
		return fmt.Errorf("look for running items that were not removed: %w", err)
	}
	switch n := len(running); {
	case n > maxRunningCounted:
		fmt.Fprintf(a.Stdout, "more than %d running items were not removed\n", maxRunningCounted)
	case n == 1:
		fmt.Fprintln(a.Stdout, "1 running item was not removed")
	case n > 0:
		fmt.Fprintf(a.Stdout, "%d running items were not removed\n", n)
	}
	return nil
}
