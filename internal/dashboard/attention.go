package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"time"

	"botwork/internal/api/events"
	"botwork/workqueue/report"
)

// recent is how old a failure may be that counts as failing now.
const recent = time.Hour

// facts are the answers of the API from which follows what needs attention.
type facts struct {
	caller  caller
	stats   queueCounts
	workers list[worker]
	queues  list[queue]
	runs    list[run]
	failed  report.Report
	rules   notifications
}

func (f *facts) ask(a *asking, c caller) {
	f.caller = c
	a.shared(c).get("/stats/queues", nil, &f.stats)
	a.shared(c).until(events.QueueChanges).get("/queues", nil, &f.queues)
	a.shared(c).optional("/workers", nil, &f.workers)
	a.slow(c).until(events.RunFailures).optional("/runs", values("failed", "true", "since", "24h", "limit", "50"), &f.runs)
	if c.Everywhere() {
		a.slow(c).optional("/notifications", nil, &f.rules)
	}
	a.slow(c).until(events.Failures, events.RunFailures).optional("/report", values("since", "24h"), &f.failed)
}

// slots counts the slots of the workers that take items.
func (f *facts) slots() (n int) {
	for _, w := range f.workers.Items {
		if w.status() == "active" {
			n += w.Capacity
		}
	}
	return n
}

// noWorkers reports whether no worker takes items. A person who is bound to queues does not see workers.
func (f *facts) noWorkers() bool { return f.caller.Everywhere() && f.slots() == 0 }

// attention is something that a person should look at.
type attention struct {
	Status  string // for its look
	What    string
	Detail  string
	At      *time.Time
	Word    string // before At: what happened then
	Do      string // what the link does
	Link    string
	Failing bool // now, or in the last hour
	rank    int
}

// list returns what a person should look at, the most urgent first.
func (f *facts) list() []attention {
	all := slices.Concat(f.absentWorkers(), f.lostWorkers(), f.failures(), f.failedRuns(), f.beyondBounds(), f.restrained())
	sort.SliceStable(all, func(i, k int) bool { return all[i].rank < all[k].rank })
	return all
}

// failing counts the entries of a list that are failing now.
func failing(all []attention) (n int) {
	for _, a := range all {
		if a.Failing {
			n++
		}
	}
	return n
}

// absentWorkers says that no worker takes items, and why: an idle queue looks different.
func (f *facts) absentWorkers() []attention {
	if !f.noWorkers() {
		return nil
	}
	count := map[string]int64{}
	for _, w := range f.workers.Items {
		count[w.status()]++
	}
	a := attention{Status: "stopped", What: "No worker is running", Detail: "none was started, or all have stopped", Do: "Show workers", Link: "/workers"}
	switch {
	case count["gone"] > 0:
		a.Status, a.Failing, a.Detail = "gone", true, plural(count["gone"], "worker is lost", "workers are lost")
	case count["draining"] > 0:
		a.Status, a.Detail = "draining", plural(count["draining"], "worker drains", "workers drain")
	}
	if n := f.stats.All.waiting(); n > 0 {
		a.What += ": " + plural(n, "item waits", "items wait")
		a.Failing = true
	}
	return []attention{a}
}

func (f *facts) lostWorkers() (all []attention) {
	for _, w := range f.workers.Items {
		if w.status() == "gone" {
			all = append(all, attention{
				Status: "gone", What: "Worker " + w.Name + " is lost", Detail: "its process has ended without stopping, or cannot reach the database", At: w.LastSeenAt, Word: "last seen",
				Do: "Show the worker", Link: "/workers/" + segment(w.Name), Failing: true, rank: 1,
			})
		}
		if w.StuckSlots > 0 {
			all = append(all, attention{
				Status: "failed", What: "Worker " + w.Name + " has " + plural(int64(w.StuckSlots), "stuck slot", "stuck slots"), Detail: "handlers ignore their cancellation",
				Do: "Show the worker", Link: "/workers/" + segment(w.Name), Failing: true, rank: 1,
			})
		}
	}
	return all
}

func (f *facts) failures() (all []attention) {
	for _, g := range groupsOf(&f.failed) {
		a := attention{
			Status: "failed", What: fmt.Sprintf("%s of %s failed: %s", plural(int64(g.Items), "item", "items"), g.Pipeline, g.Message), Detail: string(g.Trend), At: &g.First, Word: "first",
			Do: "Show items", Link: g.Link(), Failing: f.isRecent(g.Last), rank: 4,
		}
		if a.Failing {
			a.rank = 2
		}
		all = append(all, a)
	}
	return all
}

// failedRuns lists the latest failed or missed run of each pipeline.
func (f *facts) failedRuns() (all []attention) {
	known := map[string]bool{}
	for _, one := range f.runs.Items {
		if known[one.Pipeline] {
			continue
		}
		known[one.Pipeline] = true
		at := one.time()
		a := attention{
			Status: one.Outcome, What: one.Pipeline + ": " + one.what(), At: &at, Do: "Show runs", Link: address("/schedules", "pipeline", one.Pipeline), Failing: f.isRecent(at), rank: 4,
		}
		if a.Failing {
			a.rank = 3
		}
		all = append(all, a)
	}
	return all
}

// restrained lists the queues and workers that people have paused and drained.
func (f *facts) restrained() (all []attention) {
	for _, q := range f.queues.Items {
		if q.Paused {
			all = append(all, attention{Status: "paused", What: "Queue " + q.Name + " is paused", Do: "Show the queue", Link: "/queues/" + segment(q.Name), rank: 5})
		}
	}
	for _, w := range f.workers.Items {
		if w.status() == "draining" {
			all = append(all, attention{
				Status: "draining", What: "Worker " + w.Name + " drains: it starts no more items", At: w.DrainRequestedAt, Word: "requested", Do: "Show the worker", Link: "/workers/" + segment(w.Name), rank: 6,
			})
		}
	}
	return all
}

// isRecent compares with the time of the database, since all times are from there.
func (f *facts) isRecent(at time.Time) bool { return f.stats.All.At.Sub(at) <= recent }

// standingFor is how long a standing serves.
const standingFor = 10 * time.Second

// standing is what every page shows in its title and its icon.
type standing struct {
	Failing int `json:"failing"` // entries of the overview that are failing now
}

// standing returns the standing that the person may see. It may be some seconds old: people of the same
// role and queues share it, so that a page costs no question of its own.
func (d *Dashboard) standing(r *http.Request, c caller) (standing, error) {
	var s standing
	text, _, err := d.answers.get(r.Context(), sharedKey(c, "standing", nil), freshness{age: standingFor}, func() (json.RawMessage, error) {
		var f facts
		r, cancel := d.detached(r)
		defer cancel()
		ask := d.asking(r)
		f.ask(ask, c)
		if err := ask.wait(); err != nil {
			return nil, err
		}
		return json.Marshal(standing{failing(f.list())})
	})
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// answerStanding sends the standing to the script of the pages.
func (d *Dashboard) answerStanding(w http.ResponseWriter, r *http.Request) {
	var c caller
	_, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &c)
	var s standing
	if err == nil {
		s, err = d.standing(r, c)
	}
	d.answerJSON(w, r, s, err)
}
