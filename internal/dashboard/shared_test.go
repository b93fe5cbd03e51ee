package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// A hundred browsers ask at the same time: the API is asked once, and again when the answer is
// old. A failure is not kept.
func TestSharedAnswers(t *testing.T) {
	const age = time.Second
	synctest.Test(t, func(t *testing.T) {
		s := newSharedAnswers()
		var asked atomic.Int64
		ask := func() (json.RawMessage, error) {
			time.Sleep(10 * time.Millisecond)
			return json.RawMessage(`1`), errWhen(asked.Add(1) == 3)
		}
		all := func() {
			var running sync.WaitGroup
			for range 100 {
				running.Go(func() { _, _ = s.get(t.Context(), "a", age, ask) })
			}
			running.Wait()
		}
		all()
		all()
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times within a second, want once", n)
		}
		time.Sleep(2 * age)
		all()
		if n := asked.Load(); n != 2 {
			t.Errorf("asked %d times after it, want twice", n)
		}
		time.Sleep(2 * age)
		if _, err := s.get(t.Context(), "a", age, ask); err == nil {
			t.Error("want the failure")
		}
		time.Sleep(time.Millisecond)
		if _, err := s.get(t.Context(), "a", age, ask); err != nil {
			t.Errorf("after a failure: %v", err)
		}
		time.Sleep(2 * slowestPace)
		_, _ = s.get(t.Context(), "b", age, ask)
		if _, err := s.get(t.Context(), "b", age/2, ask); err != nil || asked.Load() != 5 {
			t.Errorf("asked %d times, %v: want the answer again that is new enough for all", asked.Load(), err)
		}
		time.Sleep(age / 2)
		if _, err := s.get(t.Context(), "b", age/2, ask); err != nil || asked.Load() != 6 {
			t.Errorf("asked %d times, %v: want a newer answer for who accepts only that", asked.Load(), err)
		}
		if len(s.answers) != 1 {
			t.Errorf("%d answers are kept, want the new one", len(s.answers))
		}
	})
}

// What takes a second is asked for once in twenty, so that many pages do not keep the database busy.
func TestCostlyAnswersServeLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedAnswers()
		asked := 0
		for range 60 {
			_, _ = s.get(t.Context(), "a", time.Second, func() (json.RawMessage, error) {
				asked++
				time.Sleep(800 * time.Millisecond)
				return json.RawMessage(`1`), nil
			})
			time.Sleep(time.Second)
		}
		if asked < 3 || asked > 4 {
			t.Errorf("asked %d times in a minute, want once in 16 seconds", asked)
		}
	})
}

// The session of the person whose request asks for all ends while it asks: the others are not signed out.
func TestSharedAnswerOfAnEndedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			if r.Header.Get("Cookie") == "ended" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			fmt.Fprint(w, `{"items":[]}`)
		})
		d, err := New(Options{API: api, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		as := func(cookie string) error {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
			r.Header.Set("Cookie", cookie)
			var out list[queue]
			return d.asking(r).shared(caller{Role: "viewer"}).now("/queues", nil, &out)
		}
		var running sync.WaitGroup
		running.Go(func() {
			if err := as("ended"); !isSignedOut(err) {
				t.Errorf("the ended session got %v, want a refusal", err)
			}
		})
		synctest.Wait() // it asks for all
		running.Go(func() {
			if err := as("lives"); err != nil {
				t.Errorf("the other session got %v", err)
			}
		})
		running.Wait()
	})
}

func errWhen(failed bool) error {
	if failed {
		return errors.New("failed")
	}
	return nil
}
