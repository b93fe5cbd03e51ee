package assign

import (
	"context"
	"testing"
	"time"

	"botwork/workqueue"
)

// readingMemory counts the items that a pass reads.
type readingMemory struct {
	*assignMemory
	read int
}

func (m *readingMemory) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return read(ctx, m)
}

func (m *readingMemory) DueItems(ctx context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	due, err := m.assignMemory.DueItems(ctx, band, full, limit)
	m.read += len(due)
	return due, err
}

// Of a large backlog of short items a pass reads little more than it gives out: every
// process makes one when it begins.
func TestPassReadsFewUnassignedItems(t *testing.T) {
	for _, workers := range []int{1, 4, 20} {
		m := &readingMemory{assignMemory: &assignMemory{given: map[int64]int64{}}}
		for i := range workers {
			m.loads = append(m.loads, workqueue.WorkerLoad{WorkerID: int64(i + 1), Capacity: 4})
		}
		for i := range 50_000 {
			m.items = append(m.items, workqueue.DueItem{ID: int64(i + 1), Priority: 1, Estimate: time.Millisecond})
		}
		result, err := AssignPass(t.Context(), m, AssignParams{})
		if err != nil || result.Assigned != 2000*workers {
			t.Errorf("%d workers: %d assigned, %v; want 2,000 for each", workers, result.Assigned, err)
		}
		if m.read > 3*result.Assigned {
			t.Errorf("%d workers: %d items read to assign %d, want three times as many at the most", workers, m.read, result.Assigned)
		}
	}
}
