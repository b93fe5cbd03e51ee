//go:build unix

package chaos

import (
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/tests/chaos/ledger"
	"botwork/workqueue"
)

// sound is evidence without faults: item 1 failed once and then succeeded, item 2
// failed up to its limit, item 3 was taken from process 30, which was suspended from
// second 5 to second 30 and wrote a line when it woke up, and item 4 from process 40,
// which was killed in second 8.
func sound() *evidence {
	item := func(id int64, state workqueue.State, fence int64, retries, releases int, attempts ...workqueue.Attempt) row {
		return row{workqueue.Item{ID: id, State: state, Fence: fence, RetryCount: retries, ReleaseCount: releases}, attempts, int(id)}
	}
	attempt := func(fence int64, outcome string) workqueue.Attempt {
		return workqueue.Attempt{Fence: fence, Outcome: outcome, FinishedAt: at(18)}
	}
	line := func(id, fence int64, pid, second int, kind ledger.Kind) ledger.Line {
		return ledger.Line{Run: ledger.Run{Item: id, Fence: fence, PID: pid}, Kind: kind, At: at(second).UnixNano()}
	}
	return &evidence{
		confirmed:   map[int]order{1: {Number: 1, Failures: 1}, 2: {Number: 2, Failures: attempts}, 3: {Number: 3}, 4: {Number: 4}},
		unconfirmed: map[int]order{5: {Number: 5}},
		rows: []row{
			item(1, workqueue.Processed, 2, 1, 0, attempt(1, "failed")),
			item(2, workqueue.Cancelled, 3, 3, 0, attempt(1, "failed"), attempt(2, "failed"), attempt(3, "failed")),
			item(3, workqueue.Processed, 2, 0, 1, attempt(1, "rescued")),
			item(4, workqueue.Processed, 3, 0, 1, attempt(1, "rescued"), attempt(2, "released")),
		},
		lines: []ledger.Line{
			line(1, 1, 10, 1, ledger.Begin), line(1, 1, 10, 2, ledger.Fail), line(1, 2, 10, 3, ledger.Begin), line(1, 2, 10, 4, ledger.End),
			line(2, 1, 10, 1, ledger.Begin), line(2, 1, 10, 2, ledger.Fail), line(2, 2, 10, 3, ledger.Begin), line(2, 2, 10, 4, ledger.Fail),
			line(2, 3, 20, 5, ledger.Begin), line(2, 3, 20, 6, ledger.Fail),
			line(4, 1, 40, 7, ledger.Begin), line(4, 2, 20, 19, ledger.Begin), line(4, 2, 20, 20, ledger.Cancelled),
			line(4, 3, 10, 22, ledger.Begin), line(4, 3, 10, 23, ledger.End),
			line(3, 1, 30, 4, ledger.Begin), line(3, 2, 10, 25, ledger.Begin),
			line(3, 1, 30, 30, ledger.Tick), line(3, 1, 30, 31, ledger.Cancelled), line(3, 2, 10, 32, ledger.End),
		},
		deaths:   []death{{pid: 40, at: at(8)}},
		pauses:   []*pause{{pid: 30, from: at(5), to: at(30)}},
		lease:    10 * time.Second,
		lateness: time.Second,
	}
}

func at(second int) time.Time { return time.Unix(1_800_000_000+int64(second), 0) }

func TestSoundEvidence(t *testing.T) {
	v := judge(*sound())
	if len(v.faults) > 0 {
		t.Errorf("faults = %q, want none", v.faults)
	}
	f := v.figures
	if f.items != 4 || f.processed != 3 || f.cancelled != 1 || f.failed != 4 || f.rescued != 2 || f.released != 1 || f.runs != 10 {
		t.Errorf("counts of items and runs are wrong: %+v", f)
	}
	if f.late != 2 || f.lateTicks != 1 || f.worstLate != time.Second || f.kills != 1 || f.pausesPastLease != 1 {
		t.Errorf("counts of the torment are wrong: %+v", f)
	}
	if !slices.Equal(f.untilRescued, []recovery{{4, 1, 10 * time.Second}}) {
		t.Errorf("rescues = %v, want one 10s after the kill", f.untilRescued)
	}
	if !slices.Equal(f.afterKill, []recovery{{4, 2, 11 * time.Second}}) || !slices.Equal(f.afterPause, []recovery{{3, 2, 20 * time.Second}}) {
		t.Errorf("recoveries = %v and %v, want 11s after the kill and 20s after the suspension", f.afterKill, f.afterPause)
	}
}

