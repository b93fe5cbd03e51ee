package events

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

// Store is the part of a store that events are read from.
type Store interface {
	Series(ctx context.Context, p workqueue.SeriesParams) (workqueue.Series, error)
	Marks(ctx context.Context, runs int) (workqueue.Marks, error)
	Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error)
	Now(ctx context.Context) (time.Time, error)
}

// clockAge is how long the difference between this machine's clock and the database's is used.
const clockAge = 10 * time.Minute

// maxFollowed bounds the items that all clients follow together: they are read by one query.
const maxFollowed = 500

// source compares what the database has with what it had. Its read is called by one goroutine.
type source struct {
	store Store

	mu       sync.Mutex
	followed map[int64]int  // by how many clients
	fresh    map[int64]bool // a client has begun to follow it and does not know its state

	turn int // of the topic that is read next

	// ahead is how far this machine's clock is ahead of the database's, as read at clockRead.
	ahead     time.Duration
	clockRead time.Time

	diary diary

	// What was read last; nil: nothing was.
	counts   map[countKey]counts
	queues   map[string]workqueue.QueueMark
	workers  map[int64]workqueue.WorkerMark
	runs     map[int64]workqueue.RunMark
	versions map[int64]int64
}

func newSource(store Store) *source {
	return &source{store: store, followed: map[int64]int{}, fresh: map[int64]bool{}}
}

func (s *source) follow(ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.followed[id]++
		s.fresh[id] = true
	}
}

func (s *source) unfollow(ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if s.followed[id]--; s.followed[id] <= 0 {
			delete(s.followed, id)
		}
	}
}

// forget drops what was read: without clients nothing is compared, and the next one starts afresh.
func (s *source) forget() {
	s.turn, s.counts, s.queues, s.workers, s.runs, s.versions = 0, nil, nil, nil, nil, nil
	s.diary.forget()
}

// order is the order in which topics are read: items and followed items every other time.
var order = []Topic{Items, Item, Queues, Items, Item, Workers, Items, Item, Runs}

// marked are the topics that one statement reads.
var marked = []Topic{Queues, Workers, Runs}

