package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"botwork/workqueue/sqlstore"
)

// SoakOptions are the options of [Soak].
type SoakOptions struct {
	Common
	Rate      int           // items per second
	For       time.Duration // how long items are enqueued
	Workers   int           // processes
	Capacity  int           // slots of each process
	Failures  float64       // the share of runs that fail, 0 to 1
	KillEvery time.Duration // how often a process is killed and started again; 0: never
}

// Figures of a soak.
const (
	Kills             Figure = "kills"
	RanAgainAfterKill Figure = "ranAgainAfterKill"
	LongestRepeatMs   Figure = "longestRepeatMs"
	RSSFirstQuarterMb Figure = "rssFirstQuarterMb"
	RSSLastQuarterMb  Figure = "rssLastQuarterMb"
)

const (
	soakLease    = 10 * time.Second
	soakTick     = 50 * time.Millisecond
	soakLook     = 200 * time.Millisecond
	soakPatience = 5 * time.Minute // the longest wait for the last items after enqueuing has ended

	fewestMemorySamples = 8

	unfinishedItems = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "State" IN (0, 1, 4, 5)`
)

func (o SoakOptions) items() int { return max(int(float64(o.Rate)*o.For.Seconds()), 1) }

// Work is the total that Progress reports.
func (o SoakOptions) Work() int { return o.items() }

// Soak enqueues items for a long time while worker processes are killed and started again
// and runs fail at random. At the end each item must be Processed. An item that ran
// successfully again counts as run twice, unless the process of the previous run was
// killed in between, before it recorded the end of the run. The first of several
// processes is never killed, because its memory is measured.
func Soak(ctx context.Context, o SoakOptions) (Report, error) {
	var rounds []Sample
	var count Count
	err := o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		dir, err := os.MkdirTemp("", scratchName+"_")
		if err != nil {
			return err
		}
		c := &crew{o: o, dsn: dsn, dir: dir, died: make(chan error, 1)}
		s, err := o.soak(ctx, c, store)
		if err == nil {
			rounds = append(rounds, s)
			count, err = o.verifyRuns(ctx, c, s)
		}
		return errors.Join(err, os.RemoveAll(dir))
	})
	report := o.newReport("soak", o.items(), rounds)
	return report, errors.Join(err, report.count(count))
}

// soak runs the processes and ends them all.
func (o SoakOptions) soak(ctx context.Context, c *crew, store *sqlstore.Store) (s Sample, err error) {
	defer func() { err = errors.Join(err, c.end()) }()
	for range o.Workers {
		if err := c.join(ctx); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	if err := o.feed(ctx, c, store, began); err != nil {
		return nil, err
	}
	if err := o.awaitEnd(ctx, c.dsn, c.died); err != nil {
		return nil, err
	}
	return Sample{ItemsPerSecond: perSecond(o.items(), began), Kills: float64(c.kills)}, nil
}

// feed enqueues at the rate and kills a process from time to time.
func (o SoakOptions) feed(ctx context.Context, c *crew, store *sqlstore.Store, began time.Time) error {
	tick := time.NewTicker(soakTick)
	defer tick.Stop()
	nextKill := began.Add(o.KillEvery)
	for enqueueAtRate := 0; enqueueAtRate < o.items(); {
		due := min(int(time.Since(began).Seconds()*float64(o.Rate))+1, o.items())
		if due > enqueueAtRate {
			if err := enqueue(ctx, store, due-enqueueAtRate); err != nil {
				return err
			}
			o.progress(due - enqueueAtRate)
			enqueueAtRate = due
		}
		if o.KillEvery > 0 && time.Now().After(nextKill) {
			nextKill = nextKill.Add(o.KillEvery)
			if err := c.replace(ctx, c.victim(rand.IntN)); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case err := <-c.died:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// verifyRuns compares the ledgers of the processes with the database.
func (o SoakOptions) verifyRuns(ctx context.Context, c *crew, s Sample) (Count, error) {
	ran := &tally{}
	recorder := &repeats{kills: map[int]kill{}}
	for i, m := range c.all {
		if m.killed != nil {
			recorder.kills[i] = *m.killed
		}
		err := readLedger(m.job.Ledger, func(n noted) {
			recorder.note(i, n)
			ran.note(n.id)
		})
		if err != nil {
			return Count{}, err
		}
	}
	unexplained, explained, longest := recorder.judge()
	s[RanAgainAfterKill], s[LongestRepeatMs] = float64(explained), milliseconds(longest)
	c.memory(s)
	count, times, err := o.verify(ctx, c.dsn, 0, o.items(), ran)
	count.RanTwice = unexplained
	s.percentiles(times)
	return count, err
}

// ledgerOf returns the ledger file of the nth process.
func (c *crew) ledgerOf(n int) string { return filepath.Join(c.dir, fmt.Sprint(n)) }
