package forecast

import (
	"math"
	"time"
)

// instant is a time of a history in milliseconds from its beginning. It is small, so that 200
// histories of 100,000 items take 160 MB.
type instant uint32

// notYet is the instant of what has not happened in a history.
const notYet = instant(math.MaxUint32)

func instantOf(at time.Duration) instant { return instant(min(at.Milliseconds(), int64(notYet-1))) } //nolint:gosec // bounded

// collector is the watcher of histories, for one goroutine.
type collector struct {
	p *prepared

	// Of the current history.
	start, end []instant // of each item: the first start and the last end
	empty      []instant // of each group: when none of its items waits or runs for the first time
	active     []int     // of each group: items that are due, assigned or running
	started    []time.Duration
	running    []int32 // the worker of each running item; -1: none
	counted    []bool  // the items in active
	used       usage   // nil: it is not kept

	// Of all histories.
	expired []int32     // of each item: in how many it expired
	busy    [][]float64 // of each worker, of each hour: slot hours
	arrived []int       // of each source
}

func newCollector(p *prepared, hours int) *collector {
	n := len(p.s.Items)
	c := &collector{
		p: p, active: make([]int, len(p.groups)), started: make([]time.Duration, n), running: make([]int32, n), counted: make([]bool, n), expired: make([]int32, n), arrived: make([]int, len(p.sources)),
	}
	for range p.s.Workers {
		c.busy = append(c.busy, make([]float64, hours))
	}
	return c
}

// begin starts a history that is written to these slices.
func (c *collector) begin(start, end, empty []instant, used usage) {
	c.start, c.end, c.empty, c.used = start, end, empty, used
	for i := range start {
		start[i], end[i] = notYet, notYet
	}
	for g := range c.p.groups {
		c.active[g] = c.p.groups[g].now
		c.empty[g] = notYet
		if c.active[g] == 0 {
			c.empty[g] = 0
		}
	}
	for i := range c.running {
		c.running[i] = -1
	}
	copy(c.counted, c.p.activeNow)
	for _, i := range c.p.runningNow {
		c.start[i], c.started[i], c.running[i] = 0, 0, c.p.holder(i)
	}
}

// Due implements assign.Watcher.
func (c *collector) Due(item int, _ time.Duration) bool {
	c.counted[item] = true
	for _, g := range c.p.of[item] {
		c.active[g]++
	}
	if s := c.p.laws[item].source; s >= 0 {
		c.arrived[s]++
	}
	return true
}

// Started implements assign.Watcher.
func (c *collector) Started(item, worker int, at time.Duration) bool {
	item = int(c.p.origin[item])
	if c.start[item] == notYet {
		c.start[item] = instantOf(at)
	}
	c.started[item], c.running[item] = at, int32(worker) //nolint:gosec // there are fewer workers
	return true
}

// Ended implements assign.Watcher.
func (c *collector) Ended(item, worker int, at time.Duration, final bool) bool {
	origin := c.p.origin[item]
	c.use(worker, c.started[origin], at)
	c.running[origin] = -1
	if final {
		c.end[origin] = instantOf(at)
		c.leave(item, at)
	}
	return true
}

// Expired implements assign.Watcher.
func (c *collector) Expired(item int, at time.Duration) bool {
	origin := c.p.origin[item]
	c.expired[origin]++
	if w := c.running[origin]; w >= 0 {
		c.use(int(w), c.started[origin], at)
		c.running[origin] = -1
	}
	c.leave(item, at)
	return true
}

// Escalated implements assign.Watcher.
func (c *collector) Escalated(item, to int, at time.Duration) bool {
	if to < 0 {
		c.leave(item, at)
		return true
	}
	from, into := c.p.of[item], c.p.of[to]
	for kind := range from {
		if from[kind] != into[kind] {
			c.active[into[kind]]++
			c.leaveGroup(from[kind], at)
		}
	}
	return true
}

// leave ends the time in which an item waits or runs.
func (c *collector) leave(item int, at time.Duration) {
	origin := c.p.origin[item]
	if !c.counted[origin] {
		return // it expired before it was due
	}
	c.counted[origin] = false
	for _, g := range c.p.of[item] {
		c.leaveGroup(g, at)
	}
}

func (c *collector) leaveGroup(g int32, at time.Duration) {
	c.active[g]--
	if c.active[g] == 0 && c.empty[g] == notYet {
		c.empty[g] = instantOf(at)
	}
}

// use counts the time of a run in the hours of a worker.
func (c *collector) use(worker int, from, to time.Duration) {
	busy := c.busy[worker]
	for hour := int(from / time.Hour); hour < len(busy) && from < to; hour++ {
		end := min(time.Duration(hour+1)*time.Hour, to)
		busy[hour] += (end - from).Hours()
		if c.used != nil {
			c.used[worker*len(busy)+hour] += float32((end - from).Hours())
		}
		from = end
	}
}

// finish counts the runs that have not ended when the history does.
func (c *collector) finish(until time.Duration) {
	for i, w := range c.running {
		if w >= 0 {
			c.use(int(w), c.started[i], until)
		}
	}
}
