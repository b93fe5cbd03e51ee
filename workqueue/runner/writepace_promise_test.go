package runner

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

// modelDatabase is a model of a database with a known write time, and of slots that write their
// results to it. Each slot starts its next run when the completer allows it.
type modelDatabase struct {
	fixed, each time.Duration // of one write, and of each result in it
	slots       int
	run         time.Duration // how long one run takes
}

// slowest returns the longest time between the end of a run and the write of its result. It
// measures for two seconds, without the first one, in which the completer learns the write time.
func (d modelDatabase) slowest(t *testing.T) (worst time.Duration) {
	const learning, lasting = time.Second, 2 * time.Second
	synctest.Test(t, func(t *testing.T) {
		c := newCompleter(finishStore{finish: func(_ context.Context, fs []workqueue.Finish) ([]int64, error) {
			time.Sleep(d.write(len(fs)))
			return nil, nil
		}}, workqueue.Worker{ID: 1}, newHeld(), time.Minute, zerolog.Nop())
		ctx, cancel := context.WithCancel(t.Context())
		var loop, slots sync.WaitGroup
		loop.Go(func() { c.run(ctx) })
		var mu sync.Mutex
		began := time.Now()
		for range d.slots {
			slots.Go(func() {
				for time.Since(began) < lasting {
					time.Sleep(d.run)
					ended := time.Now()
					c.add(workqueue.Finish{ItemID: 1}, func(bool) {
						mu.Lock()
						defer mu.Unlock()
						if ended.Sub(began) > learning {
							worst = max(worst, time.Since(ended))
						}
					})
					c.awaitRoom()
				}
			})
		}
		slots.Wait()
		time.Sleep(time.Second)
		cancel()
		loop.Wait()
		if left := c.unwritten(); len(left) > 0 {
			t.Errorf("%d results are not written at the end", len(left))
		}
	})
	return worst
}

func (d modelDatabase) write(results int) time.Duration {
	return d.fixed + time.Duration(results)*d.each
}

// After a kill, only runs whose results are not written are repeated, so the time until a result
// is written is bounded. A write takes at most 5 ms, or on a slow disk twice as long as a write of
// one result. If a write can contain everything that ended during the previous one, a result waits
// for the write in progress and for its own: 10 ms. If runs end faster, the slots wait, and the
// results of their current runs need one more write: 15 ms. In between there may be a write of a
// single result to measure its time.
func TestResultsAreWrittenSoon(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	for _, c := range []struct {
		name string
		modelDatabase
		most time.Duration
	}{
		{"one write contains all results", modelDatabase{500 * us, 20 * us, 16, ms}, 10 * ms},
		{"one write just contains all results", modelDatabase{500 * us, 20 * us, 16, 450 * us}, 10 * ms},
		{"nearby server", modelDatabase{1500 * us, 10 * us, 64, ms}, 10 * ms},
		{"runs end faster than writes", modelDatabase{500 * us, 20 * us, 16, 50 * us}, 15 * ms},
		{"runs end faster than writes, many slots", modelDatabase{500 * us, 20 * us, 64, 50 * us}, 15 * ms},
		{"runs end faster than writes, nearby server", modelDatabase{1500 * us, 10 * us, 16, 20 * us}, 15 * ms},
		{"a slow disk", modelDatabase{8 * ms, 20 * us, 16, 50 * us}, 3 * 2 * 8 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			worst, most := c.slowest(t), c.most+c.write(1)
			t.Logf("%v at most", worst)
			if worst > most {
				t.Errorf("a result was written %v after its run had ended, want at most %v", worst, most)
			}
		})
	}
}
