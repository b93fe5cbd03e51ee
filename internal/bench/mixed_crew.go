package bench

import (
	"context"
	"errors"
	"fmt"
)

// mixedCrew are the worker processes of a mixed load.
type mixedCrew struct {
	m        *mixedRound
	children []*child
	words    []chan word // the lines of each process, until it has ended
	died     chan error  // receives the error of each process whose output ended
}

// start starts the processes and waits until they are registered.
func (c *mixedCrew) start(ctx context.Context) error {
	for i := range c.m.o.Workers {
		ch, err := c.m.o.startChild(ctx, job{
			Driver: c.m.o.Driver, DSN: c.m.dsn, Name: fmt.Sprint("mixed-", i+1), Capacity: c.m.o.Capacity, Ledger: c.m.ledgerOf(i),
			Mixed: true, Scale: c.m.o.Scale,
		})
		if err != nil {
			return err
		}
		words := make(chan word, 2)
		c.children, c.words = append(c.children, ch), append(c.words, words)
		go func() {
			defer close(words)
			for {
				w, err := ch.hear()
				if err != nil {
					c.died <- fmt.Errorf("the process ended unexpectedly: %w", err)
					return
				}
				words <- w
			}
		}()
	}
	return nil
}

// begin lets all processes start their work, and returns when all have started.
func (c *mixedCrew) begin() error {
	for _, ch := range c.children {
		if err := ch.begin(); err != nil {
			return err
		}
	}
	for _, words := range c.words {
		if w, ok := <-words; !ok || !w.Started {
			return <-c.died
		}
	}
	return nil
}

// end ends all processes and adds up what they used.
func (c *mixedCrew) end(s Sample) error {
	for _, ch := range c.children {
		_ = ch.in.Close() // the process ends when its input is closed
	}
	var errs []error
	for i, ch := range c.children {
		for w := range c.words[i] {
			if s != nil && w.Done {
				s[CPUSecondsPer1000] += w.CPUSeconds / float64(len(c.m.lives)) * 1000
				s[PeakRSSMb] = max(s[PeakRSSMb], w.PeakRSSMb)
			}
		}
		errs = append(errs, ch.end())
	}
	return errors.Join(errs...)
}
