package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.StatisticsStore = (*statisticsStore)(nil)

// statisticsStore reads the statistics, compacts them and compares them with the items.
type statisticsStore struct {
	*connection
	*bookkeeping
	*auditing
	*queueStore
}

var statWindows = workqueue.StatisticsWindows()

// Statistics implements workqueue.StatisticsStore.
func (s *statisticsStore) Statistics(ctx context.Context, queue string) ([]workqueue.QueueStatistics, error) {
	var all []workqueue.QueueStatistics
	err := s.retry(ctx, "read the statistics", func() (err error) {
		all, err = s.statistics(ctx, queue)
		return err
	})
	return all, err
}

func (s *statisticsStore) statistics(ctx context.Context, only string) ([]workqueue.QueueStatistics, error) {
	queues, err := s.queuesForStatistics(ctx, only)
	if err != nil {
		return nil, err
	}
	now, err := s.clock(ctx, s.readers)
	if err != nil {
		return nil, err
	}
	since := windowsSince(now)
	all := make([]workqueue.QueueStatistics, len(queues))
	of := map[string]*workqueue.QueueStatistics{}
	for i := range queues {
		all[i] = workqueue.NewQueueStatistics(queues[i].Name, now, since)
		of[queues[i].Name] = &all[i]
	}
	find := func(name string) *workqueue.QueueStatistics {
		if q := queueOf(queues, name); q != nil {
			return of[q.Name]
		}
		return nil // created after the queues were read, or not asked for
	}
	statement, v := "stat_read", values{}
	for i, at := range since {
		v[fmt.Sprintf("since_%d", i+1)] = s.engine.timeArg(at)
	}
	if only != "" {
		statement, v["queue"] = "stat_read_queue", queues[0].Name
	}
	rows, err := s.reading.query(ctx, s.readers, statement, v)
	if err != nil {
		return nil, err
	}
	if err := readKept(rows, find); err != nil {
		return nil, err
	}
	if rows, err = s.reading.query(ctx, s.readers, "stat_unfinished", values{"now": s.engine.timeArg(now)}); err != nil {
		return nil, err
	}
	if err := readUnfinished(rows, find); err != nil {
		return nil, err
	}
	for i := range all {
		all[i].ComputeWindows()
	}
	return all, nil
}

// queuesForStatistics reads the queues that the caller asks for. Those of all queues come without their robots.
func (s *statisticsStore) queuesForStatistics(ctx context.Context, only string) ([]workqueue.Queue, error) {
	orm := s.listing.WithContext(ctx)
	if only == "" {
		return bareQueues(orm)
	}
	queue, err := s.queueByName(orm, only)
	if err != nil {
		return nil, fmt.Errorf("queue %q: %w", only, err)
	}
	return []workqueue.Queue{queue}, nil
}

// readKept adds the recorded statistics of ended items.
func readKept(rows *sql.Rows, find func(string) *workqueue.QueueStatistics) error {
	return eachRow(rows, func() error {
		var name string
		var kind statKind
		var age, bucket int
		var sums statSums
		if err := rows.Scan(&name, &kind, &age, &bucket, &sums.events, &sums.level, &sums.tookMs); err != nil {
			return err
		}
		q := find(name)
		if q == nil {
			return nil
		}
		switch kind {
		case statCompleted:
			q.States[workqueue.Processed.String()] += sums.level
		case statArchived:
			q.States[workqueue.Cancelled.String()] += sums.level
		}
		if kind != statFailed {
			q.Items[workqueue.Lifecycle(kind)] += sums.level
		}
		for i := range q.Windows[min(age, len(q.Windows)):] { // a longer window includes the shorter ones
			w := &q.Windows[age+i]
			switch kind {
			case statCompleted:
				w.Complete(bucket, sums.events, sums.tookMs)
			case statFailed:
				w.Failed += sums.events
			case statArchived:
				w.Archived += sums.events
			case statDeleted:
				w.Deleted += sums.events
			}
		}
		return nil
	})
}

// readUnfinished adds the items that have not ended. What is due is decided by the clock that the statement used.
func readUnfinished(rows *sql.Rows, find func(string) *workqueue.QueueStatistics) error {
	return eachRow(rows, func() error {
		var name string
		var waiting, pending, due, retry, assigned, running int64
		var oldest database.Time
		if err := rows.Scan(&name, &waiting, &pending, &due, &retry, &oldest, &assigned, &running); err != nil {
			return err
		}
		q := find(name)
		if q == nil {
			return nil
		}
		q.States[workqueue.Ready.String()] += waiting - pending
		q.States[workqueue.Pending.String()] += pending
		q.States[workqueue.Assigned.String()] += assigned
		q.States[workqueue.Blocked.String()] += running
		q.Items[workqueue.LifePending] += due
		q.Items[workqueue.LifeRetry] += retry
		q.Items[workqueue.LifeScheduled] += waiting - due - retry
		q.Items[workqueue.LifeAssigned] += assigned
		q.Items[workqueue.LifeActive] += running
		if due > 0 && oldest.Valid {
			q.Waits(oldest.Time)
		}
		return nil
	})
}
