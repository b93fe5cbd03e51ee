package reference

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// Model is the queue by the rules of the design, in plain Go and without a database.
// Every method is one rule, independent of how an engine stores the data.
type Model struct {
	clock *time.Time

	Items    map[int64]*workqueue.Item
	Attempts map[int64][]workqueue.Attempt
	Workers  map[int64]*workqueue.Worker
	Paused   bool                  // the default queue
	Limits   workqueue.QueueLimits // its limits

	// RemovesExpired: the queue removes items that expire.
	RemovesExpired bool

	// MaxReleases is how many workers may die while they run an item; 0: the default.
	MaxReleases int

	// Held has the items whose rows another session of the database holds, in a transaction that
	// is open. Statements pass over them.
	Held map[int64]bool

	Starts []Start // of its items, while it limits them

	// StartFences has the fence under which a run of an item was last recorded as begun, 0 if a
	// claim has ended without that; an item that is not in it has no such record.
	StartFences map[int64]int64

	// Epoch counts how often the database has lost its latest transactions.
	Epoch int64

	logging bool // the pass has read the limits
}

// New returns an empty queue. clock is the database's clock; the caller advances it.
func New(clock *time.Time) *Model {
	return &Model{
		clock: clock, Items: map[int64]*workqueue.Item{},
		Attempts: map[int64][]workqueue.Attempt{}, Held: map[int64]bool{}, Workers: map[int64]*workqueue.Worker{}, StartFences: map[int64]int64{},
	}
}

// Now returns the database's time.
func (m *Model) Now() time.Time { return *m.clock }

// in returns the time d after now, as a column stores it.
func (m *Model) in(d time.Duration) *time.Time { return new(m.Now().Add(d)) }

// Clone returns a copy, for changes that may be rolled back.
func (m *Model) Clone() *Model {
	c := *m
	c.Starts, c.logging = slices.Clone(m.Starts), false
	c.Items, c.Workers, c.Attempts = cloneValues(m.Items), cloneValues(m.Workers), maps.Clone(m.Attempts)
	c.StartFences = maps.Clone(m.StartFences)
	return &c
}

func cloneValues[T any](from map[int64]*T) map[int64]*T {
	to := make(map[int64]*T, len(from))
	for id, v := range from {
		to[id] = new(*v)
	}
	return to
}

// IDs returns the ids of all items, including deleted ones, the lowest first.
func (m *Model) IDs() []int64 { return slices.Sorted(maps.Keys(m.Items)) }

// Item returns an item, nil if there is none.
func (m *Model) Item(id int64) *workqueue.Item { return m.Items[id] }

// List returns the items of a list: the newest first, without deleted rows.
func (m *Model) List() []workqueue.Item {
	shown := []workqueue.Item{}
	for _, id := range slices.Backward(m.IDs()) {
		if it := *m.Items[id]; it.DeletedAt == nil {
			it.Lifecycle, it.SnoozeReason = m.Lifecycle(&it), m.snoozeReason(&it)
			shown = append(shown, it)
		}
	}
	return shown
}

// Lifecycle returns the item's lifecycle now.
func (m *Model) Lifecycle(it *workqueue.Item) workqueue.Lifecycle {
	waits := workqueue.LifePending
	switch {
	case it.DeletedAt != nil:
		return workqueue.LifeDeleted
	case it.AvailableAt.After(m.Now()) && it.RetryCount > 0:
		waits = workqueue.LifeRetry
	case it.AvailableAt.After(m.Now()):
		waits = workqueue.LifeScheduled
	}
	return map[workqueue.State]workqueue.Lifecycle{
		workqueue.Ready: waits, workqueue.Pending: waits, workqueue.Assigned: workqueue.LifeAssigned,
		workqueue.Blocked: workqueue.LifeActive, workqueue.Processed: workqueue.LifeCompleted, workqueue.Cancelled: workqueue.LifeArchived,
	}[it.State]
}

// snoozeReason returns the reason of the snooze that the item waits for; nil if there is none.
func (m *Model) snoozeReason(it *workqueue.Item) *string {
	attempts := m.Attempts[it.ID]
	if len(attempts) == 0 || it.State != workqueue.Ready || it.StartedAt == nil || !it.AvailableAt.After(m.Now()) {
		return nil
	}
	last := &attempts[len(attempts)-1]
	if last.Outcome != workqueue.OutcomeSnoozed || last.Fence != it.Fence {
		return nil
	}
	return cmp.Or(last.Reason, new(""))
}

