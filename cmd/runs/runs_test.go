package runs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listed is a run as JSON shows it.
type listed struct {
	ID          *int64          `json:"id"`
	Pipeline    string          `json:"pipeline"`
	Outcome     string          `json:"outcome"`
	Trigger     *string         `json:"trigger"`
	LateMs      *int64          `json:"lateMs"`
	Worker      *string         `json:"worker"`
	FailedStep  *string         `json:"failedStep"`
	Error       *string         `json:"error"`
	Reason      *string         `json:"reason"`
	ItemsMade   *int            `json:"itemsMade"`
	Numbers     json.RawMessage `json:"numbers"`
	RequestedBy *string         `json:"requestedBy"`
}

// night records what happened in a night: one run or record for each outcome.
func night(t *testing.T, store *sqlstore.Store) (failed int64) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{Name: "ann", InstanceID: "1", Host: "h", PID: 1, Version: "1", Capacity: 1, Lease: time.Hour})
	must(err)
	start := func(r workqueue.PipelineRun) int64 {
		t.Helper()
		r.WorkerID = &w.ID
		id, err := store.StartRun(ctx, r)
		must(err)
		return id
	}
	now := time.Now().UTC()
	hash := strings.Repeat("ab", 32)
	onTime, long := now.Add(-time.Second), now.Add(-3*time.Hour)
	failed = start(workqueue.PipelineRun{Pipeline: "nightly", Trigger: "cron", PlannedAt: &onTime, PipelineHash: &hash})
	must(store.FinishRun(ctx, failed, workqueue.RunEnd{Outcome: workqueue.RunFailed, Step: "load", Error: "no route\nto host", Summary: `{"enqueued":2,"created":1}`}))
	must(store.FinishRun(ctx, start(workqueue.PipelineRun{Pipeline: "nightly", Trigger: "catchUp", PlannedAt: &long}), workqueue.RunEnd{Outcome: workqueue.RunSucceeded}))
	start(workqueue.PipelineRun{Pipeline: "other", Trigger: "wake"})
	gone := start(workqueue.PipelineRun{Pipeline: "other", Trigger: "wake"})
	clitest.ByHand(t, fmt.Sprintf(`UPDATE BotPipelineRuns SET WorkerId = 4711 WHERE Id = %d`, gone))
	must(store.RecordFirings(ctx, []workqueue.Firing{
		{Schedule: "nightly", PlannedAt: now.Add(-5 * time.Hour), Outcome: workqueue.Missed, Reason: "no worker was running", RecordedBy: "ann"},
		{Schedule: "nightly", PlannedAt: now.Add(-4 * time.Hour), Outcome: workqueue.Skipped, Reason: "previous run is still going on", RecordedBy: "ann"},
		{Schedule: workqueue.TaskSchedule("books"), PlannedAt: now.Add(-4 * time.Hour), Outcome: workqueue.Missed, Reason: "of a task", RecordedBy: "ann"},
	}))
	for _, within := range []time.Duration{time.Hour, time.Millisecond} {
		_, err := store.RequestRuns(ctx, workqueue.NewRunRequests{Pipeline: "asked", By: "bob", Within: within})
		must(err)
	}
	clitest.ByHand(t, `UPDATE BotRunRequests SET ExpiresAt = RequestedAt WHERE Id = 2`)
	_, err = store.PausePipeline(ctx, workqueue.PipelinePause{Pipeline: "nightly", By: "eve", Reason: "maintenance"})
	must(err)
	return failed
}

func TestRunsList(t *testing.T) {
	clitest.InProject(t)
	if out := clitest.Must(t, "runs", "list"); out != "no runs\n" {
		t.Errorf("an empty list is %q", out)
	}
	if out := clitest.Must(t, "runs", "list", "--output", "json"); out != "[]\n" {
		t.Errorf("an empty list in JSON is %q", out)
	}
	failed := night(t, clitest.OpenQueue(t))
	for args, want := range map[string]string{
		"":                       "expired pending interrupted running succeeded failed skipped missed",
		"--pipeline nightly":     "succeeded failed skipped missed",
		"--pipeline none":        "",
		"--failed":               "expired interrupted failed missed",
		"--outcome late":         "succeeded",
		"--outcome skipped,late": "succeeded skipped",
		"--outcome running":      "running",
		"--outcome interrupted":  "interrupted",
		"--outcome pending":      "pending",
		"--since 4h30m":          "expired pending interrupted running succeeded failed skipped",
		"--until 4h30m":          "missed",
		"--failed --limit 2":     "expired interrupted",
	} {
		var got []string
		all := clitest.Decode[[]listed](t, clitest.Must(t, strings.Fields("runs list --output json "+args)...))
		for _, r := range all {
			got = append(got, r.Outcome)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("runs list %s: %v, want %s", args, got, want)
		}
	}
	out := clitest.Must(t, "runs", "list", "--failed", "--since", "6h")
	for _, text := range []string{"no worker was running", "no route", "no worker started it in time", "#4711", "nightly is paused by eve since", ": maintenance"} {
		if !strings.Contains(out, text) {
			t.Errorf("the table lacks %q:\n%s", text, out)
		}
	}
	r := clitest.Decode[listed](t, clitest.Must(t, "runs", "show", fmt.Sprint(failed), "-o", "json"))
	if *r.FailedStep != "load" || *r.Error != "no route\nto host" || *r.ItemsMade != 3 || *r.Worker != "ann" || *r.LateMs < 900 {
		t.Errorf("the run is %+v", r)
	}
	sheet := clitest.Must(t, "runs", "show", fmt.Sprint(failed))
	for _, text := range []string{"failed step  load", "items made   3", `{"enqueued":2,"created":1}`, "error:\nno route\nto host\n", "text         abababababab"} {
		if !strings.Contains(sheet, text) {
			t.Errorf("the run lacks %q:\n%s", text, sheet)
		}
	}
}

func TestRunsWrongUsage(t *testing.T) {
	clitest.InProject(t)
	for args, want := range map[string]string{
		"list --outcome fialed":           `did you mean "failed"?`,
		"list --since tomorrow":           `--since: got "tomorrow", want a time such as`,
		"list --since today --until 100h": "want an earlier --since",
		"list --limit 0":                  "--limit: got 0, want 1 to 10000",
		"show x":                          `got "x", want the id of a run`,
		"show 0":                          `got "0", want the id of a run`,
		"list --pipeline a b":             "",
	} {
		clitest.Do(t, append([]string{"runs"}, strings.Fields(args)...)...).WantFailure(t, cli.ExitUsage, want)
	}
	clitest.Do(t, "runs", "show", "17").WantFailure(t, cli.ExitFailed, "run 17: not found; hint: botwork runs list")
}
