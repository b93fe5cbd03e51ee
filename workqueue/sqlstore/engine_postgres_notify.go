package sqlstore

import (
	"context"
	"sync"
	"time"

	"botwork/workqueue"
)

const (
	// noticeRate bounds the notices of a process in a second: at most so many, of
	// which noticeBurst may come together. What comes in between goes with the next.
	// Each costs the server a tenth of a millisecond and its turn at a lock that all
	// sessions share, which thousands of items a second need not pay for.
	noticeRate, noticeBurst = 200, 20

	// deafFor is how long nothing is sent after there was no listener.
	deafFor = time.Second

	// noticeTime bounds one statement that sends a notice.
	noticeTime = 5 * time.Second

	// noticeWorkers bounds the workers that one notice names.
	noticeWorkers = 100
)

// notifier sends notices to other processes, from a goroutine that runs only while there
// are any: enqueueing does not wait for it.
type notifier struct {
	mu      sync.Mutex
	ready   *workqueue.Notice // items that wait
	given   *workqueue.Notice // items that were assigned
	sending bool
	closed  bool
	sent    sync.WaitGroup
	deaf    time.Time // there is no listener until then

	// The sending goroutine's own.
	allowance float64
	counted   time.Time
}

// send has a notice sent. It returns at once.
func (q *notifier) send(s *Store, n workqueue.Notice) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || time.Now().Before(q.deaf) {
		return
	}
	if len(n.Workers) == 0 {
		q.ready = merge(q.ready, n)
	} else {
		q.given = merge(q.given, n)
	}
	if !q.sending {
		q.sending = true
		q.sent.Go(func() { s.sendNotices(q) })
	}
}

// merge makes one notice of two.
func merge(old *workqueue.Notice, n workqueue.Notice) *workqueue.Notice {
	if old == nil {
		return &n
	}
	old.Band = workqueue.Band{Min: min(old.Band.Min, n.Band.Min), Max: max(old.Band.Max, n.Band.Max)}
	for _, id := range n.Workers {
		if len(old.Workers) < noticeWorkers {
			old.Workers = append(old.Workers, id)
		}
	}
	return old
}

// sendNotices sends until there is nothing left. A notice that cannot be sent is
// dropped: who listens also looks.
func (s *Store) sendNotices(q *notifier) {
	for {
		time.Sleep(q.toWait(time.Now()))
		q.mu.Lock()
		ready, given := q.ready, q.given
		q.ready, q.given = nil, nil
		if ready == nil && given == nil {
			q.sending = false
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		for _, n := range []*workqueue.Notice{ready, given} {
			if n == nil {
				continue
			}
			listens, err := s.sendNotice(*n)
			if err != nil || !listens {
				q.mu.Lock()
				q.deaf = time.Now().Add(deafFor)
				q.mu.Unlock()
			}
		}
	}
}

// sendNotice sends one notice; false if there is no listener. The workers of this process
// already know of waiting items: if there are no others, there is no listener.
func (s *Store) sendNotice(n workqueue.Notice) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), noticeTime)
	defer cancel()
	var own *string
	if len(n.Workers) == 0 {
		list, err := s.notices.ownWorkers()
		if err != nil {
			return false, err
		}
		own = &list
	}
	return s.someoneListens(ctx, s.payload(n), own)
}

// toWait is how long the next notice has to wait under the rate.
func (q *notifier) toWait(now time.Time) time.Duration {
	q.allowance = min(q.allowance+now.Sub(q.counted).Seconds()*noticeRate, noticeBurst) - 1
	q.counted = now
	if q.allowance >= 0 {
		return 0
	}
	return time.Duration(-q.allowance / noticeRate * float64(time.Second))
}

// close sends what is left, and nothing from then on.
func (q *notifier) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.sent.Wait()
}
