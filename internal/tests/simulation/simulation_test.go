package simulation

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

var (
	seeds = flag.Int("seeds", 12, "how many histories to run")
	seed  = flag.Uint64("seed", 0, "run only this history, and with -v log all of it")
)

// history runs one seed in its own bubble.
func history(t *testing.T, seed uint64, tr trial) (j *judge) {
	synctest.Test(t, func(t *testing.T) { j = simulate(t, seed, tr) })
	return j
}

func TestSeeds(t *testing.T) {
	if *seed != 0 {
		j := history(t, *seed, trial{})
		t.Logf("%s", j.tail(1_000_000))
		report(t, *seed, j)
		return
	}
	var next atomic.Uint64
	var wg sync.WaitGroup
	var mu sync.Mutex
	var total figures
	// gocron's shutdown spins until other goroutines have run: with more of the
	// runtime's processors than histories, they run at once.
	workers := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2 * workers))
	for range workers {
		wg.Go(func() {
			for n := next.Add(1); n <= uint64(*seeds) && !t.Failed(); n = next.Add(1) {
				j := history(t, n, trial{})
				report(t, n, j)
				mu.Lock()
				total.add(j.figures)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d histories: %v", *seeds, total)
}

// report fails the test for the violations of a history.
func report(t *testing.T, seed uint64, j *judge) {
	t.Helper()
	if len(j.violations) > 0 {
		t.Errorf("seed %d: %s\n\n%s\n\nto repeat it with the complete log: go test ./internal/tests/simulation -run TestSeeds -seed %d -v",
			seed, j.violations[0], j.tail(40), seed)
	}
}

// A seed that fails must fail again, otherwise the failure cannot be analysed.
func TestSeedIsReproducible(t *testing.T) {
	for n := range uint64(4) {
		t.Run(fmt.Sprint("seed ", n+1), func(t *testing.T) {
			t.Parallel()
			first, second := history(t, n+1, trial{}).inOrder(), history(t, n+1, trial{}).inOrder()
			for i := range max(len(first), len(second)) {
				if i >= len(first) || i >= len(second) || first[i] != second[i] {
					t.Fatalf("the histories differ from line %d on:\n%v\n%v", i+1, at(first, i), at(second, i))
				}
			}
		})
	}
}
