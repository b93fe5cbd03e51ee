package runner

import (
	"runtime/debug"
	"sync"
	"time"

	"botwork/workqueue"
)

const (
	// largeItem is the size in bytes from which memory is returned to the system after an
	// item.
	largeItem = 4 << 20

	// releaseAfter is the delay between the end of a large item and the release of its
	// memory. By then its result is written, and nothing refers to the item.
	releaseAfter = 2 * time.Second
)

// releaser returns memory to the system after large items. Without it, the Go runtime would
// keep the memory for minutes, and it collects no garbage while a worker is idle.
type releaser struct {
	release func() // set by tests; nil: debug.FreeOSMemory

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
