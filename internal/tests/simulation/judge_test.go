package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
)

// judge records the history and checks what no table shows.
type judge struct {
	w *world

	mu         sync.Mutex
	lines      []line
	violations []string
	figures    figures

	newest  map[int64]int64                         // fence of the latest run that began, by item
	started map[workqueue.ItemRef]bool              // runs that began, or whose begin was recorded
	barred  map[workqueue.ItemRef]bool              // claims that must not begin
	deaf    map[workqueue.ItemRef]bool              // runs that ignore that they were cancelled
	edited  map[workqueue.ItemRef]time.Duration     // when a user interfered with a run
	open    map[workqueue.ItemRef]string            // ends that are not written yet, with their instance
	settled map[workqueue.ItemRef]bool              // ends that are written
	done    map[workqueue.ItemRef]workqueue.Verdict // how runs ended
	wins    map[string]string                       // the instance that runs a planned instant
	records map[workqueue.ItemRef]bool              // runs that have records of steps, or may have
	outputs map[int64]map[string]bool               // of steps that have ended well, by item
}

// figures count the events of histories.
type figures struct{ statements, runs, rescues, kills, freezes, cuts, stops, gates, refused, lost, late, edits, holds, steps int }

func (f figures) String() string {
	return fmt.Sprintf("%d statements (%d refused, %d with a lost answer, %d that arrived after the caller had given up), %d runs of items, %d rescues, "+
		"%d kills, %d freezes, %d cut connections, %d stops, %d gates, %d edits by hand, %d rows held by a person, %d steps of runs that resume",
		f.statements, f.refused, f.lost, f.late, f.runs, f.rescues, f.kills, f.freezes, f.cuts, f.stops, f.gates, f.edits, f.holds, f.steps)
}

func (f *figures) add(more figures) {
	f.statements += more.statements
	f.runs += more.runs
	f.rescues += more.rescues
	f.kills += more.kills
	f.freezes += more.freezes
	f.gates += more.gates
	f.cuts += more.cuts
	f.stops += more.stops
	f.refused += more.refused
	f.lost += more.lost
	f.late += more.late
	f.edits += more.edits
	f.holds += more.holds
	f.steps += more.steps
}

func newJudge(w *world) *judge {
	return &judge{
		w: w, newest: map[int64]int64{}, started: map[workqueue.ItemRef]bool{}, barred: map[workqueue.ItemRef]bool{}, deaf: map[workqueue.ItemRef]bool{}, edited: map[workqueue.ItemRef]time.Duration{}, open: map[workqueue.ItemRef]string{}, settled: map[workqueue.ItemRef]bool{},
		done: map[workqueue.ItemRef]workqueue.Verdict{}, wins: map[string]string{}, records: map[workqueue.ItemRef]bool{}, outputs: map[int64]map[string]bool{},
	}
}

func (j *judge) log(who, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.logLocked(who, format, args...)
}

func (j *judge) logLocked(who, format string, args ...any) {
	j.lines = append(j.lines, line{j.w.elapsed(), who, fmt.Sprintf(format, args...)})
}

// count adds to one of the figures.
func (j *judge) count(figure *int, n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	*figure += n
}

// violation ends the history.
func (j *judge) violation(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.violationLocked(format, args...)
}

func (j *judge) violationLocked(format string, args ...any) {
	j.logLocked("judge", "VIOLATION "+format, args...)
	j.violations = append(j.violations, fmt.Sprintf("after %s: %s", j.w.elapsed(), fmt.Sprintf(format, args...)))
	if len(j.violations) == 1 {
		close(j.w.over)
	}
}

// begins records that a run begins: from now on the item belongs to this run.
func (j *judge) begins(p *process, ref workqueue.ItemRef, deaf bool) {
	late := p.lateBegin(ref)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.logLocked(p.instance, "run %d/%d begins", ref.ItemID, ref.Fence)
	if late != "" {
		j.violationLocked("run %d/%d begins, which %s", ref.ItemID, ref.Fence, late)
	}
	j.figures.runs++
	newest := j.newest[ref.ItemID]
	if ref.Fence <= newest && !j.uninformed(ref) {
		j.violationLocked("run %d/%d begins although %d/%d has already begun", ref.ItemID, ref.Fence, ref.ItemID, newest)
	}
	if j.barred[ref] {
		j.violationLocked("run %d/%d begins although that was refused", ref.ItemID, ref.Fence)
	}
	j.newest[ref.ItemID], j.deaf[ref], j.started[ref] = max(newest, ref.Fence), deaf, true
}

