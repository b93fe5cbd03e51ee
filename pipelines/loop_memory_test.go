package pipelines

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"botwork/handlers"
)

// A loop over 100,000 elements whose step has no output keeps less than 50 MB, the elements included. Its
// outputs are collected, so each iteration leaves as much as it can.
func TestLoopMemory(t *testing.T) {
	const elements, most = 100_000, 50_000_000
	for _, loop := range []string{"collect: true", "collect: true, parallel: 4", "collect: true, onError: continue"} {
		heap := func() uint64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before, largest, n := heap(), uint64(0), atomic.Int64{}
		c := testCompiler(map[string]do{"Nothing": func(context.Context, *handlers.Call) (any, error) {
			if n.Add(1)%(elements/4) == 0 {
				largest = max(largest, heap())
			}
			return nil, nil
		}})
		p := parse(t, c, "steps: [{foreach: '${{ payload }}', "+loop+", handler: Nothing}]")
		got := testEngine(nil).Run(t.Context(), p, RunInput{Run: testRun("[" + strings.Repeat("1,", elements-1) + "1]")})
		if got.Error != "" || n.Load() != elements {
			t.Fatalf("%s: %d iterations, %s", loop, n.Load(), got.Error)
		}
		if used := int64(largest) - int64(before); largest == 0 || used > most {
			t.Errorf("%s: %d iterations keep %d bytes, want at most %d", loop, elements, used, most)
		} else {
			t.Logf("%s: %d iterations keep %.1f MB", loop, elements, float64(used)/1e6)
		}
	}
}
