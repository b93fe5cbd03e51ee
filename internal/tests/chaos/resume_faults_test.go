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

// resumed is evidence without faults. Process 40 was killed in second 10, in the loop of item 1: it had recorded the
// first six iterations, and the seventh had ended. Process 41 went on, and was killed in second 30, in finally. Process
// 10 had to run finally only.
func resumed() *evidence {
	e := &evidence{
		confirmed: map[int]order{1: {Number: 1, Resume: true}},
		rows: []row{{
			workqueue.Item{ID: 1, State: workqueue.Processed, Fence: 3, ReleaseCount: 2},
			[]workqueue.Attempt{{Fence: 1, Outcome: "rescued", FinishedAt: at(18)}, {Fence: 2, Outcome: "rescued", FinishedAt: at(38)}}, 1,
		}},
		records: []record{
			{1, 1, "first", nil}, {1, 1, "lines", &recordedLoop{Done: 5, More: []int{5}}}, {1, 2, "part", nil}, {1, 2, "last", nil},
		},
		deaths: []death{{pid: 40, at: at(10)}, {pid: 41, at: at(30)}},
		lease:  10 * time.Second, lateness: time.Second,
	}
	loop := everyStep(linesStage, linesStage+1)
	e.stepLines(1, 40, 1, slices.Concat([]string{"first"}, loop[:7])...)
	e.stepLine(1, 40, 9, loop[7], ledger.Begin)
	e.stepLines(2, 41, 20, slices.Concat(loop[6:], everyStep(linesStage+1, cleanUpStage))...)
	e.stepLine(2, 41, 29, "finally / close", ledger.Begin)
	e.stepLines(3, 10, 40, "finally / close", "finally / tidy")
	return e
}

func (e *evidence) stepLine(fence int64, pid, second int, step string, kind ledger.Kind) {
	e.steps = append(e.steps, ledger.Line{Run: ledger.Run{Item: 1, Fence: fence, PID: pid, Step: step}, Kind: kind, At: at(second).UnixNano()})
}

// stepLines adds steps that end well.
func (e *evidence) stepLines(fence int64, pid, second int, steps ...string) {
	for _, step := range steps {
		e.stepLine(fence, pid, second, step, ledger.Begin)
		e.stepLine(fence, pid, second, step, ledger.End)
	}
}

// insert adds steps that end well, before the other lines of their run.
func (e *evidence) insert(fence int64, steps ...string) {
	at := slices.IndexFunc(e.steps, func(l ledger.Line) bool { return l.Fence == fence })
	pid, second, after := e.steps[at].PID, int(e.steps[at].Time().Unix()-1_800_000_000), slices.Clone(e.steps[at:])
	e.steps = e.steps[:at]
	e.stepLines(fence, pid, second, steps...)
	e.steps = append(e.steps, after...)
}

// drop removes the lines of a step in a run.
func (e *evidence) drop(fence int64, step string) {
	e.steps = slices.DeleteFunc(e.steps, func(l ledger.Line) bool { return l.Fence == fence && l.Step == step })
}

func TestSoundEvidenceOfSteps(t *testing.T) {
	v := judge(*resumed())
	if len(v.faults) > 0 {
		t.Errorf("faults = %q, want none", v.faults)
	}
	f := v.figures
	if f.runs != 3 || f.resumed != 2 || f.recorded != 4+iterations || f.endedAgain != 1 {
		t.Errorf("%d runs, %d went on, %d steps were recorded, %d ended and ran again; want 3, 2, %d, 1", f.runs, f.resumed, f.recorded, f.endedAgain, 4+iterations)
	}
	if f.inForeach != 1 || f.inUses != 0 || f.inFinally != 1 || f.cutsOfCleanUps != 1 {
		t.Errorf("%d, %d, %d kills in foreach, uses and finally, and %d runs of finally cut off; want 1, 0, 1, 1", f.inForeach, f.inUses, f.inFinally, f.cutsOfCleanUps)
	}
}

