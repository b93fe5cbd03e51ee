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

// killedOften is evidence without faults: five processes, the first in second 100 and
// so on, were killed. Each had one run that had ended 4 ms before, one active run, and
// an active write of results.
func killedOften() *evidence {
	e := &evidence{confirmed: map[int]order{}, slots: 2, lease: 10 * time.Second, lateness: time.Second}
	for i := range fewestKills {
		pid, id, started := 100+i, int64(10*(i+1)), at(100+i)
		e.kill(pid, started.Add(105*time.Millisecond), write{started.Add(50 * time.Millisecond), started.Add(52 * time.Millisecond)}, write{from: started.Add(101 * time.Millisecond)})
		e.run(id, pid, started, started.Add(100*time.Millisecond))
		e.run(id+1, pid, started, time.Time{})
		e.line(id+1, 1, pid, started.Add(104*time.Millisecond), ledger.Tick)
	}
	return e
}

func (e *evidence) kill(pid int, when time.Time, writes ...write) {
	e.deaths = append(e.deaths, death{pid: pid, at: when, writes: writes})
}

func (e *evidence) line(id, fence int64, pid int, when time.Time, kind ledger.Kind) {
	e.lines = append(e.lines, ledger.Line{Run: ledger.Run{Item: id, Fence: fence, PID: pid}, Kind: kind, At: when.UnixNano()})
}

// run adds a run that was repeated in another process after a kill; ended is zero if
// the process died before the end.
func (e *evidence) run(id int64, pid int, started, ended time.Time) {
	e.confirmed[int(id)] = order{Number: int(id)}
	e.rows = append(e.rows, row{
		workqueue.Item{ID: id, State: workqueue.Processed, Fence: 2, ReleaseCount: 1},
		[]workqueue.Attempt{{Fence: 1, Outcome: "rescued", FinishedAt: at(200)}}, int(id),
	})
	e.line(id, 1, pid, started, ledger.Begin)
	if !ended.IsZero() {
		e.line(id, 1, pid, ended, ledger.End)
	}
	const other = 10
	e.line(id, 2, other, at(201), ledger.Begin)
	e.line(id, 2, other, at(202), ledger.End)
}

// later adds one more line of a process.
func (e *evidence) later(i int, after time.Duration) {
	e.line(int64(10*(i+1)+1), 1, 100+i, at(100+i).Add(100*time.Millisecond+after), ledger.Tick)
}

func TestRunsThatKillMayRepeat(t *testing.T) {
	ms := func(i int, n time.Duration) time.Time { return at(100 + i).Add(n * time.Millisecond) }
	tests := map[string]struct {
		spoil func(e *evidence)
		want  string // the beginning of the first fault; "": none
	}{
		"a run that had just ended": {func(*evidence) {}, ""},
		"a completer that holds results back": {func(e *evidence) {
			for i := range 4 {
				e.deaths[i].writes = nil
				e.later(i, 25*time.Millisecond)
			}
		}, "at 4 of 5 kills a run had ended more than 20ms before, and its end was not recorded: [25ms 25ms 25ms 25ms 1ms]"},
		"a completer that starts too late": {func(e *evidence) {
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
		"a machine that was busy at three of five kills": {func(e *evidence) {
			for i := range 3 {
				e.deaths[i].writes = nil
				e.later(i, 25*time.Millisecond)
			}
		}, ""},
		"a machine that was a little busy at each kill": {func(e *evidence) {
			for i := range fewestKills {
				e.deaths[i].writes = nil
				e.later(i, 19*time.Millisecond)
			}
		}, ""},
		"a slow disk": {func(e *evidence) {
			for i := range fewestKills {
				e.deaths[i].writes = []write{{ms(i, 90), ms(i, 190)}, {from: ms(i, 191)}}
				e.later(i, 150*time.Millisecond)
			}
			e.deaths[0].writes[1].from = ms(0, 110) // after one that failed
		}, ""},
		"a lost result": {func(e *evidence) {
			e.deaths[0].writes[1].to = ms(0, 103)
			e.later(0, 6*time.Second)
		}, "process 100: a run had ended 6s before the kill"},
		"a result that the database did not accept": {func(e *evidence) {
			e.deaths[0].writes[1].to, e.deaths[0].troubled = ms(0, 103), true
			e.later(0, 6*time.Second)
		}, ""},
		"a suspended process that blocked the database": {func(e *evidence) {
			e.deaths[0].writes[1].to = ms(0, 103)
			e.pauses = []*pause{{pid: 50, from: ms(0, 500), to: ms(0, 5000)}}
			e.later(0, 6*time.Second)
		}, ""},
		"slots that wait for the ends of their items": {func(e *evidence) { e.sync = true }, ""},
		"a slot that does not wait although it must":  {func(e *evidence) { e.sync, e.slots = true, 1 }, "process 100: 2 runs were open at the kill in 1 slots"},
		"more results than two writes contain": {func(e *evidence) {
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

// readLog must understand the log lines of the completer.
func TestWritesAreReadFromLog(t *testing.T) {
	var d death
	d.readLog([]byte(`{"level":"info","message":"worker started"}
{"level":"debug","results":3,"at":"2026-11-22T08:00:00.001Z","message":"writing results"}
{"level":"debug","results":3,"took_us":2500,"message":"results written"}
{"level":"debug","results":2,"at":"2026-11-22T08:00:01Z","message":"writing results"}
{"level":"error","results":2,"message":"could not save results; keeping them and retrying"}
{"level":"debug","results":1,"at":"2026-11-22T08:00:02Z","message":"writing results"}
{"level":"debug","results":1,"took_us":10`))
	started := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	want := []write{
		{started.Add(time.Millisecond), started.Add(3500 * time.Microsecond)},
		{started.Add(time.Second), started.Add(2 * time.Second)},
		{from: started.Add(2 * time.Second)},
	}
	if diff := gocmp.Diff(want, d.writes, gocmp.AllowUnexported(write{})); diff != "" || !d.troubled {
		t.Errorf("troubled %t, writes (-want +got):\n%s", d.troubled, diff)
	}
}
