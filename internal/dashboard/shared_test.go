package dashboard

import (
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A hundred browsers ask at the same time: the API is asked once, and again when the answer is
// old. A failure is not kept.
func TestSharedAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedAnswers(sharedFor)
		var asked atomic.Int64
		ask := func() (json.RawMessage, error) {
			time.Sleep(100 * time.Millisecond)
			return json.RawMessage(`1`), errWhen(asked.Add(1) == 3)
		}
		all := func() {
			var running sync.WaitGroup
			for range 100 {
				running.Go(func() { _, _ = s.get(t.Context(), "a", ask) })
			}
			running.Wait()
		}
		all()
		all()
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times within a second, want once", n)
		}
		time.Sleep(2 * sharedFor)
		all()
		if n := asked.Load(); n != 2 {
			t.Errorf("asked %d times after it, want twice", n)
		}
		time.Sleep(2 * sharedFor)
		if _, err := s.get(t.Context(), "a", ask); err == nil {
			t.Error("want the failure")
		}
		time.Sleep(time.Millisecond)
		if _, err := s.get(t.Context(), "a", ask); err != nil {
			t.Errorf("after a failure: %v", err)
		}
		time.Sleep(2 * sharedFor)
		_, _ = s.get(t.Context(), "b", ask)
		if len(s.answers) != 1 {
			t.Errorf("%d answers are kept, want the new one", len(s.answers))
		}
	})
}

func errWhen(failed bool) error {
	if failed {
		return errors.New("failed")
	}
	return nil
}
