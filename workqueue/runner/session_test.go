package runner

import (
	"testing"
	"time"

	"botwork/workqueue"
)

// newTestSession returns a session of a worker that does not run.
func newTestSession(o SessionOptions) *Session {
	r := &Runner{o: Options{Spec: workqueue.WorkerSpec{Capacity: 1}}, draining: make(chan struct{})}
	r.dispatch = newDispatcher(r)
	return r.NewSession(o)
}

func TestSessionOfAContext(t *testing.T) {
	s := newTestSession(SessionOptions{})
	if SessionOf(s.With(t.Context())) != s || SessionOf(t.Context()) != nil {
		t.Error("SessionOf does not return the session of the context, or returns one for a context without")
	}
}

func TestSessionEndReportsUnseenWork(t *testing.T) {
	for name, wake := range map[string]bool{"for a claim": false, "for a pass": true} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(SessionOptions{Wakes: true})
			if !s.Wake(wake) {
				t.Fatal("Wake = false of an open session")
			}
			if !s.End() {
				t.Error("End = false although the session was woken and has not looked for work")
			}
			if s.Wake(wake) {
				t.Error("a session that has ended was woken")
			}
		})
	}
	if newTestSession(SessionOptions{}).End() {
		t.Error("End = true of a session that was not woken")
	}
}

func TestSessionStaysUntilLeave(t *testing.T) {
	s := newTestSession(SessionOptions{StayFor: time.Minute})
	now := time.Now()
	if !s.stays(now) || s.stays(now.Add(2*time.Minute)) {
		t.Error("the session does not stay for a minute")
	}
	s.Leave()
	s.Leave()
	if s.stays(now) {
		t.Error("the session stays after Leave")
	}
	if newTestSession(SessionOptions{}).stays(now) {
		t.Error("a session without StayFor stays")
	}
}

func TestNilSession(t *testing.T) {
	var s *Session
	s.Leave()
	s.Tick()
	if s.Wake(true) || s.End() || s.Moved() != 0 {
		t.Error("a method of a nil session has an effect")
	}
}

// An item counts for the first step that runs its priority and has not ended.
func TestSessionStepOfAnItem(t *testing.T) {
	high, rest := workqueue.Band{Min: 1001, Max: workqueue.EveryPriority.Max}, workqueue.Band{Min: 500, Max: workqueue.EveryPriority.Max}
	s := newTestSession(SessionOptions{Steps: []SessionStep{{"high", high}, {"computed", workqueue.Band{}}, {"rest", rest}}})
	for _, want := range []struct {
		priority int
		step     string
	}{{2000, "high"}, {1000, "rest"}, {499, ""}} {
		got := ""
		if st := s.stepFor(want.priority); st != nil {
			got = st.name
		}
		if got != want.step {
			t.Errorf("priority %d counts for %q, want %q", want.priority, got, want.step)
		}
	}
	s.steps[0].ended = true
	if st := s.stepFor(2000); st == nil || st.name != "rest" {
		t.Errorf("priority 2000 counts for %+v after the first step has ended, want the last step", st)
	}
	computed := s.begin(t.Context(), ExecuteParams{Step: "computed", Band: workqueue.Band{Min: 100, Max: 200}})
	if st := s.stepFor(150); st != computed {
		t.Errorf("priority 150 counts for %+v, want the step that started with it", st)
	}
	again := s.begin(t.Context(), ExecuteParams{Step: "computed", Band: workqueue.Band{Min: 300, Max: 400}})
	if again == computed || s.stepFor(300) != again {
		t.Error("a step that runs again is not a separate step")
	}
}
