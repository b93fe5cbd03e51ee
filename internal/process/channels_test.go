package process_test

import (
	"context"
	"sync"
	"testing"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// The pipeline's file names the channel, and the worker's settings its cost: a call occupies all
// slots, so no letter runs at the same time.
func TestChannelOfPipelineOccupiesSlots(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		var mu sync.Mutex
		running := map[string]int{}
		letters := make(chan struct{}) // closed when two letters run at once
		beside := func(what string, do func()) handle {
			return func(context.Context, *handlers.Call) (any, error) {
				mu.Lock()
				running[what]++
				if running["call"] > 1 || running["call"] == 1 && running["letter"] > 0 {
					t.Errorf("%v run at once", running)
				}
				if running["letter"] == 2 {
					close(letters)
				}
				mu.Unlock()
				do()
				mu.Lock()
				running[what]--
				mu.Unlock()
				return nil, nil
			}
		}
		x.kinds["Call"] = beside("call", func() {})
		x.kinds["Write"] = beside("letter", func() { <-letters })
		x.files["call"] = "channel: voice\nsteps:\n  - handler: Call\n"
		x.files["letter"] = "steps:\n  - handler: Write\n"
		b := x.newOptions("w")
		b.Spec.Capacity, b.Spec.Channels = 2, workqueue.Channels{"voice": {Cost: 2}}
		var ids []int64
		for _, pipeline := range []string{"call", "letter", "letter", "call", " call\n"} {
			ids = append(ids, x.enqueue(workqueue.NewItem{IntegrationConfig: pipeline, Priority: 600}))
		}
		x.runOnce(b, medium)
		x.wantState(workqueue.Processed, ids...)
	})
}
