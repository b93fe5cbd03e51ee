package scheduler

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"botwork/internal/cron"
	"botwork/internal/testgroup"
	"botwork/workqueue"
)

// act is an event on one of the workers of a cluster.
type act struct {
	after  time.Duration // the act before it
	worker int
	what   string
	skew   time.Duration // "set the clock", "restart"
	lose   string        // "lose an answer": of this call of the store
}

func (a act) String() string {
	return fmt.Sprintf("%v later worker %d: %s %s %v", a.after, a.worker+1, a.what, a.lose, a.skew)
}

// clusterHistory is a cluster of workers with a schedule of scope once, and its events.
type clusterHistory struct {
	spec    string
	every   time.Duration
	workers int
	skews   []time.Duration
	takes   time.Duration
	overlap Overlap
	catchUp time.Duration
	atStart bool
	acts    []act
}

var someSkews = []time.Duration{0, 0, 10 * time.Minute, -10 * time.Minute, 26 * time.Hour, 400 * time.Millisecond, -61 * time.Second}

func drawHistory(t *rapid.T) clusterHistory {
	h := clusterHistory{
		workers: rapid.IntRange(1, 4).Draw(t, "workers"),
		takes:   rapid.SampledFrom([]time.Duration{0, time.Millisecond, 900 * time.Millisecond, 7 * time.Second}).Draw(t, "takes"),
		overlap: rapid.SampledFrom([]Overlap{OverlapSkip, OverlapQueue}).Draw(t, "overlap"),
		catchUp: rapid.SampledFrom([]time.Duration{0, 2 * time.Minute}).Draw(t, "catchUp"),
		atStart: rapid.Bool().Draw(t, "atStart"),
	}
	schedule := rapid.SampledFrom([]string{"* * * * * *", "*/5 * * * * *", "* * * * *", "every 1s", "every 7s", "every 1m"}).Draw(t, "schedule")
	switch schedule {
	case "every 1s", "every 7s", "every 1m":
		h.every, _ = time.ParseDuration(schedule[len("every "):])
	default:
		h.spec = schedule
	}
	skew := rapid.SampledFrom(someSkews)
	for range h.workers {
		h.skews = append(h.skews, skew.Draw(t, "skew"))
	}
	h.acts = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
		return act{
			// Full seconds bring them into the firing second, and to its very edge.
			after: rapid.SampledFrom([]time.Duration{
				0, time.Millisecond, 100 * time.Millisecond, 999 * time.Millisecond, time.Second, 3 * time.Second, 20 * time.Second, 61 * time.Second,
			}).Draw(t, "after"),
			worker: rapid.IntRange(0, h.workers-1).Draw(t, "worker"),
			what:   rapid.SampledFrom([]string{"restart", "restart", "kill", "set the clock", "lose an answer", "refuse a call", "database away", "database back"}).Draw(t, "what"),
			skew:   skew.Draw(t, "new skew"),
			lose: rapid.SampledFrom([]string{
				"Now", "ClaimFiring", "RecordFirings", "LastFiring", "Firings", "StartRun", "FinishRun", "RunsElsewhere", "Runs",
			}).Draw(t, "call"),
		}
	}), 1, 25).Draw(t, "acts")
	return h
}

// cutOff is the store of a killed process: its calls no longer reach the database.
type cutOff struct {
	Store
	fake *fakeStore
	dead *bool // guarded by fake.mu
}

func (c cutOff) gone() bool {
	c.fake.mu.Lock()
	defer c.fake.mu.Unlock()
	return *c.dead
}

func (c cutOff) FinishRun(ctx context.Context, id int64, end workqueue.RunEnd) error {
	if c.gone() {
		return errAway
	}
	return c.Store.FinishRun(ctx, id, end)
}

func (c cutOff) RecordFirings(ctx context.Context, fs []workqueue.Firing) error {
	if c.gone() {
		return errAway
	}
	return c.Store.RecordFirings(ctx, fs)
}

func (c cutOff) ClaimFiring(ctx context.Context, f workqueue.Firing) (workqueue.FiringClaim, error) {
	if c.gone() {
		return workqueue.FiringClaim{}, errAway
	}
	return c.Store.ClaimFiring(ctx, f)
}

func (c cutOff) StartRun(ctx context.Context, r workqueue.PipelineRun) (int64, error) {
	if c.gone() {
		return 0, errAway
	}
	return c.Store.StartRun(ctx, r)
}

// member is one worker of the cluster, across restarts.
type member struct {
	id   int64
	skew time.Duration // of its clock; guarded by store.mu
	s    *Scheduler
	dead *bool
}

