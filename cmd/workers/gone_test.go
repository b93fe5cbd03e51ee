package workers

import (
	"testing"
	"time"

	"botwork/workqueue"
)

func TestWorkerThatIsGone(t *testing.T) {
	now := time.Now()
	past, future := now.Add(-time.Second), now.Add(time.Second)
	for _, c := range []struct {
		state workqueue.WorkerState
		lease *time.Time
		want  bool
	}{
		{workqueue.WorkerActive, &future, false}, {workqueue.WorkerActive, &past, true}, {workqueue.WorkerActive, nil, true},
		{workqueue.WorkerDraining, &past, true}, {workqueue.WorkerStopped, &past, false},
	} {
		if got := gone(&workqueue.Worker{State: c.state, LeaseExpiresAt: c.lease}, now); got != c.want {
			t.Errorf("gone(%s, lease %v) = %t, want %t", c.state, c.lease, got, c.want)
		}
	}
}
