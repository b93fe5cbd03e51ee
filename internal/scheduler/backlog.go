package scheduler

import (
	"fmt"

	"botwork/workqueue"
)

// maxBacklog is how many missed or skipped firings are recorded one by one.
const maxBacklog = 100

// backlog holds firings that are not recorded yet, the earliest first.
type backlog struct {
	rows    []workqueue.Firing
	dropped int // earlier ones that are only counted
	atLeast bool
}

// add keeps the latest rows and counts the rest.
func (b *backlog) add(f workqueue.Firing) {
	b.rows = append(b.rows, f)
	if len(b.rows) > maxBacklog {
		b.rows = b.rows[1:]
		b.dropped++
	}
}

// records returns the rows to write.
func (b *backlog) records() []workqueue.Firing {
	if b.dropped == 0 {
		return b.rows
	}
	count := fmt.Sprint(b.dropped)
	if b.atLeast {
		count = "at least " + count
	}
	records := append([]workqueue.Firing(nil), b.rows...)
	records[0].Reason += fmt.Sprintf("; %s earlier firings are not recorded one by one", count)
	return records
}

// flush records the backlog. While a firing of scope once is queued, later firings are
// not recorded: if this process dies, the next one continues after the latest record,
// and must still find the queued firing.
func (r *runner) flush() error {
	if len(r.backlog.rows) == 0 || r.waiting != nil && r.job.Scope == ScopeOnce {
		return nil
	}
	ctx, cancel := r.storeCtx()
	defer cancel()
	if err := r.s.store.RecordFirings(ctx, r.backlog.records()); err != nil {
		return fmt.Errorf("record missed and skipped firings: %w", err)
	}
	r.backlog = backlog{}
	return nil
}