func TestFaultsAreFound(t *testing.T) {
	tests := map[string]struct {
		spoil func(e *evidence)
		want  string
	}{
		"a missing item":                            {func(e *evidence) { e.rows = e.rows[1:] }, "order 1 is lost"},
		"a duplicate item":                          {func(e *evidence) { e.rows = append(e.rows, e.rows[0]) }, "order 1 has 2 items"},
		"an item without an order":                  {func(e *evidence) { e.rows[0].number = 9 }, "item 1 has no order"},
		"an unfinished item":                        {func(e *evidence) { e.rows[0].State = workqueue.Blocked }, "item 1 is Blocked, want Processed"},
		"a success that should have failed":         {func(e *evidence) { e.rows[1].State = workqueue.Processed }, "item 2 is Processed, want Cancelled"},
		"a kill that counts as a failure":           {func(e *evidence) { e.rows[3].RetryCount = 1 }, "item 4 has RetryCount 1, want 0"},
		"a failure that was not counted":            {func(e *evidence) { e.rows[0].RetryCount = 0 }, "item 1 has RetryCount 0, want 1"},
		"a failure without an attempt":              {func(e *evidence) { e.rows[0].attempts = nil }, "item 1 has 0 failed attempts, want 1"},
		"a rescue that was not counted":             {func(e *evidence) { e.rows[2].ReleaseCount = 0 }, "item 3 has ReleaseCount 0 and 1 rescued"},
		"an impossible outcome":                     {func(e *evidence) { e.rows[3].attempts[1].Outcome = "timeout" }, "item 4 has attempts that are neither"},
		"two attempts of one claim":                 {func(e *evidence) { e.rows[3].attempts[1].Fence = 1 }, "item 4, fence 1: has two attempts"},
		"a claim that ran twice":                    {func(e *evidence) { e.lines = slices.Insert(e.lines, 1, e.lines[0]) }, "item 1, fence 1: started 2 times"},
		"a line after the last":                     {func(e *evidence) { e.lines = slices.Insert(e.lines, 4, e.lines[3]) }, "item 1, fence 2: 1 lines after its end"},
		"a fence above that of the row":             {func(e *evidence) { e.rows[0].Fence = 1 }, "item 1, fence 2: ran, but the row has only fence 1"},
		"a result that no run reached":              {func(e *evidence) { e.lines[3].Kind = ledger.Tick }, `item 1, fence 2: Processed, but the run's last line is ""`},
		"a run that was not recorded":               {func(e *evidence) { e.rows[3].attempts = e.rows[3].attempts[:1] }, "item 4, fence 2: started"},
		"a failure of a successful run":             {func(e *evidence) { e.lines[1].Kind = ledger.End }, "item 1, fence 1: counted as failed"},
		"a success that never ran":                  {func(e *evidence) { e.lines = e.lines[4:] }, "item 1: Processed with fence 2, which never ran"},
		"a line of an item that does not exist":     {func(e *evidence) { e.lines[0].Item = 77 }, "item 77 is in the ledger"},
		"an overlap without a suspension":           {func(e *evidence) { e.pauses = nil }, "item 3: process 30 wrote tick of fence 1 after process 10 had started fence 2, although it was not suspended"},
		"an overlap with another process suspended": {func(e *evidence) { e.pauses[0].pid = 31 }, "item 3: process 30 wrote tick"},
		"a suspension that began too late":          {func(e *evidence) { e.pauses[0].from = at(26) }, "item 3: process 30 wrote tick"},
		"an overlap that continues":                 {func(e *evidence) { e.pauses[0].to = at(28) }, "item 3: process 30 wrote tick of fence 1 2s after it woke up"},
		"a process that crashed":                    {func(e *evidence) { e.faults = []string{"worker-1 crashed"} }, "worker-1 crashed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := sound()
			tt.spoil(e)
			v := judge(*e)
			if !slices.ContainsFunc(v.faults, func(fault string) bool { return strings.HasPrefix(fault, tt.want) }) {
				t.Errorf("faults = %q, want one that begins %q", v.faults, tt.want)
			}
		})
	}
}

// An order whose call failed may be in the queue or not; if it is, its item must be
// finished like any other.
func TestUnconfirmedOrdersMayExist(t *testing.T) {
	e := sound()
	e.rows = append(e.rows, row{workqueue.Item{ID: 5, State: workqueue.Ready, Fence: 0}, nil, 5})
	v := judge(*e)
	if len(v.faults) != 1 || !strings.HasPrefix(v.faults[0], "item 5 is Ready, want Processed") {
		t.Errorf("faults = %q, want one that item 5 is not finished", v.faults)
	}
}

// A program may continue while its worker is suspended, and no longer.
func TestProgramMayRunWhileWorkerIsSuspended(t *testing.T) {
	line := func(second int) ledger.Line {
		return ledger.Line{Run: ledger.Run{Item: 3, Fence: 1, PID: 30, Program: 31}, Kind: ledger.Tick, At: at(second).UnixNano()}
	}
	for name, c := range map[string]struct {
		spoil func(e *evidence)
		at    int
		want  string
	}{
		"while it is suspended":                {func(*evidence) {}, 27, ""},
		"long after it woke up":                {func(*evidence) {}, 33, "item 3: process 30 wrote tick of fence 1 3s after it woke up"},
		"before it was killed while suspended": {func(e *evidence) { e.die(30, 28) }, 27, ""},
		"after it was killed while suspended":  {func(e *evidence) { e.die(30, 28) }, 30, "item 3: process 30 wrote tick of fence 1 2s after it woke up"},
		"after it was killed while running":    {func(e *evidence) { e.die(30, 20); e.pauses = nil }, 26, "item 3: process 30 wrote tick of fence 1 after process 10 had started fence 2, although it was not suspended"},
	} {
		t.Run(name, func(t *testing.T) {
			e := sound()
			e.lines = slices.DeleteFunc(e.lines, func(l ledger.Line) bool { return l.PID == 30 && l.Kind != ledger.Begin })
			e.lines = append(e.lines, line(c.at))
			c.spoil(e)
			v := judge(*e)
			if c.want == "" && (len(v.faults) > 0 || v.figures.programLines != 1) {
				t.Errorf("faults = %q, %d lines, want none and one line", v.faults, v.figures.programLines)
			}
			if c.want != "" && (len(v.faults) != 1 || !strings.HasPrefix(v.faults[0], c.want)) {
				t.Errorf("faults = %q, want one that begins %q", v.faults, c.want)
			}
		})
	}
}

// die adds the kill of a suspended process.
func (e *evidence) die(pid, second int) {
	e.deaths = append(e.deaths, death{pid: pid, at: at(second)})
	for _, p := range e.pauses {
		p.to = time.Time{}
	}
}