// WorkersByName returns all workers, by name.
func (m *Model) WorkersByName() []workqueue.Worker {
	all := []workqueue.Worker{}
	for _, w := range m.Workers {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b workqueue.Worker) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// WorkerNamed returns a worker, nil if there is none.
func (m *Model) WorkerNamed(name string) *workqueue.Worker {
	for _, w := range m.Workers {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// IsCurrent reports whether the instance is its worker's current one.
func (m *Model) IsCurrent(p Process) bool {
	w := m.Workers[p.Worker]
	return w != nil && w.InstanceID == p.Instance
}

// Holds reports whether the process still has the claim. The row decides this, not the
// time of the lease.
func (m *Model) Holds(p Process, ref workqueue.ItemRef) bool {
	it := m.Items[ref.ItemID]
	return it != nil && m.IsCurrent(p) && it.State == workqueue.Blocked && m.HeldBy(it, p.Worker) && it.Fence == ref.Fence
}

// HeldBy reports whether an item has this worker, regardless of its state.
func (m *Model) HeldBy(it *workqueue.Item, worker int64) bool {
	return it.WorkerID != nil && *it.WorkerID == worker
}

// Over reports whether a lease has expired. It has not in its last millisecond.
func (m *Model) Over(lease *time.Time) bool { return lease == nil || lease.Before(m.Now()) }

// Assignable reports whether a worker may be assigned items, or keep its assigned ones: not
// while its machine is short of a resource. A
// worker that never sent a heartbeat, such as a row created by hand, counts as live.
func (m *Model) Assignable(w *workqueue.Worker) bool {
	return w != nil && w.State == workqueue.WorkerActive && w.Gate == nil && (w.LeaseExpiresAt == nil || !m.Over(w.LeaseExpiresAt))
}

// HasStarted reports whether the run of the item's current claim was recorded as begun.
func (m *Model) HasStarted(it *workqueue.Item) bool {
	fence, ok := m.StartFences[it.ID]
	return ok && fence == it.Fence
}

// recordStart records the fence of the last begin.
func (m *Model) recordStart(it *workqueue.Item, fence int64) {
	m.StartFences[it.ID], it.RecordBegin = fence, true
}

// addAttempt adds an attempt, with the values of the item and the worker's row at its end.
func (m *Model) addAttempt(it *workqueue.Item, worker *int64, a workqueue.Attempt) {
	a.ItemID, a.Fence, a.StartedAt, a.FinishedAt, a.WorkerID = it.ID, it.Fence, it.StartedAt, m.Now(), worker
	a.Progress, a.LogTail, a.StepTimes, a.PipelineHash = it.Progress, it.LogTail, it.StepTimes, it.PipelineHash
	if a.Step == nil {
		a.Step = it.Step
	}
	if worker != nil {
		if w := m.Workers[*worker]; w != nil {
			a.WorkerName, a.Host = new(w.Name), new(w.Host)
		}
	}
	m.Attempts[it.ID] = append(slices.Clip(m.Attempts[it.ID]), a)
}

// text returns a column's value: NULL for an empty text.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Plain replaces what each store can choose, and what other tests compare.
func Plain(items []workqueue.Item) []workqueue.Item {
	items = append([]workqueue.Item{}, items...)
	for i := range items {
		it := &items[i]
		it.IdempotencyKey = "" // random
		it.Version = 0         // checked by the tests of updates and of the statements
		it.LogTail = plainLog(it.LogTail)
		if it.ErrorKind != nil && *it.ErrorKind == workqueue.KindPoison && it.Error != nil && strings.HasPrefix(*it.Error, "poison") {
			it.Error = new("poison")
		}
		if it.ErrorKind != nil && *it.ErrorKind == workqueue.KindExpired && it.Error != nil && strings.HasPrefix(*it.Error, "expired: ") {
			it.Error = new("expired")
		}
	}
	return items
}

// PlainAttempts does the same for attempts.
func PlainAttempts(attempts []workqueue.Attempt) []workqueue.Attempt {
	attempts = append([]workqueue.Attempt{}, attempts...)
	for i := range attempts {
		attempts[i].LogTail = plainLog(attempts[i].LogTail)
		if a := &attempts[i]; a.Error != nil && (a.Outcome == "rescued" || strings.HasPrefix(*a.Error, "the lease ran out")) {
			a.Error = new("rescued")
		}
	}
	return attempts
}

// cancelledLine is the line of a log with the time, the actor and the reason of a cancellation.
var cancelledLine = regexp.MustCompile(`(?m)^\S+Z INF item cancelled .*$`)

func plainLog(log *string) *string {
	if log == nil {
		return nil
	}
	return new(cancelledLine.ReplaceAllString(*log, "item cancelled"))
}

// Process is one start of a worker.
type Process struct {
	Worker   int64
	Instance string
}
