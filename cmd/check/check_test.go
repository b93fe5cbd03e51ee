package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/cmd/check"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

func TestCheckContract(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.Golden(t, "check_clean.json", clitest.Must(t, "check", "-o", "json"))
	clitest.Golden(t, "check_clean.txt", clitest.Must(t, "check"))

	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET State = 1 WHERE Id = 4`)
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET RetryCount = 4 WHERE Id = 3`)
	for _, output := range []string{"json", "yaml", "table"} {
		r := clitest.Do(t, "check", "-o", output)
		if r.Code != cli.ExitFailed || r.Stderr != "" {
			t.Errorf("check -o %s: exit code %d, want 1 and no error:\n%s", output, r.Code, r.Stderr)
		}
		clitest.Golden(t, "check_found."+map[string]string{"json": "json", "yaml": "yaml", "table": "txt"}[output], r.Stdout)
	}
}

// The policies of pipelines are read from the project, and errors in it do not prevent the
// check of the database.
func TestCheckUsesTheProjectsLimits(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.WriteFile(t, "pipelines/hello.yaml", "name: hello\nresilience: {limit: 1}\nsteps: [{handler: Log, with: {message: hello}}]\n")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes("pipelines/hello.yaml", old, old); err != nil {
		t.Fatal(err)
	}
	r := clitest.Do(t, "check")
	if r.Code != cli.ExitFailed || !strings.Contains(r.Stdout, "attempt-limit: item 2\n") || !strings.Contains(r.Stdout, "at most 1 (from its pipeline)") {
		t.Errorf("check: exit code %d:\n%s", r.Code, r.Stdout)
	}
	clitest.WriteFile(t, "pipelines/hello.yaml", "steps: [{handler: Lgo}]\n")
	if out := clitest.Must(t, "check"); !strings.Contains(out, `2 items of the pipeline "hello"`) {
		t.Errorf("check does not report that hello is unknown:\n%s", out)
	}
	if err := os.RemoveAll("pipelines"); err != nil {
		t.Fatal(err)
	}
	if r := clitest.Do(t, "check"); r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "could not load any pipeline") {
		t.Errorf("check without pipelines: exit code %d:\n%s", r.Code, r.Stderr)
	}
}

func TestCheckCreatesNoDatabase(t *testing.T) {
	clitest.InProject(t)
	clitest.Do(t, "check").WantFailure(t, cli.ExitFailed, "botwork.db does not exist", "botwork db migrate")
	if _, err := os.Stat("botwork.db"); err == nil {
		t.Error("check has created the database")
	}
	clitest.WriteFile(t, "botwork.db", "")
	clitest.Do(t, "check").WantFailure(t, cli.ExitFailed, "the schema is missing", "botwork db migrate")
	if info, err := os.Stat("botwork.db"); err != nil || info.Size() > 8192 {
		t.Errorf("check has written into the database: %v, %v", info, err)
	}
}

func TestCheckUsage(t *testing.T) {
	clitest.InProject(t)
	for _, tt := range []struct {
		args []string
		said string
	}{
		{[]string{"--for", "1m"}, "--for goes with --watch"},
		{[]string{"--interval", "1s"}, "--interval goes with --watch"},
		{[]string{"--watch", "--interval", "0s"}, "--interval: got 0s, want more than 0"},
		{[]string{"--due-for", "-1m"}, "--due-for: got -1m0s, want more than 0"},
		{[]string{"--due-for", "long"}, `--due-for: got "long"`},
		{[]string{"item-state"}, `got the argument "item-state", want none`},
	} {
		clitest.Do(t, append([]string{"check"}, tt.args...)...).WantFailure(t, cli.ExitUsage, tt.said)
	}
	clitest.WriteFile(t, "botwork.yaml", "database: {driver: oracle}\n")
	clitest.Do(t, "check").WantFailure(t, cli.ExitUsage, "oracle")
}

