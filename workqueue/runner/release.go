package runner

import (
	"runtime/debug"
	"sync"
	"time"

	"botwork/workqueue"
)

const (
	// largeItem is the number of bytes from which on an item's memory is given back.
	largeItem = 4 << 20

	// releaseAfter is how long after the end of a large item that happens: its result is
	// written and nothing refers to it any more.
	releaseAfter = 2 * time.Second
)

// releaser returns memory to the system after large items. The Go runtime keeps it for
// minutes, and collects no garbage while a worker is idle.
type releaser struct {
	release func() // debug.FreeOSMemory, but in tests

	mu      sync.Mutex
	pending bool // guarded by mu
}

// ended records that an item has run. Items that end within a short time share one release.
func (r *releaser) ended(it *workqueue.Item, o *workqueue.Outcome) {
	if len(it.Payload)+len(it.IntegrationConfig)+len(it.Output)+len(o.Output) < largeItem && it.Oversized == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending {
		return
	}
	r.pending = true
	time.AfterFunc(releaseAfter, func() {
		r.mu.Lock()
		r.pending = false
		r.mu.Unlock()
		if r.release == nil {
			debug.FreeOSMemory()
			return
		}
		r.release()
	})
}
