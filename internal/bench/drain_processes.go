package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// drainProcesses measures worker processes that drain one store at the same time. Their
// ledgers record which items ran. The CPU time is the sum over all processes; the memory
// is that of the largest.
func (s Sample) drainProcesses(ctx context.Context, o DrainOptions, dsn string, ran *tally, items int) (err error) {
	dir, err := os.MkdirTemp("", scratchName+"_")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	children := make([]*child, o.Workers)
	defer func() {
		for _, ch := range children {
			if ch != nil {
				err = errors.Join(err, ch.end())
			}
		}
	}()
	for i := range children {
		children[i], err = o.startChild(ctx, job{
			Driver: o.Driver, DSN: dsn, Name: fmt.Sprint("bench-", i+1), Capacity: o.Capacity,
			Ledger: filepath.Join(dir, fmt.Sprint(i)),
		})
		if err != nil {
			return err
		}
	}
	if err := s.race(children, items); err != nil {
		return err
	}
	for i, ch := range children {
		children[i] = nil
		if err := ch.end(); err != nil {
			return err
		}
		if err := readLedger(ch.job.Ledger, func(n noted) { ran.note(n.id) }); err != nil {
			return err
		}
	}
	return nil
}

// race starts the work of all processes at the same time and waits until the last one has
// finished.
func (s Sample) race(children []*child, items int) error {
	words, errs := make([]word, len(children)), make([]error, len(children))
	begin := startUsage()
	var wg sync.WaitGroup
	for i, ch := range children {
		wg.Go(func() {
			if errs[i] = ch.begin(); errs[i] == nil {
				words[i], errs[i] = ch.hear()
			}
		})
	}
	wg.Wait()
	s[ItemsPerSecond] = perSecond(items, begin.at)
	for _, w := range words {
		s[CPUSecondsPer1000] += w.CPUSeconds / float64(items) * 1000
		s[PeakRSSMb] = max(s[PeakRSSMb], w.PeakRSSMb)
	}
	return errors.Join(errs...)
}
