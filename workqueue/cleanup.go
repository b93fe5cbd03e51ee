package workqueue

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// CleanUpParams says what housekeeping removes. In a field that may be nil, nil
// never removes; what a queue or an item says of itself holds all the same.
type CleanUpParams struct {
	// Completed and Archived are for items of queues that have no retention,
	// or no archive age, of their own: so long after they finished they go.
	// ArchivedItems is how many archived ones each queue without a limit of its
	// own keeps.
	Completed, Archived *time.Duration
	ArchivedItems       *int

	// Deleted is for logically deleted items, Firings for the records of
	// schedules, Runs for those of system pipelines, Workers for the rows of
	// workers that were not seen since, Durations for what was learned of
	// pipelines, tasks and keys of which nothing has run since, Texts for those of
	// pipelines that no worker has had since.
	Deleted, Firings, Runs, Workers, Durations, Texts *time.Duration

	// Batch is how many rows are removed at a time; 0 means 500, which is the
	// most. For is how long it goes on; 0 means until nothing is left.
	Batch int
	For   time.Duration
}

// cleanRest is how long housekeeping rests behind a batch, in what that took.
const cleanRest = 3

// LeastWorkerAge is the least bound for the rows of workers: a machine that is
// restarted, or down for the night, shall find its own. LeastFiringAge is that for
// records: a process that slept may ask late for an instant that another one has
// run, and only the record refuses it.
const LeastWorkerAge, LeastFiringAge = 24 * time.Hour, 24 * time.Hour

// MaxCleanBatch is the most rows that are removed at a time.
const MaxCleanBatch = 500

// Validate tells everything that is wrong.
func (p CleanUpParams) Validate() error {
	var errs []error
	for _, f := range []struct {
		name string
		age  *time.Duration
	}{
		{"completed", p.Completed}, {"archived", p.Archived}, {"deleted", p.Deleted},
		{"firings", p.Firings}, {"runs", p.Runs}, {"workers", p.Workers}, {"durations", p.Durations}, {"texts", p.Texts},
	} {
		if f.age != nil && *f.age < 0 {
			errs = append(errs, fmt.Errorf("%s: got %s, want 0s or more, or never", f.name, *f.age))
		}
	}
	if p.Workers != nil && *p.Workers >= 0 && *p.Workers < LeastWorkerAge {
		errs = append(errs, fmt.Errorf("workers: got %s, want 24h or more, or never: a worker that is restarted shall find its row", *p.Workers))
	}
	if p.Firings != nil && *p.Firings >= 0 && *p.Firings < LeastFiringAge {
		errs = append(errs, fmt.Errorf("firings: got %s, want 24h or more, or never: without its record an instant could run twice", *p.Firings))
	}
	if p.Texts != nil && *p.Texts >= 0 && *p.Texts < LeastTextAge {
		errs = append(errs, fmt.Errorf("texts: got %s, want 24h or more, or never: a worker notes only every twelve hours that it has one", *p.Texts))
	}
	if p.ArchivedItems != nil && *p.ArchivedItems < 0 {
		errs = append(errs, fmt.Errorf("archivedItems: got %d, want 0 or more, or never", *p.ArchivedItems))
	}
	if p.Batch < 0 || p.Batch > MaxCleanBatch {
		errs = append(errs, fmt.Errorf("batch: got %d, want 1 to %d", p.Batch, MaxCleanBatch))
	}
	if p.For < 0 {
		errs = append(errs, fmt.Errorf("for: got %s, want 0s or more", p.For))
	}
	return errors.Join(errs...)
}

// CleanUpResult counts what was removed.
type CleanUpResult struct {
	Completed int // items whose retention was over, their own or the default
	Archived  int // items beyond an age or a number
	Deleted   int // items
	Keys      int // timed keys that were freed
	Figures   int // rows of statistics that were summed up
	Firings   int
	Runs      int
	Workers   int
	Durations int
	Texts     int
	Batches   int // records of batches, after BatchAge

	// Complete tells that it did not stop early: what is left is little, new, or
	// was locked by somebody.
	Complete bool
}