// play runs the history and returns how often a run was started for each planned instant.
func (h clusterHistory) play(t *testing.T, store *fakeStore) map[time.Time]int {
	ran := map[time.Time]int{}
	schedule, err := cron.Every(max(h.every, time.Second))
	if h.spec != "" {
		schedule, err = cron.Parse(h.spec, time.UTC, cron.First)
	}
	if err != nil {
		t.Fatal(err)
	}
	name := TriggerEvery
	if h.spec != "" {
		name = TriggerCron
	}
	job := Job{
		Name: "P", Schedule: schedule, TriggerName: name, Scope: ScopeOnce, Overlap: h.overlap, CatchUp: h.catchUp, AtStart: h.atStart,
		Work: Work{Run: unreported(func(ctx context.Context, start Start) error {
			store.mu.Lock()
			ran[start.PlannedAt]++
			store.mu.Unlock()
			if !sleep(ctx, h.takes) {
				return context.Cause(ctx)
			}
			return nil
		})},
	}
	born := func(m *member) {
		m.s = newTestScheduler(t, store, m.id, func() time.Duration {
			store.mu.Lock()
			defer store.mu.Unlock()
			return m.skew
		})
		m.s.log = zerolog.Nop()
		m.dead = new(bool)
		m.s.store = cutOff{store, store, m.dead}
		begin(t, m.s, job)
	}
	var dying sync.WaitGroup
	defer dying.Wait()
	var members []*member
	for i, skew := range h.skews {
		m := &member{id: int64(i + 1), skew: skew}
		members = append(members, m)
		born(m)
	}
	for _, a := range h.acts {
		time.Sleep(a.after)
		m := members[a.worker]
		switch a.what {
		case "restart":
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			_ = m.s.Stop(ctx) // while the database is away it cannot say that all has ended
			cancel()
			born(m)
		case "kill":
			store.mu.Lock()
			*m.dead = true
			store.mu.Unlock()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			old := m.s
			dying.Go(func() { _ = old.Stop(ctx) }) // its goroutines; the database hears nothing of it
			born(m)
		case "set the clock":
			store.mu.Lock()
			m.skew = a.skew
			store.mu.Unlock()
		case "lose an answer", "refuse a call":
			store.mu.Lock()
			if a.what == "refuse a call" {
				store.deny[a.lose] = 1
			} else {
				store.lose[a.lose] = 1
			}
			store.mu.Unlock()
		default:
			store.setDown(a.what == "database away")
		}
	}
	store.setDown(false)
	time.Sleep(3 * time.Minute) // all pauses are over, and the schedule goes on
	for _, m := range members {
		end(t, m.s)
	}
	return ran
}

// Workers are restarted, killed, disconnected from the database, or get another clock. No
// planned instant is fired twice or runs twice, none runs early by the database's clock,
// and at the end the schedule continues.
func TestNoPlannedTimeRunsTwice(t *testing.T) {
	testgroup.Check(t, 15, func(rt *rapid.T) {
		h := drawHistory(rt)
		var faults []string
		synctest.Test(t, func(t *testing.T) {
			sleepUntil(at(3, 0, 0).Add(500 * time.Millisecond))
			store := newFakeStore()
			ran := h.play(t, store)
			runs, firings := store.all()
			seen := map[time.Time]bool{}
			for _, f := range firings {
				if seen[f.PlannedAt] {
					faults = append(faults, fmt.Sprintf("%s has two records", f.PlannedAt))
				}
				seen[f.PlannedAt] = true
			}
			for planned, n := range ran {
				if n > 1 {
					faults = append(faults, fmt.Sprintf("%s ran %d times", planned, n))
				}
				fired := slices.ContainsFunc(firings, func(f workqueue.Firing) bool {
					return f.PlannedAt.Equal(planned) && f.Outcome == workqueue.Fired
				})
				if !fired {
					faults = append(faults, fmt.Sprintf("%s ran and is not on record as fired", planned))
				}
			}
			for _, r := range runs {
				if r.PlannedAt == nil || r.StartedAt.Before(*r.PlannedAt) {
					faults = append(faults, fmt.Sprintf("run %d of %v started at %s, before its time", r.ID, r.PlannedAt, r.StartedAt))
				}
			}
			if late := time.Since(firings[len(firings)-1].PlannedAt); late > 2*time.Minute {
				faults = append(faults, fmt.Sprintf("the latest record is %v old in the end", late))
			}
		})
		if len(faults) > 0 {
			rt.Fatalf("%q", faults)
		}
	})
}