// read reads one of the wanted topics, by one statement at most, and returns its events without ids. The
// first statement, and one of many later, reads the database's clock instead. The turn of the first
// wanted topic of those that one statement reads is for all of them; the turns of the others are empty.
func (s *source) read(ctx context.Context, wanted map[Topic]bool) ([]Event, error) {
	if s.clockRead.IsZero() || time.Since(s.clockRead) > clockAge {
		return nil, s.readClock(ctx)
	}
	for range order {
		topic := order[s.turn%len(order)]
		s.turn++
		if !wanted[topic] {
			continue
		}
		switch topic {
		case Items:
			return s.readCounts(ctx)
		case Item:
			return s.readFollowed(ctx)
		case firstMarked(wanted):
			return s.readMarks(ctx, wanted)
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// firstMarked returns the first wanted topic of those that one statement reads; "" if none is wanted.
func firstMarked(wanted map[Topic]bool) Topic {
	for _, topic := range marked {
		if wanted[topic] {
			return topic
		}
	}
	return ""
}

// readClock reads the database's clock: only that decides which minutes are the latest.
func (s *source) readClock(ctx context.Context) error {
	before := time.Now()
	now, err := s.store.Now(ctx)
	if err != nil {
		return err
	}
	s.clockRead = time.Now()
	s.ahead = before.Add(s.clockRead.Sub(before) / 2).Sub(now)
	return nil
}

func (s *source) now() time.Time { return time.Now().Add(-s.ahead).UTC() }

type countKey struct {
	queue string
	start time.Time
}

// counts are what happened to the items of a queue. JSON field names are part of the API's
// contract.
type counts struct {
	Queue     string `json:"queue"`
	Enqueued  int64  `json:"enqueued"`
	Started   int64  `json:"started"`
	Succeeded int64  `json:"succeeded"`
	Failed    int64  `json:"failed"`
	Retried   int64  `json:"retried"`
	Cancelled int64  `json:"cancelled"`
	Released  int64  `json:"released"`
	Rescued   int64  `json:"rescued"`
}

func (c *counts) minus(o counts) counts {
	return counts{c.Queue, c.Enqueued - o.Enqueued, c.Started - o.Started, c.Succeeded - o.Succeeded, c.Failed - o.Failed, c.Retried - o.Retried, c.Cancelled - o.Cancelled, c.Released - o.Released, c.Rescued - o.Rescued}
}

func (c *counts) plus(o counts) counts { return c.minus(o.negative()) }

func (c *counts) negative() counts {
	return counts{c.Queue, -c.Enqueued, -c.Started, -c.Succeeded, -c.Failed, -c.Retried, -c.Cancelled, -c.Released, -c.Rescued}
}

// readCounts compares the statistics of the last two minutes with what they were. The first
// reading only remembers them.
func (s *source) readCounts(ctx context.Context) ([]Event, error) {
	until := s.now().Add(time.Minute) // the clocks may have drifted apart
	series, err := s.store.Series(ctx, workqueue.SeriesParams{
		By: workqueue.ByMinute, From: until.Add(-4 * time.Minute), Until: until, Group: workqueue.GroupQueue, CountsOnly: true,
	})
	if err != nil {
		return nil, err
	}
	now := map[countKey]counts{}
	for i := range series.Points {
		p := &series.Points[i]
		now[countKey{p.Group, p.Start}] = counts{p.Group, p.Enqueued, p.Started, p.Succeeded, p.Failed, p.Retried, p.Cancelled, p.Released, p.Rescued}
	}
	before := s.counts
	s.counts = now
	if before == nil {
		s.diary.compared(Items)
		return nil, nil
	}
	byQueue := map[string]counts{}
	for key, c := range now {
		change := c.minus(before[key])
		total := byQueue[key.queue]
		total.Queue = key.queue
		byQueue[key.queue] = total.plus(change)
	}
	parts := map[string]json.RawMessage{}
	failed := 0
	for queue, c := range byQueue {
		if c != (counts{Queue: queue}) {
			parts[queue] = encode(c)
		}
		if c.Failed != 0 || c.Retried != 0 || c.Cancelled != 0 || c.Rescued != 0 {
			failed++
		}
	}
	s.diary.compared(Items, happened(Failures, failed)...)
	return summary(Items, parts), nil
}

// queueChange is a queue that has changed.
type queueChange struct {
	Queue    string `json:"queue"`
	Paused   bool   `json:"paused"`
	Revision int64  `json:"revision"`
	Deleted  bool   `json:"deleted"`
}

// recentRuns is how many of the latest runs are compared.
const recentRuns = 50

// readMarks compares the queues, the workers and the latest runs with what they were, as far as they are wanted.
func (s *source) readMarks(ctx context.Context, wanted map[Topic]bool) (events []Event, err error) {
	marks, err := s.store.Marks(ctx, recentRuns)
	if err != nil {
		return nil, err
	}
	if wanted[Queues] {
		events = append(events, s.compareQueues(marks.Queues)...)
	}
	if wanted[Workers] {
		events = append(events, s.compareWorkers(marks.Workers)...)
	}
	if wanted[Runs] {
		events = append(events, s.compareRuns(marks.Runs)...)
	}
	return events, nil
}

func (s *source) compareQueues(queues []workqueue.QueueMark) []Event {
	now := map[string]workqueue.QueueMark{}
	parts := map[string]json.RawMessage{}
	for _, q := range queues {
		now[q.Name] = q
		if s.queues != nil && s.queues[q.Name] != q {
			parts[q.Name] = encode(queueChange{Queue: q.Name, Paused: q.Paused, Revision: q.Revision})
		}
	}
	for name := range s.queues {
		if _, exists := now[name]; !exists {
			parts[name] = encode(queueChange{Queue: name, Deleted: true})
		}
	}
	s.queues = now
	s.diary.compared(Queues, happened(QueueChanges, len(parts))...)
	return summary(Queues, parts)
}

// workerChange is a worker whose state has changed.
type workerChange struct {
	Worker string                `json:"worker"`
	State  workqueue.WorkerState `json:"state"`
	Lost   bool                  `json:"lost"` // its lease has expired
}

func (s *source) compareWorkers(workers []workqueue.WorkerMark) []Event {
	now := map[int64]workqueue.WorkerMark{}
	var changes []json.RawMessage
	for _, w := range workers {
		now[w.ID] = w
		if s.workers != nil && s.workers[w.ID] != w {
			changes = append(changes, encode(workerChange{w.Name, w.State, w.Gone}))
		}
	}
	s.workers = now
	return whole(Workers, changes)
}

// runChange is a run that has started or ended.
type runChange struct {
	ID       int64                `json:"id"`
	Pipeline string               `json:"pipeline"`
	Outcome  workqueue.RunOutcome `json:"outcome"`
}

func (s *source) compareRuns(runs []workqueue.RunMark) []Event {
	now := map[int64]workqueue.RunMark{}
	var changes []json.RawMessage
	failed := 0
	for _, r := range slices.Backward(runs) {
		now[r.ID] = r
		if s.runs != nil && s.runs[r.ID] != r {
			if r.Outcome == workqueue.RunFailed {
				failed++
			}
			changes = append(changes, encode(runChange{r.ID, r.Pipeline, r.Outcome}))
		}
	}
	s.runs = now
	s.diary.compared(Runs, happened(RunFailures, failed)...)
	return whole(Runs, changes)
}

// itemChange is a followed item that has changed. Payload and output are not in it: clients read
// the item, by their role.
type itemChange struct {
	ID        int64            `json:"id"`
	Queue     string           `json:"queue"`
	Status    workqueue.Status `json:"status"`
	Version   int64            `json:"version"`
	Step      *string          `json:"step"`
	Progress  *string          `json:"progress"`
	Percent   *int             `json:"progressPercent"`
	Attempt   int              `json:"attempt"`
	Deleted   bool             `json:"deleted"` // the item was removed
	Finished  *time.Time       `json:"finishedAt"`
	ErrorKind *string          `json:"errorKind"`
}

func (s *source) readFollowed(ctx context.Context) ([]Event, error) {
	s.mu.Lock()
	ids := make([]int64, 0, len(s.followed))
	for id := range s.followed {
		ids = append(ids, id)
	}
	fresh := s.fresh
	s.fresh = map[int64]bool{}
	s.mu.Unlock()
	slices.Sort(ids)
	ids = ids[:min(len(ids), maxFollowed)]
	items, err := s.store.Items(ctx, workqueue.ItemFilter{IDs: ids, Statuses: workqueue.Statuses(), Limit: len(ids)})
	if err != nil {
		return nil, err
	}
	if s.versions == nil {
		s.versions = map[int64]int64{}
	}
	var events []Event
	seen := map[int64]bool{}
	for i := range items {
		it := &items[i]
		seen[it.ID] = true
		mark := fingerprint(it)
		if old, known := s.versions[it.ID]; known && old == mark && !fresh[it.ID] {
			continue
		}
		s.versions[it.ID] = mark
		change := itemChange{
			ID: it.ID, Queue: it.QueueName, Status: it.Status(), Version: it.Version, Step: it.Step, Progress: it.Progress, Percent: it.ProgressPercent,
			Attempt: it.Attempt(), Deleted: it.DeletedAt != nil, Finished: it.FinishedAt, ErrorKind: (*string)(it.ErrorKind),
		}
		data := encode(change)
		events = append(events, Event{Topic: Item, Data: data, item: it.ID, parts: map[string]json.RawMessage{it.QueueName: data}})
	}
	for id := range s.versions {
		if !seen[id] {
			delete(s.versions, id)
		}
	}
	return events, nil
}

// fingerprint changes when an item or its progress does.
func fingerprint(it *workqueue.Item) int64 {
	h := it.Version*31 + int64(len(it.Status()))
	for _, text := range []*string{it.Step, it.Progress} {
		if text != nil {
			for _, c := range []byte(*text) {
				h = h*31 + int64(c)
			}
		}
	}
	if it.ProgressPercent != nil {
		h = h*31 + int64(*it.ProgressPercent)
	}
	for _, c := range []byte(it.Status()) {
		h = h*31 + int64(c)
	}
	return h
}

// happened returns the change if a reading shows some.
func happened(c Change, n int) []Change {
	if n == 0 {
		return nil
	}
	return []Change{c}
}

func encode(v any) json.RawMessage {
	data, err := workqueue.MarshalPlain(v)
	if err != nil {
		return json.RawMessage("{}") // unreachable: plain structs
	}
	return data
}

// summary returns the event of entries by queue; none without entries.
func summary(topic Topic, parts map[string]json.RawMessage) []Event {
	if len(parts) == 0 {
		return nil
	}
	var entries []json.RawMessage
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		entries = append(entries, parts[name])
	}
	return []Event{{Topic: topic, Data: wrap(topic, entries), parts: parts}}
}

// whole returns the event of entries that belong to no queue.
func whole(topic Topic, entries []json.RawMessage) []Event {
	if len(entries) == 0 {
		return nil
	}
	return []Event{{Topic: topic, Data: wrap(topic, entries)}}
}
