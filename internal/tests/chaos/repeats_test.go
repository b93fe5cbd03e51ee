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
	// promised is how long after its handler's return a run's end is in the database,
	// but for the time that the writes take: a result waits for the write that is
	// under way and for its own, and completer sees to it that these are short.
	promised = 10 * time.Millisecond

	// late is as much again, for a machine that has other programs to serve. What is
	// later at four of five kills (and never before there were five) is the
	// completer's fault: the machine is not busy each time.
	late, fewestKills = 2 * promised, 5

	// forgotten is how old no end may ever be.
	forgotten = 5 * time.Second

	// largestBatch bounds the results of one write.
	largestBatch = 500
)

// repetition is what a kill made run again.
type repetition struct {
	open  int // runs that the process had begun, and of whose end the database had not heard
	ended int // of these, the ones that had ended

	// age is how long before the last line of the process the first of those had ended.
	// That line, not the kill, is the end of its time: a process that waits for a
	// processor can write neither to the database nor to the ledger.
	age time.Duration

	// idle is the longest part of such a time in which none of the writes was under
	// way that could have carried the end; from and to are that time.
	idle     time.Duration
	from, to time.Time
}

// repetitions tells it for each death.
func (e *evidence) repetitions() []repetition {
	unheard := map[[2]int64]bool{} // by item and fence
	for _, r := range e.rows {
		for _, a := range r.attempts {
			if a.Outcome == "rescued" || a.Outcome == "released" {
				unheard[[2]int64{r.ID, a.Fence}] = true
			}
		}
	}
	last := map[int]time.Time{}
	latest := map[[2]int64]ledger.Line{}
	for _, l := range e.lines {
		if l.Program != 0 {
			continue // its run ends a moment later, when the worker has seen its end
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
		if died && unheard[key] && l.Kind != ledger.Cancelled { // else the process gave it back
			reps[i].add(l, e.deaths[i].writes, last[l.PID])
		}
	}
	return reps
}

// add takes in a run whose latest line this is.
func (r *repetition) add(l ledger.Line, writes []write, last time.Time) {
	r.open++
	if !l.Kind.Last() {
		return
	}
	r.ended++
	age := max(last.Sub(l.Time()), 0)
	r.age = max(r.age, age)
	// Its own write begins when the one that was under way has ended.
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

// overlap is how much of the time the write was under way.
func overlap(w write, from, to time.Time) time.Duration {
	if w.from.After(from) {
		from = w.from
	}
	if !w.to.IsZero() && w.to.Before(to) {
		to = w.to
	}
	return max(to.Sub(from), 0)
}

// repeats holds what ran again to the promises: little, and nothing old.
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
			v.fault("process %d: a run had ended %v before the kill, and nobody wrote that down; want at most %v ever", d.pid, r.age, forgotten)
		}
		if e.sync && r.open > e.slots {
			v.fault("process %d: %d runs were open at the kill in %d slots, though each slot waits for the end of its last item", d.pid, r.open, e.slots)
		}
		if most := 2*largestBatch + e.slots; r.ended > most {
			v.fault("process %d: %d runs that had ended ran again, want at most %d: two writes, and one for each slot", d.pid, r.ended, most)
		}
	}
	if n := len(e.deaths); n >= fewestKills && 5*lates >= 4*n {
		v.fault("at %d of %d kills a run had ended more than %v before, and nobody wrote that down: %v", lates, n, late, f.idle())
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

// suspended tells whether any process was, at any time between the two: it may
// have held what the others needed.
func (e *evidence) suspended(from, to time.Time) bool {
	return slices.ContainsFunc(e.pauses, func(p *pause) bool {
		return p.from.Before(to) && (p.to.IsZero() || p.to.After(from))
	})
}

// readLog takes from what a process said when it wrote results. A line that the
// kill cut off is left out.
func (d *death) readLog(text []byte) {
	for line := range bytes.Lines(text) {
		var said struct {
			Message string    `json:"message"`
			At      time.Time `json:"at"`
			TookUs  int64     `json:"took_us"`
		}
		if json.Unmarshal(line, &said) != nil {
			continue
		}
		switch n := len(d.writes); said.Message {
		case "writing results":
			if n > 0 && d.writes[n-1].to.IsZero() { // it failed, and a pause followed
				d.writes[n-1].to = said.At
			}
			d.writes = append(d.writes, write{from: said.At})
		case "results written":
			d.writes[n-1].to = d.writes[n-1].from.Add(time.Duration(said.TookUs) * time.Microsecond)
		case "could not save results; keeping them and retrying":
			d.troubled = true
		}
	}
}
