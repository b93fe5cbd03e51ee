package process_test

import (
	"fmt"
	"sync"
	"testing"

	"botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// Six items for six slots, three of which are on one worker: with the shipped files all of them
// run at the same time in every mode.
func TestEachSlotRunsAnItem(t *testing.T) {
	for _, mode := range []string{"longest-idle", "best-worker", "round-robin"} {
		t.Run(mode, func(t *testing.T) {
			testdb.Each(t, func(t *testing.T, e testdb.Engine) {
				x := newFixture(t, e)
				begun, goOn := x.addHold()
				x.files["job"] = fmt.Sprintf("distribution: {mode: %s}\nsteps:\n  - handler: Hold\n", mode)
				var processes []*process.Process
				for name, capacity := range map[string]int{"large": 3, "a": 1, "b": 1, "c": 1} {
					b := x.newOptions(name)
					b.Spec.Capacity = capacity
					processes = append(processes, x.new(b))
				}
				var ids []int64
				for range 7 {
					ids = append(ids, x.enqueue(workqueue.NewItem{IntegrationConfig: "job", Priority: 700}))
				}
				var wg sync.WaitGroup
				defer wg.Wait()
				for _, p := range processes {
					wg.Go(func() {
						if err := p.RunOnce(t.Context(), medium); err != nil {
							t.Errorf("%s: %v", p.Worker().Name, err)
						}
					})
				}
				defer close(goOn) // for runs that still wait
				for n := range 6 {
					receive(t, begun, fmt.Sprintf("item %d of 6 at the same time", n+1))
				}
				running := 0
				for _, id := range ids {
					if x.item(id).State == workqueue.Blocked {
						running++
					}
				}
				if running != 6 {
					t.Errorf("%d items run, want one on each of six slots", running)
				}
			})
		})
	}
}
