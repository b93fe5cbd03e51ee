//go:build unix

package chaos

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"botwork/internal/tests/chaos/ledger"
)

const (
	// promised is the maximum time from a handler's return until the end of the run is in
	// the database, without the time of writes: a result waits for the active write and
	// for its own, and the completer keeps these short.
	promised = 10 * time.Millisecond

	// late is twice the promise, because the machine may be busy with other programs. If
	// results are later than that at four of five kills (with at least five kills), the
	// completer is at fault: the machine is not busy each time.
	late, fewestKills = 2 * promised, 5

	// forgotten is the maximum age of any end that is not recorded.
	forgotten = 5 * time.Second

	// largestBatch is the maximum number of results in one write.
	largestBatch = 500
)

// repetition describes the runs that were repeated after a kill.
type repetition struct {
	open  int // runs that the process had started, and whose end was not in the database
	ended int // of these, the runs that had ended

	// age is how long before the last line of the process the first of those had ended.
	// That line, not the kill, is used because a process that waits for a
	// processor can write neither to the database nor to the ledger.
	age time.Duration

	// idle is the longest part of such a time without an active write that could have
	// contained the end; from and to are that time.
	idle     time.Duration
	from, to time.Time
}

// repetitions returns the repetition of each death.
func (e *evidence) repetitions() []repetition {
	unrecorded := map[[2]int64]bool{} // by item and fence
	for _, r := range e.rows {
		for _, a := range r.attempts {
			if a.Outcome == "rescued" || a.Outcome == "released" {
				unrecorded[[2]int64{r.ID, a.Fence}] = true
			}
		}
	}
	last := map[int]time.Time{}
	latest := map[[2]int64]ledger.Line{}
	for _, l := range e.lines {
		if l.Program != 0 {
			continue // its run ends a little later, when the worker notices its end
		}
		last[l.PID] = l.Time()
		latest[[2]int64{l.Item, l.Fence}] = l
	}
	of := map[int]int{} // the death of a process
	for i, d := range e.deaths {
		of[d.pid] = i
	}
	reps := make([]repetition, len(e.deaths))
	for key, l := range latest {
		i, died := of[l.PID]
		if died && unrecorded[key] && l.Kind != ledger.Cancelled { // otherwise the process released it
			reps[i].add(l, e.deaths[i].writes, last[l.PID])
		}
	}
	return reps
}

// add adds a run with its latest line.
func (r *repetition) add(l ledger.Line, writes []write, last time.Time) {
	r.open++
	if !l.Kind.Last() {
		return
	}
	r.ended++
	age := max(last.Sub(l.Time()), 0)
	r.age = max(r.age, age)
	// Its own write begins when the active write has ended.
	until := l.Time().Add(promised)
	for _, w := range writes {
		if !w.from.After(l.Time()) && w.to.After(l.Time()) {
			until = w.to.Add(promised)
		}
	}
	idle := age
	for _, w := range writes {
		if !w.from.After(until) {
			idle -= overlap(w, l.Time(), last)
		}
	}
	if idle >= r.idle {
		r.idle, r.from, r.to = idle, l.Time(), last
	}
}

// overlap returns how long the write was active in the given time.
func overlap(w write, from, to time.Time) time.Duration {
	if w.from.After(from) {
		from = w.from
	}
	if !w.to.IsZero() && w.to.Before(to) {
		to = w.to
	}
	return max(to.Sub(from), 0)
}

// repeats checks the repeated runs: only few, and only recent ones.
func (v *verdict) repeats(e evidence) {
	f := &v.figures
	f.repetitions = e.repetitions()
	lates := 0
	for i, r := range f.repetitions {
		d := e.deaths[i]
		if r.idle > late {
			lates++
		}
		if r.idle > forgotten && !d.troubled && !e.suspended(r.from, r.to) {
			v.fault("process %d: a run had ended %v before the kill, and its end was not recorded; want at most %v", d.pid, r.age, forgotten)
		}
		if e.sync && r.open > e.slots {
			v.fault("process %d: %d runs were open at the kill in %d slots, although each slot waits for the end of its last item", d.pid, r.open, e.slots)
		}
		if most := 2*largestBatch + e.slots; r.ended > most {
			v.fault("process %d: %d runs that had ended ran again, want at most %d: those of two writes, and one for each slot", d.pid, r.ended, most)
		}
	}
	if n := len(e.deaths); n >= fewestKills && 5*lates >= 4*n {
		v.fault("at %d of %d kills a run had ended more than %v before, and its end was not recorded: %v", lates, n, late, f.idle())
	}
	for _, d := range e.deaths {
		for _, w := range d.writes {
			if !w.to.IsZero() {
				f.writes = append(f.writes, w.to.Sub(w.from))
			}
		}
	}
	slices.Sort(f.writes)
}

// suspended reports whether any process was suspended at any time between the two: it
// may have blocked the others.
func (e *evidence) suspended(from, to time.Time) bool {
	return slices.ContainsFunc(e.pauses, func(p *pause) bool {
		return p.from.Before(to) && (p.to.IsZero() || p.to.After(from))
	})
}

// readLog reads the writes of results from the log of a process. It skips a line that
// the kill cut off.
func (d *death) readLog(text []byte) {
	for line := range bytes.Lines(text) {
		var entry struct {
			Message string    `json:"message"`
			At      time.Time `json:"at"`
			TookUs  int64     `json:"took_us"`
		}
		if json.Unmarshal(line, &entry) != nil {
			continue
		}
		switch n := len(d.writes); entry.Message {
		case "writing results":
			if n > 0 && d.writes[n-1].to.IsZero() { // it failed, and was followed by a pause
				d.writes[n-1].to = entry.At
			}
			d.writes = append(d.writes, write{from: entry.At})
		case "results written":
			d.writes[n-1].to = d.writes[n-1].from.Add(time.Duration(entry.TookUs) * time.Microsecond)
		case "could not save results; keeping them and retrying":
			d.troubled = true
		}
	}
}
