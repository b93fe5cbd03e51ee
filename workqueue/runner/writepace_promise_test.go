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

// modelDatabase is a database whose writes take a known time, and the runs whose ends go
// there: each slot begins its next run when the completer lets it.
type modelDatabase struct {
	fixed, each time.Duration // of one write, and of each result in it
	slots       int
	run         time.Duration // how long one run takes
}

// slowest returns how long after the end of a run its result was in the database at the
// latest, in two seconds of which the first half is left out: the completer learns in it.
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

// What a kill repeats is bounded by how long a result waits to be written. A write takes 5 ms
// at the most, or twice as long as one of a single result on a slow disk. While a write carries
// all that ends during another, a result waits for the one that is under way and for its own:
// 10 ms. Where runs end faster, the slots wait; those that were running then end with one
// more write: 15 ms. A single result, written to learn what that takes, may come in between.
func TestResultsAreWrittenSoon(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	for _, c := range []struct {
		name string
		modelDatabase
		most time.Duration
	}{
		{"a write carries all", modelDatabase{500 * us, 20 * us, 16, ms}, 10 * ms},
		{"a write carries just all", modelDatabase{500 * us, 20 * us, 16, 450 * us}, 10 * ms},
		{"a server near by", modelDatabase{1500 * us, 10 * us, 64, ms}, 10 * ms},
		{"runs end faster", modelDatabase{500 * us, 20 * us, 16, 50 * us}, 15 * ms},
		{"runs end faster in many slots", modelDatabase{500 * us, 20 * us, 64, 50 * us}, 15 * ms},
		{"runs end faster than a server near by takes them", modelDatabase{1500 * us, 10 * us, 16, 20 * us}, 15 * ms},
		{"a slow disk", modelDatabase{8 * ms, 20 * us, 16, 50 * us}, 3 * 2 * 8 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			worst, most := c.slowest(t), c.most+c.write(1)
			t.Logf("%v at the latest", worst)
			if worst > most {
				t.Errorf("a result was written %v after its run had ended, want at most %v", worst, most)
			}
		})
	}
}
