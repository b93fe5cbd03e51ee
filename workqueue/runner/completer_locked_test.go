package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

// slowLocks is a store that waits a second for the row of item 1, and passes over it.
type slowLocks struct{ workqueue.LeaseStore }

func (slowLocks) Finish(context.Context, int64, string, []workqueue.Finish) ([]int64, error) {
	time.Sleep(time.Second)
	return nil, &workqueue.LockedError{Items: []int64{1}}
}

// A write that has waited for a row that another session holds does not count as a slow database: it
// would make later writes smaller.
func TestLockedRowsDoNotSlowTheWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCompleter(slowLocks{}, workqueue.Worker{}, newHeld(), time.Minute, zerolog.Nop())
		for range 50 {
			c.pace.record(10, time.Millisecond)
		}
		before := c.pace
		settled := 0
		batch := []*completion{
			{finish: workqueue.Finish{ItemID: 1}, onSettled: func(bool) { settled++ }},
			{finish: workqueue.Finish{ItemID: 2}, onSettled: func(bool) { settled++ }},
		}
		if err := c.write(t.Context(), batch); err != nil || settled != 1 {
			t.Errorf("write: %v, %d results settled, want the one whose row is free", err, settled)
		}
		if c.pace != before {
			t.Errorf("the pace is %+v, was %+v", c.pace, before)
		}
	})
}
