package bench

import (
	"context"
	"math"
	"runtime/debug"
	"time"
)

// size returns how many of n a round handles: few while it only warms up.
type size func(n int) int

// warmUp is enough for caches, plans and the heap to be in use.
func warmUp(n int) int { return min(n, 2000) }

func whole(n int) int { return n }

// warms reports whether the round only warms up.
func (of size) warms() bool { return of(math.MaxInt) < math.MaxInt }

// work is the progress of a scenario that handles so many in each round.
func (c Common) work(n int) int { return warmUp(n) + c.rounds()*n }

// series runs a small round that warms up, then the rounds that are measured,
// until one fails.
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

// usage is what this process had used when a measurement began.
type usage struct {
	at  time.Time
	cpu time.Duration
}

// startUsage begins a measurement: memory that is not in use goes back to the system before, so
// that the peak belongs to the measurement on systems that can reset it.
func startUsage() usage {
	debug.FreeOSMemory()
	resetPeak()
	return usage{at: time.Now(), cpu: usedCPU()}
}

// usage notes what this process has used since.
func (s Sample) usage(since usage, items int) {
	s[CPUSecondsPer1000] = (usedCPU() - since.cpu).Seconds() / float64(items) * 1000
	s[PeakRSSMb] = float64(peakMemory()) / (1 << 20)
}
