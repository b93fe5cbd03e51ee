//go:build unix

package chaos

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"botwork/internal/tests/chaos/ledger"
	"botwork/workqueue"
)

// killedOften is evidence that nothing can be said against: five processes, the
// first in the 100th second and so on, were killed with one run that had ended 4 ms
// before and one that was under way. A write of results was under way as well.
func killedOften() *evidence {
	e := &evidence{told: map[int]order{}, slots: 2, lease: 10 * time.Second, lateness: time.Second}
	for i := range fewestKills {
		pid, id, began := 100+i, int64(10*(i+1)), at(100+i)
		e.kill(pid, began.Add(105*time.Millisecond), write{began.Add(50 * time.Millisecond), began.Add(52 * time.Millisecond)}, write{from: began.Add(101 * time.Millisecond)})
		e.run(id, pid, began, began.Add(100*time.Millisecond))
		e.run(id+1, pid, began, time.Time{})
		e.line(id+1, 1, pid, began.Add(104*time.Millisecond), ledger.Tick)
	}
	return e
}

func (e *evidence) kill(pid int, when time.Time, writes ...write) {
	e.deaths = append(e.deaths, death{pid: pid, at: when, writes: writes})
}

func (e *evidence) line(id, fence int64, pid int, when time.Time, kind ledger.Kind) {
	e.lines = append(e.lines, ledger.Line{Run: ledger.Run{Item: id, Fence: fence, PID: pid}, Kind: kind, At: when.UnixNano()})
}

// run is a run that a kill made run again in another process; ended is zero when
// the process died before.
func (e *evidence) run(id int64, pid int, began, ended time.Time) {
	e.told[int(id)] = order{Number: int(id)}
	e.rows = append(e.rows, row{
		workqueue.Item{ID: id, State: workqueue.Processed, Fence: 2, ReleaseCount: 1},
		[]workqueue.Attempt{{Fence: 1, Outcome: "rescued", FinishedAt: at(200)}}, int(id),
	})
	e.line(id, 1, pid, began, ledger.Begin)
	if !ended.IsZero() {
		e.line(id, 1, pid, ended, ledger.End)
	}
	const other = 10
	e.line(id, 2, other, at(201), ledger.Begin)
	e.line(id, 2, other, at(202), ledger.End)
}

// later gives a process one more line.
func (e *evidence) later(i int, after time.Duration) {
	e.line(int64(10*(i+1)+1), 1, 100+i, at(100+i).Add(100*time.Millisecond+after), ledger.Tick)
}

