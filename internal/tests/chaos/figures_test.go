//go:build unix

package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"botwork/internal/tests/chaos/ledger"
)

// figures are the figures of a report.
type figures struct {
	counts
	took time.Duration

	items, processed, cancelled, lost int
	runs, failed, rescued, released   int
	programs                          int // runs of programs
	doubles, overlaps, unrecorded     int

	kills, pauses, pausesPastLease int

	// Of runs that resume: those that went on where an earlier one had ended, steps and iterations that were recorded,
	// those that had ended and ran again, and the kills that cut off such a run in each kind of block.
	resumed, recorded, endedAgain                int
	inForeach, inUses, inFinally, cutsOfCleanUps int

	// unsaved and unread are the items of which a worker could not record a step, or not read what was recorded.
	unsaved, unread int

	repetitions []repetition    // one for each kill
	writes      []time.Duration // durations of writes of results, sorted

	// Lines of a run without a lease, written by a process that had been
	// suspended, and the longest time between its wake-up and a line.
	late, lateTicks int
	worstLate       time.Duration

	// Lines of a program that continued while its worker was suspended, after another
	// worker had started the item.
	programLines int

	// Sorted: the time until the item was Ready again, by the database's clock (that
	// of the same machine), and until it ran on another worker, which may have been
	// struck as well in the meantime, or have other items to run first.
	untilRescued, afterKill, afterPause []recovery
}

// recovery is an item of a dead or suspended process that another process began.
type recovery struct {
	item, fence int64 // of the run that began
	wait        time.Duration
}

// recoveries measures how long items of a dead or suspended process waited until
// another process began them.
func (v *verdict) recoveries(e evidence) {
	after := func(pid int, from time.Time) []recovery {
		var waits []recovery
		open := map[int64]ledger.Line{} // by item: runs that the process has begun and not ended
		for _, l := range e.lines {
			switch {
			case l.PID == pid && l.Kind == ledger.Begin && l.Time().Before(from):
				open[l.Item] = l
			case l.PID == pid && l.Kind.Last() && l.Fence == open[l.Item].Fence:
				delete(open, l.Item)
			case l.PID != pid && l.Kind == ledger.Begin && l.Time().After(from):
				if started, ok := open[l.Item]; ok && l.Fence > started.Fence {
					waits = append(waits, recovery{l.Item, l.Fence, l.Time().Sub(from)})
					delete(open, l.Item)
				}
			}
		}
		return waits
	}
	deaths := map[int]death{}
	for _, d := range e.deaths {
		deaths[d.pid] = d
		v.figures.afterKill = append(v.figures.afterKill, after(d.pid, d.at)...)
	}
	for _, p := range e.pauses {
		if p.to.IsZero() || p.to.Sub(p.from) > e.lease {
			v.figures.afterPause = append(v.figures.afterPause, after(p.pid, p.from)...)
		}
	}
	owner := map[[2]int64]int{} // of a run, by item and fence
	for _, l := range e.lines {
		owner[[2]int64{l.Item, l.Fence}] = l.PID
	}
	for _, r := range e.rows {
		for _, a := range r.attempts {
			if d, ok := deaths[owner[[2]int64{r.ID, a.Fence}]]; ok && a.Outcome == "rescued" && a.FinishedAt.After(d.at) {
				v.figures.untilRescued = append(v.figures.untilRescued, recovery{r.ID, a.Fence, a.FinishedAt.Sub(d.at)})
			}
		}
	}
	longer := func(a, b recovery) int { return cmp.Compare(a.wait, b.wait) }
	slices.SortFunc(v.figures.untilRescued, longer)
	slices.SortFunc(v.figures.afterKill, longer)
	slices.SortFunc(v.figures.afterPause, longer)
}

// String is the table that `make chaos` prints.
func (f figures) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(what, format string, args ...any) {
		fmt.Fprintf(w, "  %s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	line("took", "%s", f.took.Round(time.Second))
	line("items (through the store, by botwork enqueue)", "%d (%d, %d)", f.items, f.byStore, f.byProgram)
	line("processed, cancelled by design", "%d, %d", f.processed, f.cancelled)
	line("runs, of these programs", "%d, %d", f.runs, f.programs)
	line("kill -9", "%d", f.kills)
	line("suspended, of these for longer than a lease", "%d, %d", f.pauses, f.pausesPastLease)
	line("drained (not with exit code 0)", "%d (%d)", f.drains, f.failedDrains)
	line("drained with a second SIGTERM (ended by it)", "%d (%d)", f.forces, f.forced)
	line("started again", "%d", f.restarts)
	line("refused because another process had the name", "%d", f.refused)
	line("acts on two processes, or two acts on one, at the same time", "%d", f.doubled)
	line("failures by design", "%d", f.failed)
	line("rescued, released", "%d, %d", f.rescued, f.released)
	line("ran to the end, unrecorded, and ran again", "%d", f.unrecorded)
	line("of these, at each kill -9", "%v", f.ended())
	line("how long before, the first of them", "%v", f.ages())
	line("without the time of writes", "%v", f.idle())
	if n := len(f.writes); n > 0 {
		line("writes of results took", "median %v, worst %v (%d times)", f.writes[n/2], f.writes[n-1], n)
	}
	line("kill -9 in the middle of foreach, uses, finally", "%d, %d, %d (%d runs of finally were cut off)", f.inForeach, f.inUses, f.inFinally, f.cutsOfCleanUps)
	line("runs that went on at a later step", "%d", f.resumed)
	line("steps and iterations that were recorded, that ended unrecorded and ran again", "%d, %d", f.recorded, f.endedAgain)
	line("items of which a step could not be recorded, or the records not be read", "%d, %d", f.unsaved, f.unread)
	line("from kill -9 to rescued", "%s", spread(f.untilRescued))
	line("from kill -9 to running again", "%s", spread(f.afterKill))
	line("from suspension to running on another worker", "%s", spread(f.afterPause))
	line("lines after a wake-up without a lease (of these, work)", "%d (%d)", f.late, f.lateTicks)
	line("the latest of them after the wake-up", "%s", f.worstLate.Round(time.Millisecond))
	line("lost", "%d", f.lost)
	line("recorded or run twice", "%d", f.doubles)
	line("overlapping runs", "%d", f.overlaps)
	line("lines of programs while their worker was suspended without a lease", "%d", f.programLines)
	_ = w.Flush() // into memory
	return b.String()
}

func (f figures) ended() (all []int) {
	for _, r := range f.repetitions {
		all = append(all, r.ended)
	}
	return all
}

func (f figures) ages() (all []time.Duration) {
	for _, r := range f.repetitions {
		all = append(all, r.age.Round(100*time.Microsecond))
	}
	return all
}

func (f figures) idle() (all []time.Duration) {
	for _, r := range f.repetitions {
		all = append(all, r.idle.Round(100*time.Microsecond))
	}
	return all
}

// spread describes sorted recoveries.
func spread(sorted []recovery) string {
	if len(sorted) == 0 {
		return "none"
	}
	median, worst := sorted[len(sorted)/2], sorted[len(sorted)-1]
	return fmt.Sprintf("median %s, worst %s (%d times)",
		median.wait.Round(100*time.Millisecond), worst.wait.Round(100*time.Millisecond), len(sorted))
}

func text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
