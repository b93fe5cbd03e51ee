package report

import (
	"context"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// The bounds of what a report reads: failed attempts, and failed items, of each stretch; runs.
const (
	mostFailures = 50_000
	mostRuns     = 10_000
)

// Store is what a report reads.
type Store interface {
	workqueue.FailureStore
	workqueue.AuditStore

	Queues(ctx context.Context) ([]workqueue.Queue, error)
	Queue(ctx context.Context, name string) (workqueue.Queue, error)
	Workers(ctx context.Context) ([]workqueue.Worker, error)
	Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error)
	Firings(ctx context.Context, f workqueue.FiringFilter) ([]workqueue.Firing, error)
	RunRequests(ctx context.Context, f workqueue.RequestFilter) ([]workqueue.RunRequest, error)
	Statistics(ctx context.Context, queue string) ([]workqueue.QueueStatistics, error)
	ReadUnlocked(ctx context.Context, read func(ctx context.Context, view workqueue.AssignView) error) error
	Now(ctx context.Context) (time.Time, error)
}

// builder makes one report.
type builder struct {
	Params
	store  Store
	report *Report
	queues []string

	most int // failures of each sort; tests set a small one
}

// Make reads a report. An unknown queue is workqueue.ErrNotFound.
func Make(ctx context.Context, store Store, p Params) (*Report, error) {
	return (&builder{Params: p, store: store, most: mostFailures}).make(ctx)
}

func (b *builder) make(ctx context.Context) (*Report, error) {
	now, err := b.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	if b.Until.IsZero() {
		b.Until = now
	}
	if b.Zone == nil {
		b.Zone = time.UTC
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	b.report = &Report{
		Since: b.Since.UTC(), Until: b.Until.UTC(), Queue: b.Queue, Pipeline: b.Pipeline,
		Workers: []Worker{}, Queues: []Queue{}, Bounds: []string{}, zone: b.Zone,
	}
	b.report.BeforeSince, b.report.BeforeUntil = b.dayBefore()
	b.report.BeforeSince, b.report.BeforeUntil = b.report.BeforeSince.UTC(), b.report.BeforeUntil.UTC()
	if err := b.readQueues(ctx); err != nil {
		return nil, err
	}
	lost, err := b.readFailures(ctx)
	if err != nil {
		return nil, err
	}
	workers, err := b.store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	b.report.Workers = lostWorkers(workers, lost, b.Since, b.Until, now)
	if err := b.readRuns(ctx, workers, now); err != nil {
		return nil, err
	}
	return b.report, nil
}

// readFailures reads both stretches, and returns the attempts of this one that ended because
// their worker died.
func (b *builder) readFailures(ctx context.Context) (lost []workqueue.Failure, err error) {
	present, before := newTally(), newTally()
	lost, complete, err := b.readStretch(ctx, present, b.Since, b.Until)
	if err != nil {
		return nil, err
	}
	if complete {
		if _, complete, err = b.readStretch(ctx, before, b.report.BeforeSince, b.report.BeforeUntil); err != nil {
			return nil, err
		}
	}
	err = b.readDeleted(ctx, func(f *workqueue.Failure) {
		if within(f, b.Since, b.Until) {
			present.addDeleted(f)
		} else if within(f, b.report.BeforeSince, b.report.BeforeUntil) {
			before.addDeleted(f)
		}
	})
	if err != nil {
		return nil, err
	}
	if !complete {
		b.bound(true, "the day before: there were too many failures to compare")
		before = nil
	}
	b.report.Failed, b.report.Failures, b.report.Gone = present.compare(before)
	return lost, nil
}

// readStretch adds the failures of one stretch. It is complete unless there were more than the
// bound.
func (b *builder) readStretch(ctx context.Context, t *tally, since, until time.Time) (lost []workqueue.Failure, complete bool, err error) {
	f := workqueue.FailureFilter{Since: since, Until: until}
	from, err := b.readPages(ctx, []workqueue.FailureFilter{f}, func(one *workqueue.Failure) {
		switch {
		case one.Rescued:
			lost = append(lost, *one)
		case failed(one):
			t.add(one, false)
		}
	})
	if err != nil {
		return nil, false, err
	}
	cut := !from.IsZero()
	if cut && since.Equal(b.Since) {
		b.bound(true, "failed attempts: only the latest %s were read, from %s on; narrow --since and --until", thousands(b.most), b.instant(from))
	}
	filters := make([]workqueue.FailureFilter, len(b.queues))
	for i, queue := range b.queues {
		filters[i] = workqueue.FailureFilter{Ended: true, Queue: queue, Since: since, Until: until}
	}
	from, err = b.readPages(ctx, filters, func(one *workqueue.Failure) {
		if failed(one) {
			t.add(one, true)
		}
	})
	if !from.IsZero() && since.Equal(b.Since) {
		b.bound(true, "failed items: only the latest %s were read, from about %s on; narrow --since and --until, or give --queue", thousands(b.most), b.instant(from))
	}
	return lost, !cut && from.IsZero(), err
}

// readPages reads the pages of each filter in turn, so that one queue with many failures does not
// hide the others, and calls use for the failures that the report is about. from is the time up to
// which it got if it reached the bound, else zero.
func (b *builder) readPages(ctx context.Context, filters []workqueue.FailureFilter, use func(*workqueue.Failure)) (from time.Time, err error) {
	for read := 0; len(filters) > 0; {
		share := min(workqueue.MaxFailures, max((b.most-read)/len(filters), 1))
		var open []workqueue.FailureFilter
		for _, f := range filters {
			f.Limit = share
			page, err := b.store.Failures(ctx, f)
			if err != nil {
				return time.Time{}, err
			}
			if len(page) > 0 && read >= b.most {
				return f.Until, nil
			}
			read += len(page)
			for i := range page {
				one := &page[i]
				if (b.Queue == "" || one.Queue == b.Queue) && (b.Pipeline == "" || one.Pipeline == b.Pipeline) {
					use(one)
				}
			}
			if len(page) == f.Limit {
				last := page[len(page)-1]
				f.Until, f.BeforeID = last.At, last.ID
				open = append(open, f)
			}
		}
		filters = open
	}
	return time.Time{}, nil
}

// instant writes a time of the report.
func (b *builder) instant(at time.Time) string { return at.In(b.Zone).Format("2006-01-02 15:04:05") }

// readQueues reads the names of the queues and the state of their limits.
func (b *builder) readQueues(ctx context.Context) error {
	if b.Queue == "" {
		queues, err := b.store.Queues(ctx)
		if err != nil {
			return err
		}
		for i := range queues {
			b.queues = append(b.queues, queues[i].Name)
		}
	} else {
		if _, err := b.store.Queue(ctx, b.Queue); err != nil { // ErrNotFound for an unknown queue
			return fmt.Errorf("queue %q: %w", b.Queue, err)
		}
		b.queues = []string{b.Queue}
	}
	var uses []workqueue.LimitUse
	err := b.store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) (err error) {
		uses, err = view.LimitUses(ctx)
		return err
	})
	if err != nil || !slices.ContainsFunc(uses, atLimit) {
		return err // statistics count all waiting items, and are read only if needed
	}
	statistics, err := b.store.Statistics(ctx, b.Queue)
	if err != nil {
		return err
	}
	b.report.Queues = queuesAtLimit(uses, statistics)
	return nil
}
