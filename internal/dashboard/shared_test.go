package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/api/events"
)

// A hundred browsers ask at the same time: the API is asked once, and again when the answer is
// old. A failure is not kept.
func TestSharedAnswers(t *testing.T) {
	const age = time.Second
	synctest.Test(t, func(t *testing.T) {
		s := newSharedAnswers(nil)
		var asked atomic.Int64
		ask := func() (json.RawMessage, error) {
			time.Sleep(10 * time.Millisecond)
			return json.RawMessage(`1`), errWhen(asked.Add(1) == 3)
		}
		all := func() {
			var running sync.WaitGroup
			for range 100 {
				running.Go(func() { _, _, _ = s.get(t.Context(), "a", freshness{age: age}, ask) })
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
		if _, _, err := s.get(t.Context(), "a", freshness{age: age}, ask); err == nil {
			t.Error("want the failure")
		}
		time.Sleep(time.Millisecond)
		if _, _, err := s.get(t.Context(), "a", freshness{age: age}, ask); err != nil {
			t.Errorf("after a failure: %v", err)
		}
		time.Sleep(2 * slowestPace)
		_, _, _ = s.get(t.Context(), "b", freshness{age: age}, ask)
		if _, _, err := s.get(t.Context(), "b", freshness{age: age / 2}, ask); err != nil || asked.Load() != 5 {
			t.Errorf("asked %d times, %v: want the answer again that is new enough for all", asked.Load(), err)
		}
		time.Sleep(age / 2)
		if _, _, err := s.get(t.Context(), "b", freshness{age: age / 2}, ask); err != nil || asked.Load() != 6 {
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
		s := newSharedAnswers(nil)
		asked := 0
		for range 60 {
			_, _, _ = s.get(t.Context(), "a", freshness{age: time.Second}, func() (json.RawMessage, error) {
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

// While a costly answer is asked for again, the one before it serves, unless it is too old or a person has
// changed something.
func TestCostlyAnswersServeUntilANewerOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedAnswers(nil)
		asked := 0
		get := func() (string, bool, time.Duration) {
			began := time.Now()
			body, old, err := s.get(t.Context(), "a", freshness{age: time.Second}, func() (json.RawMessage, error) {
				asked++
				n := asked
				time.Sleep(2 * time.Second)
				return json.RawMessage(fmt.Sprint(n)), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return string(body), old, time.Since(began)
		}
		want := func(what, body string, old bool, took time.Duration) {
			t.Helper()
			if gotBody, gotOld, gotTook := get(); gotBody != body || gotOld != old || gotTook != took {
				t.Errorf("%s: got answer %s, old %v, after %v; want %s, %v, %v", what, gotBody, gotOld, gotTook, body, old, took)
			}
		}
		want("the first", "1", false, 2*time.Second)
		time.Sleep(costlyFor - time.Second)
		want("it serves longer", "1", false, 0)
		time.Sleep(2 * time.Second)
		want("it is old", "1", true, 0)
		time.Sleep(time.Second)
		want("the newer one is not there yet", "1", true, 0)
		time.Sleep(2 * time.Second)
		want("the newer one", "2", false, 0)
		s.forget()
		want("after a change", "3", false, 2*time.Second)
		time.Sleep(oldFor)
		want("the one before is too old", "4", false, 2*time.Second)
		s.running.Wait()
	})
}

// Answers whose older ones serve are renewed one after the other, but none waits for long.
func TestCostlyAnswersAreRenewedOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedAnswers(nil)
		var mu sync.Mutex
		var begun []time.Duration // of the renewals, since they were asked for
		var asked time.Time
		takes := time.Second
		get := func(key string) {
			_, _, err := s.get(t.Context(), key, freshness{age: time.Second}, func() (json.RawMessage, error) {
				mu.Lock()
				if !asked.IsZero() {
					begun = append(begun, time.Since(asked))
				}
				mu.Unlock()
				time.Sleep(takes)
				return json.RawMessage(`1`), nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		keys := []string{"a", "b", "c"}
		for _, takes = range []time.Duration{time.Second, renewalWait - time.Second, time.Second} {
			asked, begun = time.Time{}, nil
			for _, key := range keys {
				get(key)
			}
			s.running.Wait()
			time.Sleep(costlyFor + time.Second)
			asked = time.Now()
			for _, key := range keys {
				get(key)
				synctest.Wait()
			}
			s.running.Wait()
			want := []time.Duration{0, takes, min(2*takes, renewalWait)}
			if !slices.Equal(begun, want) {
				t.Errorf("renewals that take %v began after %v, want %v", takes, begun, want)
			}
			s.forget()
		}
	})
}

// Who does not wait gets the answer as soon as it is there. A failure is seen by who comes within some
// seconds, and then it is asked for again.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedAnswers(nil)
		var asked atomic.Int64
		var failed atomic.Bool
		get := func() (string, error) {
			body, _, err := s.get(t.Context(), "a", freshness{age: time.Millisecond, patience: patience}, func() (json.RawMessage, error) {
				asked.Add(1)
				time.Sleep(30 * time.Second)
				return json.RawMessage(`1`), errWhen(failed.Load())
			})
			return string(body), err
		}
		for range 20 {
			if body, err := get(); !errors.Is(err, errLate) {
				t.Fatalf("got %s, %v; want that it is late", body, err)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(15 * time.Second)
		if body, err := get(); body != "1" || err != nil || asked.Load() != 1 {
			t.Errorf("got %s, %v after %d questions; want the answer to the first", body, err, asked.Load())
		}
		s.forget()
		failed.Store(true)
		_, _ = get()
		time.Sleep(31 * time.Second)
		for range 2 {
			if _, err := get(); err == nil || errors.Is(err, errLate) || asked.Load() != 2 {
				t.Errorf("got %v after %d questions, want the failure of the second", err, asked.Load())
			}
		}
		time.Sleep(failedFor)
		if _, err := get(); !errors.Is(err, errLate) || asked.Load() != 3 {
			t.Errorf("got %v after %d questions, want a third one", err, asked.Load())
		}
		s.running.Wait()
	})
}

// With a hundred open tabs, those of an item ask for what depends on other items every two minutes, and one answer serves
// them all for that long. It does not serve who opens the page, or a tab whose item has changed.
func TestCalmAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			fmt.Fprint(w, `{}`)
		})
		d, err := New(Options{API: api, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for i := range 100 {
			d.pace.note(fmt.Sprint(i))
		}
		want := func(total int, what string, headers ...string) {
			t.Helper()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/items/7", http.NoBody)
			for _, name := range headers {
				r.Header.Set(name, "item")
			}
			var out reason
			if err := d.asking(r).calm(caller{Role: "viewer"}).now("/items/7/why", nil, &out); err != nil {
				t.Fatal(err)
			}
			if asked != total {
				t.Errorf("%s: asked %d times, want %d", what, asked, total)
			}
		}
		other := func() {
			_, _, _ = d.answers.get(t.Context(), fmt.Sprint("another question ", time.Now()), freshness{age: time.Second}, func() (json.RawMessage, error) { return nil, nil })
		}
		want(1, "a tab", renewHeader)
		time.Sleep(100 * time.Second)
		other() // lets go what serves no page any more
		want(1, "another tab 100 seconds later", renewHeader)
		want(2, "who opens the page", "Accept")
		time.Sleep(50 * time.Second)
		want(2, "a tab 50 seconds later", renewHeader)
		want(3, "a tab whose item has changed", renewHeader, newsHeader)
		time.Sleep(calmestPace)
		want(4, "a tab two minutes later", renewHeader)
	})
}

// An answer serves for minutes while nothing happens that changes it, and not a moment longer.
func TestAnswersServeWhileItIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changed time.Time
		s := newSharedAnswers(func(since time.Time, changes ...events.Change) bool {
			return len(changes) == 1 && changes[0] == events.Failures && !changed.After(since)
		})
		asked := 0
		get := func(f freshness) int {
			_, _, err := s.get(t.Context(), "a", f, func() (json.RawMessage, error) { asked++; return json.RawMessage(`1`), nil })
			if err != nil {
				t.Fatal(err)
			}
			return asked
		}
		quiet := freshness{age: time.Second, changes: []events.Change{events.Failures}}
		get(quiet)
		time.Sleep(time.Minute)
		if n := get(quiet); n != 1 {
			t.Errorf("asked %d times in a quiet minute, want once", n)
		}
		changed = time.Now()
		if n := get(quiet); n != 2 {
			t.Errorf("asked %d times after a change, want twice", n)
		}
		time.Sleep(2 * time.Second)
		if n := get(freshness{age: time.Second}); n != 3 {
			t.Errorf("asked %d times for who depends on anything, want three times", n)
		}
		time.Sleep(quietFor)
		if n := get(quiet); n != 4 {
			t.Errorf("asked %d times after minutes, want four times", n)
		}
	})
}
