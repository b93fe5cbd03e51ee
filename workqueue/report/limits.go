package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// Queue is a queue whose limits are used up while items wait, or that is above its limits. It
// is what holds when the report is made: the past use of limits is not kept.
type Queue struct {
	Queue string `json:"queue"`

	// Held are items that are assigned or running, Started those that started in the period of
	// the rate; the limits are 0 for none.
	Held        int            `json:"held"`
	Concurrency int            `json:"concurrencyLimit"`
	Started     int            `json:"started"`
	Rate        workqueue.Rate `json:"rateLimit"`

	// FullKeys is the number of limit keys whose limits are used up.
	FullKeys int `json:"fullKeys"`

	Waiting  int64      `json:"waiting"`  // due items
	OldestAt *time.Time `json:"oldestAt"` // when the oldest of them became due; null for none
}

// fullKeys returns the number of limit keys whose limits are used up.
func fullKeys(u *workqueue.LimitUse) (n int) {
	for _, use := range u.Keys {
		if use.LimitReached(u.Limits.KeyConcurrency, u.Limits.KeyRate.Limit) {
			n++
		}
	}
	return n
}

// atLimit reports whether a limit of the queue is used up.
func atLimit(u workqueue.LimitUse) bool {
	return u.Use.LimitReached(u.Limits.Concurrency, u.Limits.Rate.Limit) || fullKeys(&u) > 0
}

// queuesAtLimit returns the queues that the report names.
func queuesAtLimit(uses []workqueue.LimitUse, statistics []workqueue.QueueStatistics) []Queue {
	list := []Queue{}
	for i := range uses {
		u := &uses[i]
		at := slices.IndexFunc(statistics, func(q workqueue.QueueStatistics) bool { return q.Queue == u.Queue })
		if at < 0 || !atLimit(*u) {
			continue
		}
		s := &statistics[at]
		q := Queue{
			Queue: u.Queue, Held: u.Use.Held, Concurrency: u.Limits.Concurrency, Started: u.Use.Started, Rate: u.Limits.Rate,
			FullKeys: fullKeys(u), Waiting: s.Items[workqueue.LifePending], OldestAt: s.OldestDueAt,
		}
		above := q.Concurrency > 0 && q.Held > q.Concurrency || q.Rate.Limit > 0 && q.Started > q.Rate.Limit
		if q.Waiting > 0 || above {
			list = append(list, q)
		}
	}
	return list
}

// Worker is a worker that died: its process ended without stopping, or could not reach the
// database any more.
type Worker struct {
	Name string `json:"name"`
	Host string `json:"host"`

	// Gone is set if the worker has not come back.
	Gone       bool       `json:"gone"`
	LastSeenAt *time.Time `json:"lastSeenAt"` // null: its row is gone

	// Items is the number of running items that were taken from it, First and Last when.
	Items int        `json:"items"`
	First *time.Time `json:"first"`
	Last  *time.Time `json:"last"`
}

// lostWorkers returns the workers that lost running items in the stretch, and those that were seen
// last in it and are gone.
func lostWorkers(workers []workqueue.Worker, lost []workqueue.Failure, since, until, now time.Time) []Worker {
	found := map[string]*Worker{}
	for i := range lost {
		f := &lost[i]
		w := found[f.Worker]
		if w == nil {
			w = &Worker{Name: f.Worker, Host: f.Host, First: &f.At, Last: &f.At}
			found[f.Worker] = w
		}
		w.Items++
		if f.At.Before(*w.First) {
			w.First = &f.At
		}
		if f.At.After(*w.Last) {
			w.Last = &f.At
		}
	}
	for i := range workers {
		row := &workers[i]
		w := found[row.Name]
		gone := row.Gone(now)
		if w == nil && gone && !row.LastSeenAt.Before(since) && row.LastSeenAt.Before(until) {
			w = &Worker{Name: row.Name, Host: row.Host}
			found[row.Name] = w
		}
		if w != nil {
			w.Gone, w.LastSeenAt = gone, &row.LastSeenAt
		}
	}
	list := []Worker{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, *found[name])
	}
	slices.SortStableFunc(list, func(a, b Worker) int { return cmp.Compare(b.Items, a.Items) })
	return list
}
