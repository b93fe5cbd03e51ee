package workqueue

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// CleanUpParams says what housekeeping removes. In a field that may be nil, nil
// removes nothing by that default; a bound that a queue or an item has of its own
// still applies.
type CleanUpParams struct {
	// Completed and Archived apply to items of queues that have no retention, or no
	// archive age, of their own: items are removed that long after they finished.
	// ArchivedItems is the number of archived items that each queue without a limit
	// of its own keeps.
	Completed, Archived *time.Duration
	ArchivedItems       *int

	// Deleted is for logically deleted items, Firings for the records of schedules,
	// Runs for those of system pipelines, Workers for the rows of workers that were
	// not seen since, Durations for the learned durations of pipelines, tasks and
	// keys that have not run since, Texts for the texts of pipelines that no worker
	// has had since, Forecasts for recorded forecasts, Audit for the entries of the audit log.
	Deleted, Firings, Runs, Workers, Durations, Texts, Forecasts, Audit *time.Duration

	// Batch is how many rows are removed at a time; 0 means 500, which is also the
	// maximum. For is the time limit of the clean-up; 0 means until nothing is left.
	Batch int
	For   time.Duration
}

// cleanRest is how long housekeeping pauses after a batch, as a multiple of the
// batch's duration.
const cleanRest = 3

// LeastWorkerAge is the lower bound of Workers, so that a machine that restarts, or
// is off overnight, finds its row. LeastFiringAge is the lower bound of Firings: a
// process that was suspended may ask late for a planned time that another process has
// run, and only the record prevents a second run.
const LeastWorkerAge, LeastFiringAge = 24 * time.Hour, 24 * time.Hour

// MaxCleanBatch is the maximum number of rows that are removed at a time.
const MaxCleanBatch = 500

// Validate returns all faults at once.
func (p CleanUpParams) Validate() error {
	var errs []error
	for _, f := range []struct {
		name string
		age  *time.Duration
	}{
		{"completed", p.Completed}, {"archived", p.Archived}, {"deleted", p.Deleted},
		{"firings", p.Firings}, {"runs", p.Runs}, {"workers", p.Workers}, {"durations", p.Durations}, {"texts", p.Texts}, {"forecasts", p.Forecasts}, {"audit", p.Audit},
	} {
		if f.age != nil && *f.age < 0 {
			errs = append(errs, fmt.Errorf("%s: got %s, want 0s or more, or never", f.name, *f.age))
		}
	}
	if p.Workers != nil && *p.Workers >= 0 && *p.Workers < LeastWorkerAge {
		errs = append(errs, fmt.Errorf("workers: got %s, want 24h or more, or never: a worker that restarts must find its row", *p.Workers))
	}
	if p.Firings != nil && *p.Firings >= 0 && *p.Firings < LeastFiringAge {
		errs = append(errs, fmt.Errorf("firings: got %s, want 24h or more, or never: without its record a planned time could run twice", *p.Firings))
	}
	if p.Texts != nil && *p.Texts >= 0 && *p.Texts < LeastTextAge {
		errs = append(errs, fmt.Errorf("texts: got %s, want 24h or more, or never: a worker records only every twelve hours that it has a text", *p.Texts))
	}
	if p.Audit != nil && *p.Audit >= 0 && *p.Audit < LeastAuditAge {
		errs = append(errs, fmt.Errorf("audit: got %s, want 24h or more, or never: a command that is at work adds to its entry", *p.Audit))
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
	Completed int // items whose retention, their own or the default, had passed
	Archived  int // items beyond an age or a number
	Deleted   int // items
	Keys      int // keys freed because their time had passed
	Steps     int // records of steps of items that have ended
	Figures   int // rows of statistics that were combined
	Firings   int
	Runs      int
	Workers   int
	Durations int
	Texts     int
	Forecasts int
	Audit     int // entries of the audit log, and their items
	Batches   int // records of batches, after BatchAge
	Access    int // sessions, sign-in links, tokens and answers of the API that have ended

	// Complete is set if the clean-up did not stop early: the rest is small, new, or
	// was locked by another process.
	Complete bool
}

// chore is one kind of housekeeping: a batch, and where its rows are counted.
type chore struct {
	batch func(ctx context.Context) (int, error)
	count *int

	// full is the smallest result of a batch that may have more to remove. Without
	// it, rows that arrive all the time would keep the chore going forever, a few at
	// a time.
	full int
}

// CleanUpStore is what CleanUp needs of a store.
type CleanUpStore interface {
	HousekeepingStore

	// CompactStatistics is as in StatisticsStore.
	CompactStatistics(ctx context.Context, limit int) (taken int, err error)

	// CleanAccess is as in access.Cleaner.
	CleanAccess(ctx context.Context, limit int) (removed int, err error)
}

// CleanUp removes rows that are no longer needed, in small batches, one kind after
// another in turn, until nothing is left, p.For has passed or ctx ends. After each
// batch it pauses for three times the batch's duration, so that other work has the
// database for at least three quarters of the time. Removed rows stay removed however
// the clean-up ends, and the next call continues where this one stopped. If one kind
// fails, the others are still processed. The result is valid even if there is an
// error.
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
				continue // it was a single index lookup
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

// StatisticsBatch is how many rows of statistics are combined at a time.
const StatisticsBatch = 1000

// chores lists the kinds of housekeeping to do.
func (p CleanUpParams) chores(store CleanUpStore, r *CleanUpResult) []chore {
	batch := p.Batch
	if batch == 0 {
		batch = MaxCleanBatch
	}
	// A batch may be short although there is more: it skips locked rows, and ends
	// early if items have very many attempts.
	full := max(batch/10, 1)
	list := []chore{
		{func(ctx context.Context) (int, error) { return store.RemoveSteps(ctx, batch) }, &r.Steps, full},
		{func(ctx context.Context) (int, error) { return store.RemoveRetained(ctx, batch) }, &r.Completed, full},
		{func(ctx context.Context) (int, error) { return store.RemoveCompleted(ctx, p.Completed, batch) }, &r.Completed, full},
		{func(ctx context.Context) (int, error) { return store.RemoveArchived(ctx, p.Archived, batch) }, &r.Archived, full},
		{func(ctx context.Context) (int, error) { return store.TrimArchives(ctx, p.ArchivedItems, batch) }, &r.Archived, full},
		{func(ctx context.Context) (int, error) { return store.FreeTimedKeys(ctx, batch) }, &r.Keys, full},
		{func(ctx context.Context) (int, error) { return store.CompactStatistics(ctx, StatisticsBatch) }, &r.Figures, StatisticsBatch},
		{func(ctx context.Context) (int, error) { return store.RemoveBatches(ctx, BatchAge, batch) }, &r.Batches, full},
		{func(ctx context.Context) (int, error) { return store.CleanAccess(ctx, batch) }, &r.Access, full},
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
		{p.Forecasts, store.RemoveForecasts, &r.Forecasts},
		{p.Audit, store.RemoveAudit, &r.Audit},
	} {
		if c.age != nil {
			list = append(list, chore{func(ctx context.Context) (int, error) { return c.batch(ctx, *c.age, batch) }, c.count, full})
		}
	}
	return list
}
