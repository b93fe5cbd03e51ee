package simulation

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// world is one history.
type world struct {
	t       *testing.T
	seed    uint64
	rules   rules
	started time.Time

	// clock is how far the database's clock is ahead of the simulation's.
	clock time.Duration

	db      *oracle
	judge   *judge
	machine []*machine
	items   int64 // number of items so far

	// burstAfter is the last item before the burst; -1: there was none yet.
	burstAfter atomic.Int64
	calm       atomic.Bool   // the trouble has ended
	closing    atomic.Bool   // no more processes start
	over       chan struct{} // closed when a violation was found

	// loose waits for goroutines of later events.
	loose sync.WaitGroup

	mu        sync.Mutex
	processes []*process // all that have been started
}

// rules are the settings of a cluster.
type rules struct {
	Machines  int
	Capacity  int
	Reserved  int // of the slots, for high items
	Channels  workqueue.Channels
	Lease     time.Duration
	Heartbeat time.Duration
	Grace     time.Duration
	Workers   assign.Availability
	Items     int
	Burst     int // more items, all at the same time

	// MaxReleases is how many workers may die while they run an item.
	MaxReleases int

	// Wake lets the pipelines wake that can. With Quiet, all statements arrive and
	// are answered.
	Wake, Quiet bool

	// Steps lets a part of the items run pipelines with `resume`. MaxOutput is the queue's; 0: the default.
	Steps     bool
	MaxOutput int64

	// WrongReading means that reading the database's clock returns the machine's.
	WrongReading bool

	Trouble time.Duration // how long it lasts
}

func drawRules(d dice) rules {
	r := rules{
		Machines: []int{1, 1, 2, 2, 3, 4}[d.IntN(6)], Capacity: 1 + d.IntN(3), Grace: 20 * time.Second,
		Lease: time.Minute, Heartbeat: 20 * time.Second, Workers: assign.IdleWorkers,
		Items: 5 + d.IntN(10), Trouble: d.between(2*time.Minute, 4*time.Minute),
	}
	if d.chance(60) {
		r.Lease, r.Heartbeat, r.Trouble = 10*time.Second, 3*time.Second, d.between(time.Minute, 2*time.Minute)
	}
	r.MaxReleases, r.WrongReading = []int{5, 3, 2}[d.IntN(3)], d.chance(30)
	if d.chance(50) {
		r.Workers = assign.AvailableWorkers
	}
	return r
}

// simulate runs one history and returns its judge. It must be called
// in a bubble.
func simulate(t *testing.T, seed uint64, tr trial) *judge {
	tr.person = hasPerson(seed)
	d := roll(seed, "world", 0)
	w := &world{
		t: t, seed: seed, rules: drawRules(d), started: time.Now(), clock: d.between(-time.Hour, time.Hour),
		over: make(chan struct{}),
	}
	w.rules.drawSlots(roll(seed, "slots", 0))
	w.rules.drawSteps(seed)
	w.burstAfter.Store(-1)
	if burst := roll(seed, "burst", 0); burst.chance(20) {
		w.rules.Burst = 20 + burst.IntN(20)
	}
	w.rules.Wake, w.rules.Quiet = roll(seed, "wake", 0).chance(50), roll(seed, "quiet", 0).chance(25) || onlyPerson(seed)
	w.judge = newJudge(w)
	w.db = openOracle(w, tr)
	for i := range w.rules.Machines {
		w.machine = append(w.machine, &machine{
			w: w, name: fmt.Sprintf("w%d", i+1), skew: d.between(-time.Hour, time.Hour),
		})
	}
	w.judge.log("world", "%+v, database %s ahead", w.rules, w.clock)
	w.live(d)
	w.db.close()
	return w.judge
}

// sleep waits, but no longer than the history lasts.
func (w *world) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.over:
	}
}

// later calls do after d, unless the history has become calm before.
func (w *world) later(d time.Duration, do func()) {
	w.loose.Go(func() {
		w.sleep(d)
		if !w.calm.Load() && !w.isOver() {
			do()
		}
	})
}

// everyone returns every process that was started, including those that have ended.
func (w *world) everyone() []*process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.processes)
}

func (w *world) isOver() bool { return closed(w.over) }

// elapsed returns the simulation's time.
func (w *world) elapsed() time.Duration { return time.Since(w.started) }
