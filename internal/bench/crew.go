package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// crew are the worker processes of a soak, present and past.
type crew struct {
	o    SoakOptions
	dsn  string
	dir  string     // of their ledgers
	died chan error // of a process that was not ended

	present []*member
	all     []*member // in the order in which they began
	kills   int
}

// member is one process of a crew.
type member struct {
	*child
	at int // its place among those that are present; its name lasts with it

	killed *kill // nil: it was not

	mu     sync.Mutex
	ending bool
	rss    []float64 // MiB, each second
	peak   float64   // MiB

	heard chan struct{} // closed when its output has ended
}

// join adds a process.
func (c *crew) join(ctx context.Context) error {
	m, err := c.start(ctx, len(c.present))
	if err == nil {
		c.present = append(c.present, m)
	}
	return err
}

func (c *crew) start(ctx context.Context, at int) (*member, error) {
	ch, err := c.o.startChild(ctx, job{
		Driver: c.o.Driver, DSN: c.dsn, Name: fmt.Sprint("soak-", at+1), Capacity: c.o.Capacity,
		Ledger: c.ledgerOf(len(c.all)), Serve: true, Failures: c.o.Failures, LeaseMs: soakLease.Milliseconds(),
	})
	if err != nil {
		return nil, err
	}
	m := &member{child: ch, at: at, heard: make(chan struct{})}
	c.all = append(c.all, m)
	go c.listen(m)
	return m, m.begin()
}

// listen takes what a process says until its output ends.
func (c *crew) listen(m *member) {
	defer close(m.heard)
	for {
		w, err := m.hear()
		m.mu.Lock()
		if err == nil && w.RSSMb > 0 {
			m.rss = append(m.rss, w.RSSMb)
		}
		m.peak = max(m.peak, w.RSSMb, w.PeakRSSMb)
		ending := m.ending
		m.mu.Unlock()
		if err != nil {
			if !ending {
				select {
				case c.died <- fmt.Errorf("it ended by itself: %w", err):
				default: // one is enough to fail
				}
			}
			return
		}
	}
}

// victim is the place of one to kill: of several, never the first.
func (c *crew) victim(intN func(int) int) int {
	if len(c.present) == 1 {
		return 0
	}
	return 1 + intN(len(c.present)-1)
}

// replace kills the process in a place and starts another under its name.
func (c *crew) replace(ctx context.Context, at int) error {
	m := c.present[at]
	m.leave()
	m.killed = &kill{began: time.Now()}
	err := m.cmd.Process.Kill() // kill -9
	<-m.heard
	_ = m.cmd.Wait() // says only that it was killed
	m.killed.dead = time.Now()
	c.kills++
	if err != nil {
		return m.wrap(err)
	}
	c.present[at], err = c.start(ctx, at)
	return err
}

// end lets all processes end in good order.
func (c *crew) end() error {
	var errs []error
	for _, m := range c.present {
		if m == nil {
			continue
		}
		m.leave()
		_ = m.in.Close()
	}
	for _, m := range c.present {
		if m != nil {
			<-m.heard
			errs = append(errs, m.end())
		}
	}
	return errors.Join(errs...)
}

// leave notes that the end of its output is no surprise.
func (m *member) leave() {
	m.mu.Lock()
	m.ending = true
	m.mu.Unlock()
}

// memory notes how the memory of the first process went, and the largest of all.
func (c *crew) memory(s Sample) {
	for _, m := range c.all {
		m.mu.Lock()
		s[PeakRSSMb] = max(s[PeakRSSMb], m.peak)
		m.mu.Unlock()
	}
	first := c.all[0]
	first.mu.Lock()
	defer first.mu.Unlock()
	if n := len(first.rss); n >= fewestMemorySamples {
		s[RSSFirstQuarterMb] = middle(first.rss[:n/4])
		s[RSSLastQuarterMb] = middle(first.rss[n-n/4:])
	}
}

func middle(values []float64) float64 { return median(slices.Sorted(slices.Values(values))) }
