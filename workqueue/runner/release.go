package runner

import (
	"runtime/debug"
	"sync"
	"time"

	"botwork/workqueue"
)

const (
	// largeItem is from how many bytes of its texts on an item's memory is given back.
	largeItem = 4 << 20

	// releaseAfter is how long after the end of a large item that is, when the end was
	// written and nothing refers to the item any more.
	releaseAfter = 2 * time.Second
)

// releaser gives memory back to the system after large items. The runtime itself keeps it
// for minutes, and collects no garbage while a worker has nothing to do.
type releaser struct {
	release func() // debug.FreeOSMemory, but in tests

	mu      sync.Mutex
	pending bool // guarded by mu
}

// ended notes that an item has run. Many that end within a short time are one release.
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
