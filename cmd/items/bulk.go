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

// itemChanger is the part of the store that changes items.
type itemChanger interface {
	workqueue.ItemStore
	workqueue.BatchStore
}

// changeMany changes all items that match a filter, and prints and returns their number.
func (a *command) changeMany(ctx context.Context, store itemChanger, filter workqueue.ItemFilter, c workqueue.Change) (int, error) {
	done := changeTexts[c.Action].done
	if c.DryRun {
		n, more, err := countChanges(ctx, store, filter, c, dryRunBound)
		switch {
		case err != nil:
			return n, err
		case more:
			fmt.Fprintf(a.Stdout, "more than %d items would be %s\n", n, done)
		default:
			fmt.Fprintf(a.Stdout, "%s would be %s\n", cli.ItemCount(n), done)
		}
		return n, nil
	}
	bar := a.NewProgress(string(c.Action)+" items", 0)
	c.Batch.Key = workqueue.NewBatchKey()
	r, err := a.changePages(ctx, store, filter, c, bar.Add)
	if err == nil {
		bar.Done()
	}
	bar.Stop()
	for _, id := range r.clones {
		fmt.Fprintf(a.Stdout, "new item %d\n", id)
	}
	if err != nil {
		return r.changed, r.broken(done, c.Batch.Key, err)
	}
	fmt.Fprintf(a.Stdout, "%s %s\n", cli.ItemCount(r.changed), done)
	if r.refused > 0 {
		fmt.Fprintf(a.Stdout, "%s skipped, because the new values do not fit; for example item %d: %v\n", cli.ItemCount(r.refused), r.refusal.ItemID, r.refusal)
	}
	if r.keysTaken > 0 {
		fmt.Fprintf(a.Stdout, "%s skipped: another item has the same unique key\n", cli.ItemCount(r.keysTaken))
	}
	return r.changed, nil
}

// bulkResult is the progress of a change of many items.
type bulkResult struct {
	changed int
	clones  []int64

	// keysTaken counts the items that were skipped because another item has their key.
	keysTaken int

	// refused counts the items that were skipped because they cannot have the new values; refusal
	// is the reason for one of them.
	refused int
	refusal *workqueue.BadUpdateError

	// from is the smallest id of the finished pages; 0 if there are none.
	from int64

	// cut is true if a page was interrupted, so that more items may have been changed than were
	// reported.
	cut bool
}

// broken adds the progress before the failure to err.
func (r bulkResult) broken(done, batch string, err error) error {
	if _, unknown := errors.AsType[*workqueue.UnansweredError](err); unknown {
		return fmt.Errorf("at least %s %s; there may be more, because the database did not answer: %w; hint: `botwork items batch %s` shows it",
			cli.ItemCount(r.changed), done, err, batch)
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
		if done.refused += page.Refused; done.refusal == nil {
			done.refusal = page.Refusal
		}
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
func (a *command) changePage(ctx context.Context, store workqueue.ItemStore, filter workqueue.ItemFilter, c workqueue.Change) (page workqueue.ChangeResult, asked bool, err error) {
	calls := 0
	err = batch.RunPart(ctx, a.App, c.Batch, func(ctx context.Context) error {
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
	r.changed, r.clones = 0, nil
	return store.EachBatchRecord(ctx, key, func(part workqueue.BatchRecord) error {
		r.changed += part.Items
		r.clones = append(r.clones, part.Clones...)
		return nil
	})
}

// countChanges counts the items that a dry run would change, up to a bound; more reports
// whether there are others.
func countChanges(ctx context.Context, store workqueue.ItemStore, filter workqueue.ItemFilter, c workqueue.Change, bound int) (n int, more bool, err error) {
	for {
		filter.Limit = bound + 1 - n
		page, err := store.ChangeItems(ctx, filter, c)
		if n += page.Changed; err != nil || n > bound {
			return min(n, bound), n > bound, err
		}
		if page.Next == 0 {
			return n, false, nil
		}
		filter.BeforeID = page.Next
	}
}

// isZero reports whether a filter matches all items.
func isZero(filter workqueue.ItemFilter) bool { return reflect.ValueOf(filter).IsZero() }
