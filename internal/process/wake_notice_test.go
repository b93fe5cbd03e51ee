package process_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"botwork/internal/process"
	"botwork/workqueue"
)

// latePoll is the store of a worker whose next poll has a late answer: meanwhile, another process
// makes an item, and the worker is notified of it.
type latePoll struct {
	process.Store
	report func(workqueue.Notice)
	during atomic.Pointer[func()] // called once, after the poll has read and before its answer arrives
}

func (s *latePoll) Listen(ctx context.Context, report func(workqueue.Notice), trouble func(error)) error {
	s.report = report
	return s.Store.Listen(ctx, func(n workqueue.Notice) {
		if !n.Others { // SQLite's own sign of a change would hide a fault here
			report(n)
		}
	}, trouble)
}

func (s *latePoll) Ready(ctx context.Context, worker int64, band workqueue.Band) (workqueue.Readiness, time.Duration, error) {
	r, next, err := s.Store.Ready(ctx, worker, band)
	if during := s.during.Swap(nil); during != nil {
		(*during)()
	}
	return r, next, err
}

// What a poll has read may be older than a notice that arrives before its answer.
func TestNoticeDuringAPoll(t *testing.T) {
	inBubble(t, func(x *virtual) {
		late := &latePoll{}
		x.startWorker("w", func(b *testProcess) {
			late.Store = b.Store
			b.Store = late
		})
		time.Sleep(5 * time.Second) // from now on it polls every 0.8 s
		var id int64
		var due time.Time
		done := make(chan struct{})
		during := func() {
			due = time.Now().Add(300 * time.Millisecond)
			id = x.add(1000, `{"ms":1}`, func(it *workqueue.NewItem) { it.In = 300 * time.Millisecond })
			late.report(workqueue.Notice{Band: workqueue.EveryPriority, Soon: true, Others: true})
			time.Sleep(20 * time.Millisecond)
			close(done)
		}
		late.during.Store(&during)
		<-done
		time.Sleep(2 * time.Second)
		x.wantStarted(id, due, atOnce)
	})
}