func TestFaultsOfStepsAreFound(t *testing.T) {
	again := func(fence int64, step string) func(e *evidence) {
		return func(e *evidence) { e.insert(fence, step) }
	}
	tests := map[string]struct {
		spoil func(e *evidence)
		want  string // "": none
	}{
		"a step before the loop runs again":                {again(2, "first"), "item 1, fence 2: first ran again, although it had ended and was recorded with fence 1"},
		"a step runs again of which no record was seen":    {func(e *evidence) { e.records = nil; e.insert(2, "first") }, "item 1, fence 2: first ran again"},
		"a step runs again in the third run":               {again(3, "first"), "item 1, fence 3: first ran again, although it had ended and was recorded with fence 1"},
		"an iteration whose record was seen runs again":    {again(2, "lines[4]"), "item 1, fence 2: lines[4] ran again"},
		"one that ended out of order runs again":           {again(2, "lines[5]"), "item 1, fence 2: lines[5] ran again"},
		"an iteration whose record was not seen":           {func(e *evidence) { e.records = nil; e.insert(2, "lines[4]") }, ""},
		"an iteration of a loop that had ended runs again": {again(3, "lines[17]"), "item 1, fence 3: lines[17] ran again, although it had ended and was recorded with fence 2"},
		"a step of a called pipeline runs again":           {again(3, "part / one"), "item 1, fence 3: part / one ran again"},
		"the last step runs again after finally began":     {func(e *evidence) { e.records = nil; e.insert(3, "last") }, "item 1, fence 3: last ran again"},
		"the last step runs again whose record was not written": {func(e *evidence) {
			e.records = nil
			e.drop(2, "finally / close")
			e.insert(3, "last")
		}, ""},
		"a step that could not be recorded": {func(e *evidence) {
			e.records, e.unsaved = nil, map[int64]bool{1: true}
			e.insert(2, "first")
		}, ""},
		"a step whose record was seen, and another was not recorded": {func(e *evidence) {
			e.unsaved = map[int64]bool{1: true}
			e.insert(2, "first")
		}, "item 1, fence 2: first ran again"},
		"records that could not be read":              {func(e *evidence) { e.unread = map[int64]bool{1: true}; e.insert(2, "first") }, ""},
		"a step that never ran":                       {func(e *evidence) { e.drop(1, "first") }, "item 1: Processed, but no run of first has ended"},
		"an iteration that was left out":              {func(e *evidence) { e.drop(2, "lines[11]") }, "item 1: Processed, but no run of lines[11] has ended"},
		"an iteration that was cut off and left out":  {func(e *evidence) { e.drop(2, "lines[7]") }, "item 1: Processed, but no run of lines[7] has ended"},
		"a called step that was left out":             {func(e *evidence) { e.drop(2, "part / two") }, "item 1: Processed, but no run of part / two has ended"},
		"finally that does not run after the kill":    {func(e *evidence) { e.drop(3, "finally / close") }, "item 1, fence 3: Processed, but its last run has not ended finally / close"},
		"a last run that did nothing":                 {func(e *evidence) { e.drop(3, "finally / close"); e.drop(3, "finally / tidy") }, "item 1, fence 3: Processed, but its last run has not ended finally / close"},
		"finally that was cut off twice":              {func(e *evidence) { e.steps = e.steps[:len(e.steps)-1] }, "item 1, fence 3: Processed, but its last run has not ended finally / tidy"},
		"finally in two runs at the same time":        {func(e *evidence) { e.stepLine(2, 41, 41, "finally / close", ledger.Tick) }, "item 1: process 41 wrote tick of fence 2 after process 10 had started fence 3, although it was not suspended"},
		"a step that begins twice in a run":           {func(e *evidence) { e.insert(2, "part / one") }, "item 1, fence 2: part / one began 2 times"},
		"a line after the end of a step":              {func(e *evidence) { e.stepLine(3, 10, 41, "finally / tidy", ledger.Tick) }, "item 1, fence 3: 1 lines of finally / tidy after its end"},
		"a step that the pipeline does not have":      {again(2, "other"), "item 1, fence 2: other is not a step"},
		"a run without an attempt":                    {func(e *evidence) { e.rows[0].attempts = e.rows[0].attempts[:1] }, "item 1, fence 2: steps of it ran, but it has no attempt"},
		"a success with an attempt":                   {func(e *evidence) { e.rows[0].attempts[1].Fence = 3 }, `item 1, fence 3: Processed, but its attempt is "rescued"`},
		"a failure of a run that did not fail":        {func(e *evidence) { e.rows[0].attempts[1].Outcome = "failed" }, "item 1, fence 2: counted as failed"},
		"a fence above that of the row":               {func(e *evidence) { e.rows[0].Fence = 2 }, "item 1, fence 3: ran, but the row has only fence 2"},
		"a missing item":                              {func(e *evidence) { e.rows = nil }, "order 1 is lost"},
		"steps of an item that does not exist":        {func(e *evidence) { e.rows = nil }, "steps of item 1 are in the ledger"},
		"an item that has not ended":                  {func(e *evidence) { e.rows[0].State = workqueue.Blocked }, "item 1 is Blocked, want Processed"},
		"an item that was cancelled and did not fail": {func(e *evidence) { e.rows[0].State = workqueue.Cancelled }, "item 1 is Cancelled, want Processed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := resumed()
			tt.spoil(e)
			faults := judge(*e).faults
			if tt.want == "" && len(faults) > 0 {
				t.Errorf("faults = %q, want none", faults)
			}
			if !slices.ContainsFunc(faults, func(fault string) bool { return strings.HasPrefix(fault, tt.want) }) && tt.want != "" {
				t.Errorf("faults = %q, want one that begins %q", faults, tt.want)
			}
		})
	}
}