func TestWhatAKillMayRepeat(t *testing.T) {
	ms := func(i int, n time.Duration) time.Time { return at(100 + i).Add(n * time.Millisecond) }
	tests := map[string]struct {
		spoil func(e *evidence)
		want  string // the beginning of the one fault; "": none
	}{
		"what had just ended": {func(*evidence) {}, ""},
		"a completer that holds results back": {func(e *evidence) {
			for i := range 4 {
				e.deaths[i].writes = nil
				e.later(i, 25*time.Millisecond)
			}
		}, "at 4 of 5 kills a run had ended more than 20ms before, and nobody wrote that down: [25ms 25ms 25ms 25ms 1ms]"},
		"a completer that begins too late": {func(e *evidence) {
			for i := range 4 {
				e.deaths[i].writes[1].from = ms(i, 112)
				e.later(i, 30*time.Millisecond)
			}
		}, "at 4 of 5 kills"},
		"a completer that leaves results out": {func(e *evidence) {
			for i := range 4 {
				e.deaths[i].writes[1].to = ms(i, 103)
				e.deaths[i].writes = append(e.deaths[i].writes, write{from: ms(i, 113)})
				e.later(i, 25*time.Millisecond)
			}
		}, "at 4 of 5 kills"},
		"a machine that had no time at three of five kills": {func(e *evidence) {
			for i := range 3 {
				e.deaths[i].writes = nil
				e.later(i, 25*time.Millisecond)
			}
		}, ""},
		"a machine that had little time at each": {func(e *evidence) {
			for i := range fewestKills {
				e.deaths[i].writes = nil
				e.later(i, 19*time.Millisecond)
			}
		}, ""},
		"a disk that is slow": {func(e *evidence) {
			for i := range fewestKills {
				e.deaths[i].writes = []write{{ms(i, 90), ms(i, 190)}, {from: ms(i, 191)}}
				e.later(i, 150*time.Millisecond)
			}
			e.deaths[0].writes[1].from = ms(0, 110) // behind one that failed
		}, ""},
		"a result that was forgotten": {func(e *evidence) {
			e.deaths[0].writes[1].to = ms(0, 103)
			e.later(0, 6*time.Second)
		}, "process 100: a run had ended 6s before the kill"},
		"a result that the database did not take": {func(e *evidence) {
			e.deaths[0].writes[1].to, e.deaths[0].troubled = ms(0, 103), true
			e.later(0, 6*time.Second)
		}, ""},
		"a suspended process that held the database up": {func(e *evidence) {
			e.deaths[0].writes[1].to = ms(0, 103)
			e.pauses = []*pause{{pid: 50, from: ms(0, 500), to: ms(0, 5000)}}
			e.later(0, 6*time.Second)
		}, ""},
		"slots that wait for the ends of their items":    {func(e *evidence) { e.sync = true }, ""},
		"a slot that does not wait though it is told to": {func(e *evidence) { e.sync, e.slots = true, 1 }, "process 100: 2 runs were open at the kill in 1 slots"},
		"more than two writes carry": {func(e *evidence) {
			for id := range int64(2*largestBatch + 2) {
				e.run(1000+id, 100, ms(0, 1), ms(0, 100))
			}
		}, "process 100: 1003 runs that had ended ran again, want at most 1002"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := killedOften()
			tt.spoil(e)
			slices.SortStableFunc(e.lines, func(a, b ledger.Line) int { return cmp.Compare(a.At, b.At) })
			faults := judge(*e).faults
			if tt.want == "" && len(faults) > 0 {
				t.Errorf("faults = %q, want none", faults)
			}
			if tt.want != "" && (len(faults) == 0 || !strings.HasPrefix(faults[0], tt.want)) {
				t.Errorf("faults = %q, want one that begins %q", faults, tt.want)
			}
		})
	}
}

func TestRepeatsAreCounted(t *testing.T) {
	e := killedOften()
	e.deaths = e.deaths[:1]
	got := judge(*e).figures.repetitions
	want := []repetition{{open: 2, ended: 1, age: 4 * time.Millisecond, idle: time.Millisecond}}
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(repetition{}), cmpopts.IgnoreFields(repetition{}, "from", "to")); diff != "" {
		t.Errorf("repetitions (-want +got):\n%s", diff)
	}
}

// What the completer says of its writes is what the judge looks for.
func TestALogTellsOfWrites(t *testing.T) {
	var d death
	d.readLog([]byte(`{"level":"info","message":"worker started"}
{"level":"debug","results":3,"at":"2026-11-22T08:00:00.001Z","message":"writing results"}
{"level":"debug","results":3,"took_us":2500,"message":"results written"}
{"level":"debug","results":2,"at":"2026-11-22T08:00:01Z","message":"writing results"}
{"level":"error","results":2,"message":"could not save results; keeping them and retrying"}
{"level":"debug","results":1,"at":"2026-11-22T08:00:02Z","message":"writing results"}
{"level":"debug","results":1,"took_us":10`))
	began := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	want := []write{
		{began.Add(time.Millisecond), began.Add(3500 * time.Microsecond)},
		{began.Add(time.Second), began.Add(2 * time.Second)},
		{from: began.Add(2 * time.Second)},
	}
	if diff := gocmp.Diff(want, d.writes, gocmp.AllowUnexported(write{})); diff != "" || !d.troubled {
		t.Errorf("troubled %t, writes (-want +got):\n%s", d.troubled, diff)
	}
}
