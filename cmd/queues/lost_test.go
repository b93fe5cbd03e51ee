package queues_test

import (
	"io"
	"testing"

	"botwork/cmd/queues"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestPurgeCountsWhatWasRemoved(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "x"}`, "--count", "600")
	store := &clitest.LossyStore{Store: clitest.OpenQueue(t), Lose: func(call int) (bool, bool) { return true, call == 1 }}
	a := &cli.App{Streams: cli.Streams{Stderr: io.Discard}}
	p := workqueue.PurgeParams{Queue: workqueue.DefaultQueue, Batch: workqueue.BatchPart{Key: workqueue.NewBatchKey()}}
	if n, err := queues.PurgePages(t.Context(), a, store, p, func(int) {}); err != nil || n != 600 {
		t.Errorf("purgePages = %d, %v; want 600", n, err)
	}
}
