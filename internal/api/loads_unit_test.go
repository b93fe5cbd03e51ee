package api

import (
	"testing"
	"time"

	"botwork/workqueue"
)

// Fewer items than slots do not run faster because slots are free.
func TestLoadOfFewItems(t *testing.T) {
	w := workqueue.WorkerLoad{Capacity: 4, Held: []workqueue.HeldWork{{Running: true, Count: 1, Estimate: 8 * time.Second}}}
	if got := time.Duration(loadOf(&w).FreeIn); got != 8*time.Second {
		t.Errorf("one item of 8 s on 4 slots: free in %v", got)
	}
	w.Held = append(w.Held, workqueue.HeldWork{Count: 9, Estimate: 72 * time.Second})
	if got := loadOf(&w); time.Duration(got.FreeIn) != 20*time.Second || got.Running != 1 || got.Assigned != 9 {
		t.Errorf("ten items of 8 s on 4 slots: %+v", got)
	}
}