// beginAsked records whether a run may begin, in which case its begin is recorded.
// A repeated statement may find that the item was deleted; the first answer counts.
func (j *judge) beginAsked(ref workqueue.ItemRef, may bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if may {
		j.started[ref] = true
	} else if !j.started[ref] {
		j.barred[ref] = true
	}
}

// hasBegun reports whether a run has begun, or may have.
func (j *judge) hasBegun(ref workqueue.ItemRef) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.started[ref]
}

// checkBegun checks that the runs that a process reports as begun have begun.
func (j *judge) checkBegun(instance string, begun []workqueue.ItemRef) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, ref := range begun {
		if !j.started[ref] {
			j.violationLocked("%s reports that run %d/%d has begun, but it has not", instance, ref.ItemID, ref.Fence)
		}
	}
}

// counts checks that only a run that had begun is counted as the cause of a death.
func (j *judge) counts(ref workqueue.ItemRef) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.started[ref] {
		j.violationLocked("run %d/%d, which had not begun, is counted as the cause of a death", ref.ItemID, ref.Fence)
	}
}

// effect is called for each effect of a run on other systems. Two runs of an item must
// not have effects in turns, and a run must have none after its lease has expired: a
// worker that cannot renew the lease stops the run before. Exceptions are handlers that
// ignore cancellation, and workers that do not know yet of an edit by a user.
func (j *judge) effect(p *process, ref workqueue.ItemRef) {
	leased := p.w.db.leased(ref)
	j.mu.Lock()
	defer j.mu.Unlock()
	switch newest := j.newest[ref.ItemID]; {
	case j.deaf[ref] || j.uninformed(ref):
	case newest != ref.Fence:
		j.violationLocked("%s still works on %d/%d although run %d/%d has already begun", p.instance, ref.ItemID, ref.Fence, ref.ItemID, newest)
	case !leased:
		j.violationLocked("%s still works on %d/%d although it has no lease", p.instance, ref.ItemID, ref.Fence)
	}
}

// uninformed reports whether a user has taken a claim from its worker, which may
// not know it yet.
func (j *judge) uninformed(ref workqueue.ItemRef) bool {
	edited, byHand := j.edited[ref]
	return byHand && j.w.elapsed()-edited <= j.w.rules.Lease
}

// ends records how a run ended, before its worker knows it.
func (j *judge) ends(p *process, ref workqueue.ItemRef, o workqueue.Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.logLocked(p.instance, "run %d/%d ends: verdict %d %s %s", ref.ItemID, ref.Fence, o.Verdict, o.Kind, o.Error)
	j.done[ref] = o.Verdict
	if !j.deaf[ref] && !j.settled[ref] {
		j.open[ref] = p.instance
	}
}

// written records that the end of a run has reached the database.
func (j *judge) written(instance string, f workqueue.Finish, lost bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	ref := workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}
	j.logLocked(instance, "Finish %d/%d: state %v, failures %d, lost %t", f.ItemID, f.Fence, f.State, f.RetryCount, lost)
	delete(j.open, ref)
	j.settled[ref] = true
	verdict, ended := j.done[ref]
	if f.State == workqueue.Processed && !lost && (!ended || verdict != workqueue.Succeeded) {
		j.violationLocked("the success of %d/%d is recorded although its run has not succeeded", f.ItemID, f.Fence)
	}
}

// gaveUp records that a process ends without having written all ends.
func (j *judge) gaveUp(p *process) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for ref, instance := range j.open {
		if instance == p.instance {
			delete(j.open, ref)
		}
	}
}

// fired records that a process runs a planned instant of a schedule that fires
// once in the cluster.
func (j *judge) fired(p *process, schedule string, planned time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := schedule + " " + planned.UTC().Format(time.RFC3339)
	if first, again := j.wins[key]; again {
		j.violationLocked("%s runs %s, which %s has already run", p.instance, key, first)
	}
	j.wins[key] = p.instance
}

// tail returns the last lines of the history.
func (j *judge) tail(n int) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var text strings.Builder
	for _, l := range j.lines[max(0, len(j.lines)-n):] {
		text.WriteString(l.String() + "\n")
	}
	return text.String()
}

// line is one event of the history.
type line struct {
	at   time.Duration
	who  string
	what string
}

func (l line) String() string { return fmt.Sprintf("%14s %-6s %s", l.at, l.who, l.what) }

// inOrder returns the lines of a history in an order that does not depend on the order
// of goroutines that act at the same instant.
func (j *judge) inOrder() []line {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := slices.Clone(j.lines)
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.who, b.who), cmp.Compare(a.what, b.what))
	})
	return lines
}
