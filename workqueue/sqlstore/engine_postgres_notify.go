package sqlstore

import (
	"context"
	"sync"
	"time"

	"botwork/workqueue"
)

const (
	// noticeRate limits the notices of a process per second; noticeBurst of them may be sent at
	// once. The notices in between are merged into the next one. Each costs the server a tenth
	// of a millisecond under a lock that all sessions share: too much to pay for thousands of
	// items a second.
	noticeRate, noticeBurst = 200, 20

	// noListenerPause is how long nothing is sent after no process listened. One that begins to
	// listen meanwhile looks for itself, and then hears nothing for this long at most.
	noListenerPause = 50 * time.Millisecond

	// noticeTime is the timeout of the statement that sends a notice.
	noticeTime = 5 * time.Second

	// noticeWorkers limits how many workers a notice names.
	noticeWorkers = 100
)

// notifier sends notices to other processes. Its goroutine runs only while there are notices:
// enqueueing does not wait for it.
type notifier struct {
	mu          sync.Mutex
	ready       *workqueue.Notice // merged notices about waiting items
	assigned    *workqueue.Notice // merged notices about assigned items
	sending     bool
	closed      bool
	sent        sync.WaitGroup
	silentUntil time.Time // no process listens until then

	// Used only by the sending goroutine.
	allowance float64
	counted   time.Time
}

// send queues a notice. It returns at once.
func (q *notifier) send(s *notices, n workqueue.Notice) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || time.Now().Before(q.silentUntil) {
		return
	}
	if len(n.Workers) == 0 {
		q.ready = merge(q.ready, n)
	} else {
		q.assigned = merge(q.assigned, n)
	}
	if !q.sending {
		q.sending = true
		q.sent.Go(func() { s.sendNotices(q) })
	}
}

// merge merges two notices into one.
func merge(old *workqueue.Notice, n workqueue.Notice) *workqueue.Notice {
	if old == nil {
		return &n
	}
	old.Soon = old.Soon && n.Soon
	old.Band = workqueue.Band{Min: min(old.Band.Min, n.Band.Min), Max: max(old.Band.Max, n.Band.Max)}
	for _, id := range n.Workers {
		if len(old.Workers) < noticeWorkers {
			old.Workers = append(old.Workers, id)
		}
	}
	return old
}

// sendNotices sends until nothing is left. A notice that cannot be sent is dropped: listeners
// also poll.
func (s *notices) sendNotices(q *notifier) {
	for {
		time.Sleep(q.toWait(time.Now()))
		q.mu.Lock()
		ready, assigned := q.ready, q.assigned
		q.ready, q.assigned = nil, nil
		if ready == nil && assigned == nil {
			q.sending = false
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		for _, n := range []*workqueue.Notice{ready, assigned} {
			if n == nil {
				continue
			}
			listens, err := s.sendNotice(*n)
			if err != nil || !listens {
				q.mu.Lock()
				q.silentUntil = time.Now().Add(noListenerPause)
				q.mu.Unlock()
			}
		}
	}
}

// sendNotice sends one notice, and reports whether any process listens. The workers of this
// process already know about waiting items: a notice about those is only for others.
func (s *notices) sendNotice(n workqueue.Notice) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), noticeTime)
	defer cancel()
	var localWorkers *string
	if len(n.Workers) == 0 {
		list, err := s.localWorkers()
		if err != nil {
			return false, err
		}
		localWorkers = &list
	}
	return s.notifyListeners(ctx, s.db, s.payload(s.name, n), localWorkers)
}

// toWait returns how long the next notice has to wait under the rate limit.
func (q *notifier) toWait(now time.Time) time.Duration {
	q.allowance = min(q.allowance+now.Sub(q.counted).Seconds()*noticeRate, noticeBurst) - 1
	q.counted = now
	if q.allowance >= 0 {
		return 0
	}
	return time.Duration(-q.allowance / noticeRate * float64(time.Second))
}

// close sends the remaining notices and then stops.
func (q *notifier) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.sent.Wait()
}