// chore is one sort of housekeeping: a batch, and where it is counted.
type chore struct {
	batch func(ctx context.Context) (int, error)
	count *int

	// full is the least that a batch comes to while there is much left. What
	// comes in all the time would else keep the chore going for ever, a few rows
	// at a time.
	full int
}

// CleanUpStore is what housekeeping works on.
type CleanUpStore interface {
	HousekeepingStore

	// CompactStatistics is StatisticsStore's.
	CompactStatistics(ctx context.Context, limit int) (taken int, err error)
}

// CleanUp removes what nobody needs any longer, in small batches, each sort in
// its turn, until nothing is left, p.For is over or ctx ends. Behind each batch it
// rests for three times as long as that took: work on the queue has the database for at
// least three quarters of the time. What has been removed stays so however it ends, and the next
// call goes on where this one stopped. A sort that fails does not keep the others
// from being done. The result is right also beside an error.
func CleanUp(ctx context.Context, store CleanUpStore, p CleanUpParams) (CleanUpResult, error) {
	var result CleanUpResult
	if err := p.Validate(); err != nil {
		return result, err
	}
	var until <-chan time.Time
	if p.For > 0 {
		timer := time.NewTimer(p.For)
		defer timer.Stop()
		until = timer.C
	}
	var errs []error
	for left := p.chores(store, &result); len(left) > 0; {
		var again []chore
		for _, c := range left {
			began := time.Now()
			n, err := c.batch(ctx)
			*c.count += n
			switch {
			case ctx.Err() != nil:
				return result, errors.Join(append(errs, ctx.Err())...)
			case err != nil:
				errs = append(errs, err)
			case n >= c.full:
				again = append(again, c)
			}
			if n == 0 {
				continue // it was one look at an index
			}
			select {
			case <-ctx.Done():
				return result, errors.Join(append(errs, ctx.Err())...)
			case <-until:
				return result, errors.Join(errs...)
			case <-time.After(cleanRest * time.Since(began)):
			}
		}
		left = again
	}
	result.Complete = len(errs) == 0
	return result, errors.Join(errs...)
}

// StatisticsBatch is how many rows of statistics are summed up at a time.
const StatisticsBatch = 1000

// chores lists what is to be done.
func (p CleanUpParams) chores(store CleanUpStore, r *CleanUpResult) []chore {
	batch := p.Batch
	if batch == 0 {
		batch = MaxCleanBatch
	}
	// A batch may be short although there is more: it passes over what is locked,
	// and ends early where items have very many attempts.
	full := max(batch/10, 1)
	list := []chore{
		{func(ctx context.Context) (int, error) { return store.RemoveRetained(ctx, batch) }, &r.Completed, full},
		{func(ctx context.Context) (int, error) { return store.RemoveCompleted(ctx, p.Completed, batch) }, &r.Completed, full},
		{func(ctx context.Context) (int, error) { return store.RemoveArchived(ctx, p.Archived, batch) }, &r.Archived, full},
		{func(ctx context.Context) (int, error) { return store.TrimArchives(ctx, p.ArchivedItems, batch) }, &r.Archived, full},
		{func(ctx context.Context) (int, error) { return store.FreeTimedKeys(ctx, batch) }, &r.Keys, full},
		{func(ctx context.Context) (int, error) { return store.CompactStatistics(ctx, StatisticsBatch) }, &r.Figures, StatisticsBatch},
		{func(ctx context.Context) (int, error) { return store.RemoveBatches(ctx, BatchAge, batch) }, &r.Batches, full},
	}
	for _, c := range []struct {
		age   *time.Duration
		batch func(context.Context, time.Duration, int) (int, error)
		count *int
	}{
		{p.Deleted, store.RemoveDeleted, &r.Deleted},
		{p.Firings, store.RemoveFirings, &r.Firings},
		{p.Runs, store.RemoveRuns, &r.Runs},
		{p.Workers, store.RemoveWorkers, &r.Workers},
		{p.Durations, store.RemoveDurations, &r.Durations},
		{p.Texts, store.RemoveTexts, &r.Texts},
	} {
		if c.age != nil {
			list = append(list, chore{func(ctx context.Context) (int, error) { return c.batch(ctx, *c.age, batch) }, c.count, full})
		}
	}
	return list
}
