package scheduler

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

// decided returns the recorded instants in order, such as "15:04:05 fired": those with a
// run, and those that were missed or skipped.
func decided(store *fakeStore) []string {
	runs, firings := store.all()
	var list []string
	for _, r := range runs {
		if r.PlannedAt != nil {
			list = append(list, r.PlannedAt.Format(time.TimeOnly)+" fired")
		}
	}
	for _, f := range firings {
		if f.Outcome != workqueue.Fired { // of those that fired there is a run
			list = append(list, f.PlannedAt.Format(time.TimeOnly)+" "+string(f.Outcome))
		}
	}
	slices.Sort(list)
	return list
}

func wantDecided(t *testing.T, store *fakeStore, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, decided(store)); diff != "" {
		t.Errorf("instants (-want +got):\n%s", diff)
	}
}

// If a schedule is replaced before the runner has seen a due instant, the next runner
// fires it.
func TestPutKeepsDueRun(t *testing.T) {
	for _, scope := range []Scope{ScopeEachWorker, ScopeOnce} {
		t.Run(string(scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				s := newTestScheduler(t, store, 1, nil)
				hourly := everyMinute(t, 0)
				hourly.Scope, hourly.Schedule = scope, mustParse(t, "0 * * * *")
				begin(t, s, hourly)
				sleepUntil(at(0, 59, 59))
				store.setDown(true)
				sleepUntil(at(1, 0, 10))
				daily := hourly
				daily.Schedule = mustParse(t, "30 12 * * *")
				put(t, s, daily)
				sleepUntil(at(1, 0, 20))
				put(t, s, daily) // twice: the second takes over what the first has not seen either
				store.setDown(false)
				sleepUntil(at(3, 0, 0))
				put(t, s, hourly)
				sleepUntil(at(4, 30, 0))
				end(t, s)
				wantDecided(t, store, "01:00:00 fired", "04:00:00 fired")
			})
		})
	}
}

// The clock was set forward past an instant, and the runner has not read it yet.
func TestPutAfterClockWasSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		var ahead time.Duration
		s := newTestScheduler(t, store, 1, func() time.Duration { return ahead })
		job := everyMinute(t, 0)
		job.Schedule = mustParse(t, "2 0 * * *")
		begin(t, s, job)
		sleepUntil(at(0, 0, 45))
		synctest.Wait()
		ahead = 90 * time.Second // 00:02:15
		job.Schedule = mustParse(t, "4 0 * * *")
		put(t, s, job)
		sleepUntil(at(0, 10, 0))
		end(t, s)
		wantDecided(t, store, "00:02:00 fired", "00:04:00 fired")
	})
}

// Instants that were missed while the database was down are recorded when it is available
// again, even if the schedule was replaced in the meantime.
func TestPutKeepsUnwrittenRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sleepUntil(at(0, 0, 30))
		store := newFakeStore()
		s := newTestScheduler(t, store, 1, nil)
		begin(t, s, everyMinute(t, 0))
		sleepUntil(at(0, 1, 30))
		store.setDown(true)
		sleepUntil(at(0, 4, 10))
		hourly := everyMinute(t, 0)
		hourly.Schedule = mustParse(t, "0 * * * *")
		put(t, s, hourly)
		sleepUntil(at(0, 4, 20))
		store.setDown(false)
		sleepUntil(at(1, 30, 0))
		end(t, s)
		wantDecided(t, store, "00:01:00 fired", "00:02:00 missed", "00:03:00 missed", "00:04:00 fired", "01:00:00 fired")
	})
}

// An instant of another scope, or of a removed schedule, cannot be fired: it is recorded.
func TestPutRecordsMissedRuns(t *testing.T) {
	for _, c := range []struct {
		name   string
		from   Scope
		change func(*testing.T, *Scheduler, Job)
		reason string
	}{
		{"once for each worker", ScopeOnce, func(t *testing.T, s *Scheduler, job Job) {
			job.Scope, job.Schedule = ScopeEachWorker, mustParse(t, "30 12 * * *")
			put(t, s, job)
		}, "the schedule was changed"},
		{"each worker for once", ScopeEachWorker, func(t *testing.T, s *Scheduler, job Job) {
			job.Scope, job.Schedule = ScopeOnce, mustParse(t, "30 12 * * *")
			put(t, s, job)
		}, "the schedule was changed"},
		{"no schedule any more", ScopeEachWorker, func(t *testing.T, s *Scheduler, job Job) {
			job.Schedule, job.TriggerName = nil, ""
			put(t, s, job)
		}, "the schedule was changed"},
		{"removed", ScopeEachWorker, func(_ *testing.T, s *Scheduler, _ Job) { s.Remove("P") }, "the schedule was removed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				var ahead time.Duration
				s := newTestScheduler(t, store, 1, func() time.Duration { return ahead })
				job := everyMinute(t, 0)
				job.Scope, job.Schedule = c.from, mustParse(t, "*/2 * * * *")
				begin(t, s, job)
				sleepUntil(at(0, 1, 59))
				synctest.Wait()
				if c.from == ScopeOnce {
					store.setDown(true)
					sleepUntil(at(0, 2, 5))
					store.setDown(false)
				} else {
					ahead = 2 * time.Second
				}
				c.change(t, s, job)
				sleepUntil(at(0, 30, 0))
				end(t, s)
				wantDecided(t, store, "00:02:00 skipped")
				if _, firings := store.all(); len(firings) == 1 && !strings.HasPrefix(firings[0].Reason, c.reason) {
					t.Errorf("skipped because %q, want %q", firings[0].Reason, c.reason)
				}
			})
		})
	}
}

// TestManyReplacements repeatedly replaces a schedule by one with the same instants, while
// the database is down from time to time: each instant is fired or recorded exactly once.
func TestManyReplacements(t *testing.T) {
	for _, scope := range []Scope{ScopeEachWorker, ScopeOnce} {
		t.Run(string(scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sleepUntil(at(0, 0, 30))
				store := newFakeStore()
				s := newTestScheduler(t, store, 1, nil)
				job := everyMinute(t, 0)
				job.Scope = scope
				begin(t, s, job)
				for i := range 600 {
					time.Sleep(time.Duration(i%37) * time.Second)
					store.setDown(i%11 > 6)
					put(t, s, job)
				}
				store.setDown(false)
				last := time.Now().Truncate(time.Minute)
				time.Sleep(3 * time.Minute)
				end(t, s)
				got := map[string]int{}
				for _, d := range decided(store) {
					got[strings.Fields(d)[0]]++
				}
				for instant := at(0, 1, 0); !instant.After(last); instant = instant.Add(time.Minute) {
					if n := got[instant.Format(time.TimeOnly)]; n != 1 {
						t.Errorf("%s has %d runs or records, want 1", instant.Format(time.TimeOnly), n)
					}
				}
			})
		})
	}
}
