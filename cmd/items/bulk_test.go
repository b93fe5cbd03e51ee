package items_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"botwork/cmd/items"

	"botwork/cmd/internal/batch"
	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

// pagedStore answers ChangeItems page by page.
type pagedStore struct {
	workqueue.ItemStore
	workqueue.BatchStore
	page func(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (workqueue.ChangeResult, error)
}

func (s pagedStore) ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (workqueue.ChangeResult, error) {
	return s.page(ctx, f, c)
}

// fullPages answers with pages of 500 items, from id 100,000 on downwards, and
// calls during before it answers the page of that number.
func fullPages(number int, during func(ctx context.Context) error) pagedStore {
	pages := 0
	return pagedStore{page: func(ctx context.Context, f workqueue.ItemFilter, _ workqueue.Change) (workqueue.ChangeResult, error) {
		if f.BeforeID == 0 {
			f.BeforeID = 100_001
		}
		if pages++; pages == number {
			if err := during(ctx); err != nil {
				return workqueue.ChangeResult{Changed: 7}, err
			}
		}
		return workqueue.ChangeResult{Changed: 500, Next: f.BeforeID - 500}, ctx.Err()
	}}
}

// The current page is completed, so that the number is correct.
func TestItemsChangeInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	store := fullPages(2, func(context.Context) error { interrupt(); return nil })
	r := changeMany(ctx, store, workqueue.Cancel)
	r.WantFailure(t, cli.ExitFailed, "botwork: interrupted: 1000 items cancelled; items with ids from 99001 are done, the others are unchanged")
	if r.Stdout != "" {
		t.Errorf("standard output = %q, want nothing", r.Stdout)
	}
}

func TestItemsChangeInterruptedBefore(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	store := fullPages(1, func(context.Context) error { t.Error("a page was started"); return nil })
	changeMany(ctx, store, workqueue.Delete).WantFailure(t, cli.ExitFailed, "botwork: interrupted: no items deleted")
}

// The command does not wait forever for a database that does not answer.
func TestItemsChangeInterruptedWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		store := fullPages(2, func(ctx context.Context) error {
			interrupt()
			<-ctx.Done()
			return ctx.Err()
		})
		began := time.Now()
		r := changeMany(ctx, store, workqueue.Archive)
		r.WantFailure(t, cli.ExitFailed, "botwork: interrupted: at least 507 items archived; items with ids from 99501 are done")
		if took := time.Since(began); took != batch.Grace {
			t.Errorf("it gave the page %s, want %s", took, batch.Grace)
		}
	})
}

func TestItemsChangeFailsHalfway(t *testing.T) {
	away := errors.New("the database is away")
	failing := func(context.Context) error { return away }
	changeMany(t.Context(), fullPages(3, failing), workqueue.Repeat).WantFailure(t, cli.ExitFailed,
		"botwork: at least 1007 items repeated; items with ids from 99001 are done, the others are unchanged: the database is away")
	nothing := pagedStore{page: func(context.Context, workqueue.ItemFilter, workqueue.Change) (workqueue.ChangeResult, error) {
		return workqueue.ChangeResult{}, away
	}}
	changeMany(t.Context(), nothing, workqueue.Repeat).WantFailure(t, cli.ExitFailed, "botwork: the database is away")
}

// The ids of the new items are printed although the rest failed.
func TestItemsCloneFailsHalfway(t *testing.T) {
	store := pagedStore{page: func(_ context.Context, f workqueue.ItemFilter, _ workqueue.Change) (workqueue.ChangeResult, error) {
		if f.BeforeID == 0 {
			return workqueue.ChangeResult{Changed: 2, Clones: []int64{11, 12}, Next: 9}, nil
		}
		return workqueue.ChangeResult{Changed: 1, Clones: []int64{13}}, errors.New("the database is away")
	}}
	r := changeMany(t.Context(), store, workqueue.Clone)
	r.WantFailure(t, cli.ExitFailed, "at least 3 items cloned; items with ids from 9 are done")
	if want := "new item 11\nnew item 12\nnew item 13\n"; r.Stdout != want {
		t.Errorf("standard output = %q, want %q", r.Stdout, want)
	}
}

// A dry run counts only up to a bound.
func TestItemsDryRunIsBounded(t *testing.T) {
	for _, c := range []struct {
		there, bound, wantN int
		wantMore            bool
	}{
		{0, 20, 0, false}, {8, 20, 8, false}, {19, 20, 19, false}, {20, 20, 20, false}, {21, 20, 20, true}, {1000, 20, 20, true},
	} {
		listed := 0
		store := pagedStore{page: func(_ context.Context, f workqueue.ItemFilter, change workqueue.Change) (workqueue.ChangeResult, error) {
			if !change.DryRun {
				t.Error("the dry run changed a page")
			}
			if f.BeforeID == 0 {
				f.BeforeID = int64(c.there) + 1
			}
			limit := min(f.Limit, 8) // as the store bounds its pages
			r := workqueue.ChangeResult{Changed: min(limit, int(f.BeforeID)-1)}
			if listed += r.Changed; r.Changed == limit {
				r.Next = f.BeforeID - int64(limit)
			}
			return r, nil
		}}
		n, more, err := items.CountChanges(t.Context(), store, workqueue.Change{Action: workqueue.Cancel, DryRun: true}, c.bound)
		if err != nil || n != c.wantN || more != c.wantMore {
			t.Errorf("of %d items it counted %d, more %t, %v, want %d, %t", c.there, n, more, err, c.wantN, c.wantMore)
		}
		if listed > c.bound+1 {
			t.Errorf("of %d items it listed %d, want no more than %d", c.there, listed, c.bound+1)
		}
	}
}

func changeMany(ctx context.Context, store items.ItemChanger, action workqueue.Action) clitest.Result {
	code, stdout, stderr := items.ChangeMany(ctx, store, action)
	return clitest.Result{Code: code, Stdout: stdout, Stderr: stderr}
}
