package workqueue

import (
	"testing"
	"time"
)

func TestWorkerThatIsGone(t *testing.T) {
	now := time.Now()
	past, future := now.Add(-time.Second), now.Add(time.Second)
	for _, c := range []struct {
		state WorkerState
		lease *time.Time
		want  bool
	}{
		{WorkerActive, &future, false}, {WorkerActive, &past, true}, {WorkerActive, nil, true},
		{WorkerDraining, &past, true}, {WorkerStopped, &past, false},
	} {
		if got := (&Worker{State: c.state, LeaseExpiresAt: c.lease}).Gone(now); got != c.want {
			t.Errorf("Gone(%s, lease %v) = %t, want %t", c.state, c.lease, got, c.want)
		}
	}
}
