package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// crew is the set of worker processes of a soak, current and former.
type crew struct {
	o    SoakOptions
	dsn  string
	dir  string     // the directory of their ledgers
	died chan error // receives the error of a process that ended unexpectedly

	present []*member
	all     []*member // in the order in which they started
	kills   int
}

// member is one worker process of a crew.
type member struct {
	*child
	at int // its index among the current processes; a replacement gets the same name

	killed *kill // nil: was not killed

	mu     sync.Mutex
	ending bool
	rss    []float64 // in MiB, once a second
	peak   float64   // in MiB

	heard chan struct{} // closed when the output of the process has ended
}

// join starts a process and adds it to the crew.
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

// listen reads the output of a process until it ends.
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
				case c.died <- fmt.Errorf("the process ended unexpectedly: %w", err):
				default: // one error is enough to fail
				}
			}
			return
		}
	}
}

// victim chooses the index of the process to kill. It never chooses the first one if
// there are several.
func (c *crew) victim(intN func(int) int) int {
	if len(c.present) == 1 {
		return 0
	}
	return 1 + intN(len(c.present)-1)
}

// replace kills the process at an index and starts another one with the same name.
func (c *crew) replace(ctx context.Context, at int) error {
	m := c.present[at]
	m.leave()
	m.killed = &kill{began: time.Now()}
	err := m.cmd.Process.Kill() // kill -9
	<-m.heard
	_ = m.cmd.Wait() // reports only that the process was killed
	m.killed.dead = time.Now()
	c.kills++
	if err != nil {
		return m.wrap(err)
	}
	c.present[at], err = c.start(ctx, at)
	return err
}

// end shuts down all processes cleanly.
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

// leave records that the process is expected to end.
func (m *member) leave() {
	m.mu.Lock()
	m.ending = true
	m.mu.Unlock()
}

// memory records how the memory of the first process developed, and the largest memory of
// all.
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
