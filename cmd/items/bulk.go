package items

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// dryRunBound is the highest number that a dry run counts.
const dryRunBound = 100_000

// itemChanger changes many items, and records it.
type itemChanger interface {
	workqueue.BatchStore
	manyChanger
}

// manyChanger changes the items of a filter.
type manyChanger interface {
	ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (workqueue.ChangeResult, error)
}

// changeMany changes all items that match a filter, and prints their number. It returns the number
// of items that matched and could be changed, if it were not for their new values.
func (a *command) changeMany(ctx context.Context, store itemChanger, filter workqueue.ItemFilter, c workqueue.Change) (int, error) {
	done := changeTexts[c.Action].done
	if c.DryRun {
		r, more, err := a.countChanges(ctx, store, filter, c, dryRunBound)
		a.noteUnreadable(r.unreadable)
		switch {
		case err != nil:
			return r.changed, err
		case more:
			fmt.Fprintf(a.Stdout, "more than %d items would be %s\n", r.changed, done)
		default:
			fmt.Fprintf(a.Stdout, "%s would be %s\n", cli.ItemCount(r.changed), done)
		}
		if r.refused > 0 {
			fmt.Fprintf(a.Stdout, "%s would be skipped, because the new values do not fit\n", cli.ItemCount(r.refused))
		}
		return r.changed + r.refused, nil
	}
	bar := a.NewProgress(string(c.Action)+" items", 0)
	c.Batch.Key = workqueue.NewBatchKey()
	r, err := a.changePages(ctx, store, filter, c, bar.Add)
	if err == nil {
		bar.Done()
	}
	bar.Stop()
	a.noteUnreadable(r.unreadable)
	for _, id := range r.clones {
		fmt.Fprintf(a.Stdout, "new item %d\n", id)
	}
	if err != nil {
		return r.changed, r.broken(done, c.Batch.Key, a.Answerer(), err)
	}
	fmt.Fprintf(a.Stdout, "%s %s\n", cli.ItemCount(r.changed), done)
	if r.refused > 0 {
		fmt.Fprintf(a.Stdout, "%s skipped, because the new values do not fit\n", cli.ItemCount(r.refused))
	}
	if r.keysTaken > 0 {
		fmt.Fprintf(a.Stdout, "%s skipped: another item has the same unique key\n", cli.ItemCount(r.keysTaken))
	}
	return r.changed + r.refused, nil
}

// refusalsShown is how many refused items a change of many items prints.
const refusalsShown = 100

// noteRefusals prints items that were refused, after earlier ones.
func (a *command) noteRefusals(refused []*workqueue.BadUpdateError, earlier int) {
	for i, bad := range refused {
		switch n := earlier + i; {
		case n < refusalsShown:
			a.Complain(refusal(bad.ItemID, bad))
		case n == refusalsShown:
			fmt.Fprintln(a.Stderr, "more items were refused; they are counted, but not listed")
		}
	}
}

// bulkResult is the progress of a change of many items.
type bulkResult struct {
	changed int
	clones  []int64

	// keysTaken counts the items that were skipped because another item has their key.
	keysTaken int

	// refused counts the items that were skipped because they cannot have the new values.
	refused int

	// unreadable counts the items that a search by payload could not read.
	unreadable int

	// from is the smallest id of the finished pages; 0 if there are none.
	from int64

	// cut is true if a page was interrupted, so that more items may have been changed than were
	// reported.
	cut bool
}

// broken adds the progress before the failure to err.
func (r bulkResult) broken(done, batch, answerer string, err error) error {
	if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
		return fmt.Errorf("at least %s %s; there may be more, because the %s did not answer: %w; hint: `botwork items batch %s` shows it",
			cli.ItemCount(r.changed), done, answerer, err, batch)
	}
	if r.cut && r.changed == 0 && r.from == 0 {
		return err
	}
	said := cli.ItemCount(r.changed) + " " + done
	if r.cut {
		said = "at least " + said
	}
	if r.from > 0 {
		said += fmt.Sprintf("; items with ids from %d are done, the others are unchanged", r.from)
	}
	return fmt.Errorf("%s: %w", said, err)
}

// changePages changes items page by page until there are no more, or ctx ends. It waits for
// the current page, so that the number is correct.
func (a *command) changePages(ctx context.Context, store itemChanger, filter workqueue.ItemFilter, c workqueue.Change, changed func(n int)) (bulkResult, error) {
	longer, stop := batch.WithGrace(ctx, batch.Grace)
	defer stop()
	var done bulkResult
	for ctx.Err() == nil {
		c.Batch.Part++
		page, asked, err := a.changePage(longer, store, filter, c)
		done.changed += page.Changed
		done.keysTaken += page.KeysTaken
		done.unreadable += page.Unreadable
		a.noteRefusals(page.Refusals, done.refused)
		done.refused += len(page.Refusals)
		done.clones = append(done.clones, page.Clones...)
		changed(page.Changed)
		if err == nil && asked {
			err = done.recount(longer, store, c.Batch.Key)
		}
		if err != nil {
			done.cut = true
			return done, err
		}
		if page.Next == 0 {
			return done, nil
		}
		done.from, filter.BeforeID = page.Next, page.Next
	}
	return done, ctx.Err()
}

// changePage changes a page, and looks up the outcome if the answer is lost. In that case
// asked is true, and page may lack items that a call without an answer has changed.
func (a *command) changePage(ctx context.Context, store manyChanger, filter workqueue.ItemFilter, c workqueue.Change) (page workqueue.ChangeResult, asked bool, err error) {
	calls := 0
	err = batch.RunPart(ctx, a.App.App, c.Batch, func(ctx context.Context) error {
		calls++
		got, err := store.ChangeItems(ctx, filter, c)
		if got.Top > 0 {
			filter.BeforeID = got.Top // a repeated page does not include items that were created meanwhile, such as clones
		}
		if err == nil || got.Changed > page.Changed {
			page = got
		}
		return err
	})
	return page, calls > 1, err
}

// recount sets the number of changed items to the number recorded for the batch.
func (r *bulkResult) recount(ctx context.Context, store workqueue.BatchStore, key string) error {
	// An interrupted command also reports what it has done.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batch.Grace)
	defer cancel()
	changed, clones := 0, []int64(nil)
	err := store.EachBatchRecord(ctx, key, func(part workqueue.BatchRecord) error {
		changed += part.Items
		clones = append(clones, part.Clones...)
		return nil
	})
	if err == nil {
		r.changed, r.clones = changed, clones
	}
	return err
}

// countChanges counts the items that a dry run would change, up to a bound, and prints those that
// would be refused; more reports whether there are others.
func (a *command) countChanges(ctx context.Context, store manyChanger, filter workqueue.ItemFilter, c workqueue.Change, bound int) (r bulkResult, more bool, err error) {
	for {
		filter.Limit = bound + 1 - r.changed
		page, err := store.ChangeItems(ctx, filter, c)
		a.noteRefusals(page.Refusals, r.refused)
		r.refused += len(page.Refusals)
		r.unreadable += page.Unreadable
		if r.changed += page.Changed; err != nil || r.changed > bound {
			more = r.changed > bound
			r.changed = min(r.changed, bound)
			return r, more, err
		}
		if page.Next == 0 {
			return r, false, nil
		}
		filter.BeforeID = page.Next
	}
}

// isZero reports whether a filter matches all items.
func isZero(filter workqueue.ItemFilter) bool { return reflect.ValueOf(filter).IsZero() }
