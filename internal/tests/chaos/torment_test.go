//go:build unix

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// tormentor decides what happens to the processes, and records it. One
// goroutine owns the tormentor and the nodes.
type tormentor struct {
	c    *cluster
	rand *rand.Rand
	next time.Time

	settling bool // each name needs one process only

	// overture has the first acts, so that a short test has one of each.
	overture []act

	deaths   []death
	pauses   []*pause
	faults   []string
	drains   int
	restarts int
	doubled  int // acts on two processes at the same time
	failed   int // drains that ended with an exit code other than 0
	forces   int // drains with a second signal
	forced   int // of these, the drains that it ended
	refused  int // processes that were refused because another one had the name
}

// act is what happens to a process.
type act int

const (
	kill act = iota
	sleepLong
	sleepShort
	drain
	force // a drain, and a second signal
	numActs
)

// forceAfter is the time between the first and the second signal. Within a second
// they would count as one.
const forceAfter = 1200 * time.Millisecond

func newTormentor(c *cluster, seed uint64) *tormentor {
	m := &tormentor{c: c, rand: rand.New(rand.NewPCG(seed, 1))}
	for _, i := range m.rand.Perm(int(numActs)) {
		m.overture = append(m.overture, act(i))
	}
	for _, n := range c.nodes {
		if err := n.start(); err != nil {
			c.Fatal(err)
		}
	}
	m.next = time.Now().Add(2 * time.Second)
	return m
}

// run torments the cluster until ctx ends.
func (m *tormentor) run(ctx context.Context) {
	beat := time.NewTicker(50 * time.Millisecond)
	defer beat.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case now := <-beat.C:
			m.tend(now)
			if !now.Before(m.next) {
				m.strike(now)
				m.next = now.Add(m.between(200*time.Millisecond, 2*time.Second))
			}
		}
	}
}

// waitFor waits until done is closed. A suspended process may hold the lock of a SQLite
// database that others wait for, so processes are resumed in the meantime.
func (m *tormentor) waitFor(done <-chan struct{}) {
	beat := time.NewTicker(50 * time.Millisecond)
	defer beat.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-beat.C:
			m.tend(now)
		}
	}
}

// tend resumes suspended processes whose time has passed, and starts processes again
// that have ended.
func (m *tormentor) tend(now time.Time) {
	for _, n := range m.c.nodes {
		switch {
		case n.dead:
			if now.Before(n.until) || m.settling && m.c.namesake(n) != nil {
				continue
			}
			m.restarts++
			if err := n.start(); err != nil {
				m.c.Fatal(err)
			}
		case n.ended():
			m.ended(n, now)
		case n.pause != nil && !now.Before(n.until):
			n.resume()
		case !n.force.IsZero() && !now.Before(n.force):
			n.endByForce()
		}
	}
}

// ended records the end of a process that was not killed.
func (m *tormentor) ended(n *node, now time.Time) {
	code := n.cmd.ProcessState.ExitCode()
	if fault := n.fault(); fault != "" {
		m.faults = append(m.faults, fmt.Sprintf("%s crashed: %s, see %s", n.name, fault, n.log))
	} else if n.c.contained && code == 1 && n.refused() {
		m.refused++
	} else if !n.asked {
		m.faults = append(m.faults, fmt.Sprintf("%s ended with exit code %d without a request, see %s:\n%s", n.name, code, n.log, n.lastWords()))
	} else if n.endedByForce() {
		m.forced++
	} else if code != 0 {
		m.failed++
		m.c.Logf("%s drained with exit code %d, see %s", n.name, code, n.log)
	}
	m.bury(n, now)
}

// bury schedules the next start: immediately, like a service manager, or after the
// leases of the dead process have expired.
func (m *tormentor) bury(n *node, now time.Time) {
	n.dead, n.until = true, now.Add(m.between(0, time.Second))
	if m.rand.IntN(3) == 0 {
		n.until = now.Add(m.between(*lease, *lease*8/5))
	}
}

// strike does something to one process, or different things to two at the same time. At
// least one is never struck.
func (m *tormentor) strike(now time.Time) {
	var victims []*node
	for _, i := range m.rand.Perm(len(m.c.nodes)) {
		// A process that has just started in a container does not receive SIGTERM yet.
		if n := m.c.nodes[i]; n.atWork() && (!n.c.contained || n.started()) {
			victims = append(victims, n)
		}
	}
	first, second := act(m.rand.IntN(int(numActs))), act(m.rand.IntN(int(numActs)))
	both := m.rand.IntN(4) == 0
	if len(victims) < 2 {
		return
	}
	if len(m.overture) > 0 {
		first, m.overture = m.overture[0], m.overture[1:]
		both = len(m.overture) == 0
	}
	m.do(first, victims[0], now)
	if !both {
		return
	}
	if second == first {
		second = (second + 1) % numActs
	}
	m.doubled++
	if len(victims) == 2 || m.rand.IntN(3) == 0 {
		m.do(second, victims[0], now) // the same process again, regardless of its state
		return
	}
	m.do(second, victims[1], now)
}

func (m *tormentor) do(a act, n *node, now time.Time) {
	switch {
	case n.dead: // killed by the first of two acts
	case a == kill:
		m.deaths = append(m.deaths, n.kill())
		m.bury(n, time.Now())
	case a == drain:
		m.drains++
		n.terminate()
	case a == force:
		m.forces++
		n.terminate()
		n.force = now.Add(forceAfter)
	case n.pause != nil: // it is already suspended
	case a == sleepLong:
		m.pauses = append(m.pauses, n.suspend(now.Add(m.between(*lease*21/20, *lease*8/5))))
	case a == sleepShort:
		m.pauses = append(m.pauses, n.suspend(now.Add(m.between(*lease/100, *lease*4/5))))
	}
}

// settle ends the torment: suspended processes are resumed, dead ones are
// started, and the cluster gets time to finish.
func (m *tormentor) settle(ctx context.Context, f *feeder) {
	m.c.Helper()
	beat := time.NewTicker(100 * time.Millisecond)
	defer beat.Stop()
	late := time.After(*patience)
	m.settling = true
	for {
		select {
		case <-ctx.Done():
			m.c.Fatalf("interrupted: %v", context.Cause(ctx))
		case <-late:
			m.c.Errorf("%d items or more are not finished %v after the torment; some of them:\n%s", f.open(ctx), *patience, f.openItems(ctx))
			return // other faults may show the reason
		case now := <-beat.C:
			m.tend(now)
			if m.allRunning() && f.open(ctx) == 0 {
				return
			}
		}
	}
}

func (m *tormentor) allRunning() bool {
	return !slices.ContainsFunc(m.c.nodes, func(n *node) bool {
		return (!n.atWork() || !n.started()) && (!n.dead || m.c.namesake(n) == nil)
	})
}

// between draws a duration.
func (m *tormentor) between(least, most time.Duration) time.Duration {
	return least + time.Duration(m.rand.Int64N(int64(most-least)))
}
