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

// SoakOptions say how long and how hard.
type SoakOptions struct {
	Common
	Rate      int           // items in a second
	For       time.Duration // how long they come
	Workers   int           // processes
	Capacity  int           // slots of each
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
	soakPatience = 5 * time.Minute // for the last items, once no more come

	fewestMemorySamples = 8

	unfinishedItems = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "State" IN (0, 1, 4, 5)`
)

func (o SoakOptions) items() int { return max(int(float64(o.Rate)*o.For.Seconds()), 1) }

// Work is the total that Progress reports.
func (o SoakOptions) Work() int { return o.items() }

// Soak lets items come for a long time to worker processes that are killed and
// started again, while runs fail by chance; in the end each item has to be processed.
// What ran well once more counts as twice unless the process of the run before
// was killed in between: it had not written down yet that the run had ended. The first
// of several processes is never killed: its memory is what is watched.
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
			count, err = o.reckon(ctx, c, s)
		}
		return errors.Join(err, os.RemoveAll(dir))
	})
	report := o.newReport("soak", o.items(), rounds)
	return report, errors.Join(err, report.count(count))
}

// soak runs the processes, and ends them all.
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

// feed enqueues at the rate and kills now and then.
func (o SoakOptions) feed(ctx context.Context, c *crew, store *sqlstore.Store, began time.Time) error {
	tick := time.NewTicker(soakTick)
	defer tick.Stop()
	nextKill := began.Add(o.KillEvery)
	for come := 0; come < o.items(); {
		due := min(int(time.Since(began).Seconds()*float64(o.Rate))+1, o.items())
		if due > come {
			if err := enqueue(ctx, store, due-come); err != nil {
				return err
			}
			o.told(due - come)
			come = due
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

// reckon compares what the processes noted with the database.
func (o SoakOptions) reckon(ctx context.Context, c *crew, s Sample) (Count, error) {
	ran := &tally{}
	book := &repeats{kills: map[int]kill{}}
	for i, m := range c.all {
		if m.killed != nil {
			book.kills[i] = *m.killed
		}
		err := readLedger(m.job.Ledger, func(n noted) {
			book.note(i, n)
			ran.note(n.id)
		})
		if err != nil {
			return Count{}, err
		}
	}
	unexplained, explained, longest := book.judge()
	s[RanAgainAfterKill], s[LongestRepeatMs] = float64(explained), milliseconds(longest)
	c.memory(s)
	count, times, err := o.verify(ctx, c.dsn, 0, o.items(), ran)
	count.RanTwice = unexplained
	s.percentiles(times)
	return count, err
}

// ledgerOf is the file of the nth process.
func (c *crew) ledgerOf(n int) string { return filepath.Join(c.dir, fmt.Sprint(n)) }