// watchedStore returns one report or error for each reading.
type watchedStore struct {
	reports []any
	n       int
}

func (s *watchedStore) Check(context.Context, workqueue.CheckParams) (workqueue.CheckReport, error) {
	next := s.reports[min(s.n, len(s.reports)-1)]
	s.n++
	if err, ok := next.(error); ok {
		return workqueue.CheckReport{}, err
	}
	report := next.(workqueue.CheckReport)
	report.At = time.Now().UTC()
	return report, nil
}

func reportOf(ids ...int64) workqueue.CheckReport {
	report := workqueue.CheckReport{Clean: len(ids) == 0}
	for _, id := range ids {
		report.Violations = append(report.Violations, workqueue.Violation{
			Check: workqueue.CheckLostItem, ItemID: &id, Found: "lost", Wanted: "kept", Hint: "start a worker",
		})
	}
	return report
}

// watchFor runs a watch with the time of a synctest bubble.
func watchFor(t *testing.T, length time.Duration, output cli.Format, reports ...any) (out, errText string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var stdout, stderr bytes.Buffer
		a := &projectdir.App{App: &cli.App{Streams: cli.Streams{Stdout: &stdout, Stderr: &stderr}}}
		err = check.Watch(t.Context(), a, &watchedStore{reports: reports}, 5*time.Second, length, output)
		out, errText = stdout.String(), stderr.String()
	})
	return out, errText, err
}

// A reading that finds something is confirmed by the next report.
func TestWatchPrintsWhatChanges(t *testing.T) {
	out, _, err := watchFor(t, 28*time.Second, cli.FormatJSON,
		reportOf(), reportOf(7), reportOf(7), reportOf(7), reportOf(7), reportOf())
	var events []check.Event
	for line := range strings.Lines(out) {
		var e check.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		events = append(events, e)
	}
	if len(events) != 2 || events[0].Event != "appeared" || events[1].Event != "gone" || *events[1].Violation.ItemID != 7 {
		t.Errorf("events:\n%s, want item 7 to appear and go", out)
	}
	if said, ok := errors.AsType[*cli.ReportedError](err); !ok || said.Code != cli.ExitFailed {
		t.Errorf("error %v, want exit code 1 although it is gone", err)
	}
}

func TestWatchAsTable(t *testing.T) {
	out, _, err := watchFor(t, 9*time.Second, cli.FormatTable, reportOf(), reportOf(7))
	for _, want := range []string{"0 violations at the start", "appeared  lost-item: item 7: lost; wanted kept; start a worker\n", "1 violation in 2 readings, 1 still present\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the watch does not print %q:\n%s", want, out)
		}
	}
	if err == nil {
		t.Error("no error, want exit code 1")
	}
	if out, _, err := watchFor(t, 9*time.Second, cli.FormatYAML, reportOf(7), reportOf(7)); err == nil || !strings.HasPrefix(out, "---\nat: ") {
		t.Errorf("as YAML: %v\n%s", err, out)
	}
}

func TestWatchOutlastsAnOutage(t *testing.T) {
	away := errors.New("the database is down")
	out, said, err := watchFor(t, 29*time.Second, cli.FormatTable, reportOf(), away, away, reportOf())
	if err != nil || strings.Count(said, "the database is down") != 1 || !strings.Contains(out, "0 violations in 4 readings") {
		t.Errorf("the watch ended with %v and printed:\n%s%s", err, out, said)
	}
	if _, _, err := watchFor(t, time.Minute, cli.FormatTable, away); !errors.Is(err, away) {
		t.Errorf("error %v, want that of the first reading at once", err)
	}
}

func TestWatchWithoutACompleteReading(t *testing.T) {
	// Half a second is not enough to confirm what the first reading finds.
	if _, _, err := watchFor(t, 500*time.Millisecond, cli.FormatTable, reportOf(7)); err == nil || !strings.Contains(err.Error(), "no result") {
		t.Errorf("error %v, want that there is no result", err)
	}
}
