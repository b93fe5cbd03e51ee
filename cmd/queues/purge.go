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
		Short: "Remove a queue's items for good",
		Long: `Removes the items of a queue for good, with their attempts: finished and deleted
ones, and those that wait or are assigned. Nothing brings them back, also in a
queue that keeps what is deleted. An item that runs is never removed: cancel it
first. The queue itself stays.

--lifecycle keeps it to some of them. Without --yes nothing is removed, and the
command prints the number of items according to the statistics.

Items are removed page by page, the newest first, while workers continue. When it is
interrupted, it prints how many items it has removed; call it again to continue.`,
		Example: "  botwork queues purge invoices --lifecycle completed,archived --yes\n  botwork queues purge test --yes",
		Args:    cli.OneArgument("the queue's name"),
	}
	words := cmd.Flags().StringSlice("lifecycle", nil, "only these `LIFECYCLES`: scheduled, pending, assigned, retry, completed, archived, deleted")
	yes := cmd.Flags().Bool("yes", false, "confirm that the items are to be removed for good")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p := workqueue.PurgeParams{Queue: args[0]}
		var err error
		if cmd.Flags().Changed("lifecycle") && len(*words) == 0 {
			// A variable that a script forgot to set must not mean all items.
			return cli.Usagef("--lifecycle: got nothing, want one or more of %s", strings.Join(purgeWords(), ", "))
		}
		if p.Lifecycles, err = purgeLifecycles(*words); err != nil {
			return err
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
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
			return nil, cli.Usagef("--lifecycle: got active, but an item that runs is never removed: cancel it first")
		}
		lifecycles = append(lifecycles, l)
	}
	return lifecycles, nil
}

// purgeUnconfirmed tells what --yes would do.
func purgeUnconfirmed(ctx context.Context, store cli.Store, p workqueue.PurgeParams) error {
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
	return cli.Usagef("got no --yes, which removing items for good needs; as the statistics have it, %s would go", cli.ItemCount(int(n)))
}

// purge removes page by page until there is nothing left, or ctx ends. A page
// that is under way then is waited for, so that the number is right.
func (a *command) purge(ctx context.Context, store cli.Store, p workqueue.PurgeParams) error {
	longer, stop := batch.Outlive(ctx, batch.Grace)
	defer stop()
	bar := a.NewProgress("remove items", 0)
	p.Batch.Key = workqueue.NewBatchKey()
	removed, err := a.purgePages(ctx, longer, store, p, bar.Add)
	if err == nil {
		bar.Done()
	}
	bar.Stop()
	if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
		return fmt.Errorf("at least %s removed; whether more are is unknown, since the database did not answer: %w; "+
			"hint: repeat the command; `botwork items batch %s` shows what this one removed", cli.ItemCount(removed), err, p.Batch.Key)
	}
	if err != nil {
		return fmt.Errorf("%s removed before: %w", cli.ItemCount(removed), err)
	}
	fmt.Fprintf(a.Stdout, "queue %s: %s removed\n", p.Queue, cli.ItemCount(removed))
	return a.tellRunning(ctx, store, p)
}

// purger is the part of the store that a purge needs.
type purger interface {
	PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (workqueue.PurgeResult, error)
}

func (a *command) purgePages(ctx, longer context.Context, store purger, p workqueue.PurgeParams, removed func(n int)) (total int, err error) {
	for ctx.Err() == nil {
		p.Batch.Part++
		var page workqueue.PurgeResult
		err := batch.Settle(longer, a.App, p.Batch, func(ctx context.Context) (err error) {
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

// runningTold is how many running items are counted.
const runningTold = 100

// tellRunning says what is left because it runs.
func (a *command) tellRunning(ctx context.Context, store cli.Store, p workqueue.PurgeParams) error {
	if p.Lifecycles != nil {
		return nil
	}
	running, err := store.Items(ctx, workqueue.ItemFilter{
		QueueName: p.Queue, Lifecycles: []workqueue.Lifecycle{workqueue.LifeActive}, Limit: runningTold + 1,
	})
	if err != nil {
		return errors.Join(errors.New("look for running items"), err)
	}
	switch n := len(running); {
	case n > runningTold:
		fmt.Fprintf(a.Stdout, "more than %d items run and are left\n", runningTold)
	case n == 1:
		fmt.Fprintln(a.Stdout, "1 item runs and is left")
	case n > 0:
		fmt.Fprintf(a.Stdout, "%d items run and are left\n", n)
	}
	return nil
}
