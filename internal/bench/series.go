package bench

import (
	"context"
	"math"
	"runtime/debug"
	"time"
)

// size returns how many of n a round handles: fewer in the warm-up round.
type size func(n int) int

// warmUp limits the warm-up round. It is large enough to fill caches, plans and the heap.
func warmUp(n int) int { return min(n, 2000) }

func whole(n int) int { return n }

// warms reports whether the round is the warm-up round.
func (of size) warms() bool { return of(math.MaxInt) < math.MaxInt }

// work returns the progress of a scenario that handles n in each round.
func (c Common) work(n int) int { return warmUp(n) + c.rounds()*n }

// series runs the warm-up round, then the measured rounds, until one fails.
func (c Common) series(ctx context.Context, round func(ctx context.Context, of size) (Sample, error)) ([]Sample, error) {
	if _, err := round(ctx, warmUp); err != nil {
		return nil, err
	}
	var samples []Sample
	for range c.rounds() {
		s, err := round(ctx, whole)
		if err != nil {
			return samples, err
		}
		samples = append(samples, s)
	}
	return samples, nil
}

func perSecond(n int, since time.Time) float64 { return float64(n) / time.Since(since).Seconds() }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// usage is the resource usage of this process at the start of a measurement.
type usage struct {
	at  time.Time
	cpu time.Duration
}

// startUsage starts a measurement. It first returns unused memory to the system, so that
// the peak belongs to the measurement on systems that can reset it.
func startUsage() usage {
	debug.FreeOSMemory()
	resetPeak()
	return usage{at: time.Now(), cpu: usedCPU()}
}

// usage records what this process has used since the start.
func (s Sample) usage(since usage, items int) {
	s[CPUSecondsPer1000] = (usedCPU() - since.cpu).Seconds() / float64(items) * 1000
	s[PeakRSSMb] = float64(peakMemory()) / (1 << 20)
}
