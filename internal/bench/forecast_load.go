package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

const (
	// forecastWarmUp is how many items run before, so that the workers learn how long runs take and how many fail.
	forecastWarmUp = 240

	// learnTime is how long workers need to write what they have learned.
	learnTime = 12 * time.Second

	// forecastAhead is the part of the items that become due later.
	forecastAhead = 0.2

	// attemptFails is the part of the attempts that fail.
	attemptFails = 0.05
)

// forecastPipelines are the pipelines of the load. A run takes a time with this mean before scaling; its logarithm is distributed
// normally with this standard deviation.
var forecastPipelines = []struct {
	name   string
	of     int // of ten items
	mean   time.Duration
	spread float64
}{
	{"short", 6, 30 * time.Second, 0.3}, {"varied", 3, 90 * time.Second, 0.9}, {"long", 1, 5 * time.Minute, 0.4},
}

// forecastLoad is the load, and its handler.
type forecastLoad struct {
	seed     uint64
	scale    float64
	progress func(more int)

	mu       sync.Mutex
	attempts map[int64]int
	done     map[int64]int
	failures int
	wanted   time.Duration // of the latest items
}

// files are the pipelines: a failed attempt is repeated after a minute, scaled.
func (l *forecastLoad) files() map[string]string {
	files := map[string]string{}
	for _, p := range forecastPipelines {
		files[p.name+".yaml"] = fmt.Sprintf("resilience: {limit: 20, delay: %s, factor: 1, jitter: 0}\n%s", handlers.Duration(l.scaled(time.Minute)), noopText)
	}
	return files
}

func (l *forecastLoad) scaled(d time.Duration) time.Duration {
	return max(time.Duration(l.scale*float64(d)), time.Millisecond).Round(time.Millisecond)
}

// items draws items; a part of them becomes due within the first half of the time.
func (l *forecastLoad) items(n int, ahead float64) []workqueue.NewItem {
	d := rand.New(rand.NewPCG(l.seed, uint64(n))) //nolint:gosec // a load, not a secret
	list := make([]workqueue.NewItem, n)
	l.wanted = 0
	for i := range list {
		p := &forecastPipelines[0]
		for at, of := d.IntN(10), 0; of < len(forecastPipelines); of++ {
			if p = &forecastPipelines[of]; at < p.of {
				break
			}
			at -= p.of
		}
		list[i] = workqueue.NewItem{State: workqueue.Pending, IntegrationConfig: p.name, Priority: []int{500, 700, 1000, 1200}[d.IntN(4)]}
		l.wanted += l.scaled(p.mean)
		if d.Float64() < ahead {
			list[i].In = l.scaled(time.Duration(d.Float64() * float64(n) * float64(20*time.Second) / 8))
		}
	}
	return list
}

// work returns how long all runs of the latest items take together, without repeated ones.
func (l *forecastLoad) work() time.Duration { return l.wanted }

var errDrawn = errors.New("this attempt was drawn to fail")

// Handle implements handlers.Handler. How long an attempt takes and whether it fails is drawn from the seed, the item and the
// number of the attempt.
func (l *forecastLoad) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	l.mu.Lock()
	l.attempts[call.ItemID]++
	n := l.attempts[call.ItemID]
	l.mu.Unlock()
	d := rand.New(rand.NewPCG(l.seed, uint64(call.ItemID)<<8+uint64(n))) //nolint:gosec // likewise
	takes := time.Duration(0)
	for _, p := range forecastPipelines {
		if p.name == call.Pipeline {
			takes = l.scaled(time.Duration(float64(p.mean) * math.Exp(p.spread*d.NormFloat64()-p.spread*p.spread/2)))
		}
	}
	if err := sleepUntil(ctx, time.Now().Add(takes)); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.Float64() < attemptFails {
		l.failures++
		return nil, errDrawn
	}
	if l.done == nil {
		l.done = map[int64]int{}
	}
	l.done[call.ItemID]++
	if l.progress != nil {
		l.progress(1)
	}
	return nil, nil
}

// failed returns how many attempts have failed.
func (l *forecastLoad) failed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failures
}

// count counts the items that did not succeed exactly once.
func (l *forecastLoad) count(items int) Count {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := Count{Items: items, Lost: items - len(l.done)}
	for _, n := range l.done {
		if n > 1 {
			c.RanTwice++
		}
	}
	return c
}
