package pipelines_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

const nightly = "trigger: {cron: \"0 * * * *\", timezone: UTC, scope: once}\nsteps:\n  - handler: Enqueue\n    with: {pipeline: hello, payload: {name: Ada}}\n"

// aWorker registers a worker that starts nothing.
func aWorker(t *testing.T, store *sqlstore.Store) workqueue.Worker {
	t.Helper()
	w, err := store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "ann", InstanceID: "1", Host: "h", PID: 1, Version: "1", Capacity: 1, Lease: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPipelinesPause(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/nightly.yaml", nightly)
	if out := clitest.Must(t, "pipelines", "pause", "nightly", "--reason", "maintenance"); out != "pipeline nightly: paused\n" {
		t.Errorf("pause printed %q", out)
	}
	if out := clitest.Must(t, "pipelines", "pause", "nightly", "--reason", "again"); !strings.HasPrefix(out, "pipeline nightly: already paused by ") || !strings.HasSuffix(out, ": maintenance\n") {
		t.Errorf("the second pause printed %q", out)
	}
	for _, args := range []string{"list", "next", "next nightly"} {
		out := clitest.Must(t, append([]string{"pipelines"}, strings.Fields(args)...)...)
		if !strings.Contains(out, "(paused)") || !strings.Contains(out, "nightly is paused by ") {
			t.Errorf("pipelines %s does not show the pause:\n%s", args, out)
		}
	}
	if out := clitest.Must(t, "pipelines", "list", "-o", "json"); !strings.Contains(out, `"reason": "maintenance"`) {
		t.Errorf("the list in JSON does not show the pause:\n%s", out)
	}
	if out := clitest.Must(t, "pipelines", "next", "ExecuteWorkQueue"); strings.Contains(out, "paused") {
		t.Errorf("another pipeline is shown as paused:\n%s", out)
	}
	aWorker(t, clitest.OpenQueue(t))
	clitest.Do(t, "pipelines", "run", "nightly").WantFailure(t, cli.ExitFailed, `pipeline "nightly" is paused by `, "botwork pipelines resume nightly")
	clitest.Do(t, "pipelines", "backfill", "nightly", "--from", "3h", "--to", "now", "--yes").WantFailure(t, cli.ExitFailed, `pipeline "nightly" is paused by `)
	clitest.Do(t, "run", "--once", "nightly").WantFailure(t, cli.ExitFailed, `is paused by `)

	r := clitest.Do(t, "pipelines", "resume", "nightly", "hello", "nothing")
	r.WantFailure(t, cli.ExitFailed, `pipeline "hello" has no trigger`, `there is no pipeline "nothing"`)
	if r.Stdout != "pipeline nightly: resumed\n" {
		t.Errorf("resume printed %q", r.Stdout)
	}
	if out := clitest.Must(t, "pipelines", "resume", "nightly"); out != "pipeline nightly: not paused\n" {
		t.Errorf("the second resume printed %q", out)
	}
	// A pause of a pipeline that is gone can be ended.
	clitest.ByHand(t, `INSERT INTO BotPipelinePauses (Pipeline, ChangedBy) VALUES ('gone', 'dba')`)
	clitest.Must(t, "pipelines", "resume", "gone")
}

func TestPipelinesRunRequestsRun(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/nightly.yaml", nightly)
	store := clitest.OpenQueue(t)
	w := aWorker(t, store)
	clitest.Do(t, "pipelines", "run", "nightly", "--payload", "{}").WantFailure(t, cli.ExitUsage, "--payload is only for pipelines of items")
	clitest.Do(t, "pipelines", "run", "hello", "--wait").WantFailure(t, cli.ExitUsage, "--wait is only for a pipeline with a trigger")
	clitest.Do(t, "pipelines", "run", "nigthly").WantFailure(t, cli.ExitUsage, `did you mean "nightly"?`)
	clitest.Do(t, "pipelines", "run", "unknown").WantFailure(t, cli.ExitUsage, "no worker has ever loaded one")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // the worker: it starts each request and fails its run
		for ctx.Err() == nil {
			c, err := store.Controls(ctx)
			if err != nil {
				return
			}
			for _, q := range c.Requests {
				id, _, err := store.StartRequested(ctx, workqueue.PipelineRun{Pipeline: q.Pipeline, Trigger: q.Trigger, WorkerID: &w.ID, RequestedBy: &q.By, RequestID: &q.ID}, true, w.Name)
				if err != nil {
					return
				}
				if err := store.FinishRun(ctx, id, workqueue.RunEnd{Outcome: workqueue.RunFailed, Error: "no route"}); err != nil {
					return
				}
			}
		}
	}()
	if out := clitest.Must(t, "pipelines", "run", "nightly"); !strings.HasPrefix(out, "nightly: run 1 started on worker ann") {
		t.Errorf("run printed %q", out)
	}
	r := clitest.Do(t, "pipelines", "run", "nightly", "--wait")
	if r.Code != cli.ExitFailed || r.Stdout != "nightly: run 2 started on worker ann\nfailed: no route\n" {
		t.Errorf("run --wait: %+v, want the failure", r)
	}
}

func TestPipelinesBackfill(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/nightly.yaml", nightly)
	store := clitest.OpenQueue(t)
	clitest.Do(t, "pipelines", "backfill", "nightly", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-01T02:00:00Z", "--yes").
		WantFailure(t, cli.ExitFailed, "no active worker is alive")
	w := aWorker(t, store)
	at := func(hour int) time.Time { return time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC) }
	ran, missed := at(1), at(2)
	id, err := store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "nightly", Trigger: "cron", PlannedAt: &ran, WorkerID: &w.ID})
	if err != nil {
		t.Fatal(err)
	}
	clitest.ByHand(t, `UPDATE BotPipelineRuns SET StartedAt = '2026-01-01 01:00:00.100'`)
	if err := store.FinishRun(t.Context(), id, workqueue.RunEnd{Outcome: workqueue.RunFailed, Error: "no route"}); err != nil {
		t.Fatal(err)
	}
	err = store.RecordFirings(t.Context(), []workqueue.Firing{{Schedule: "nightly", PlannedAt: missed, Outcome: workqueue.Missed, Reason: "no worker was running", RecordedBy: "ann"}})
	if err != nil {
		t.Fatal(err)
	}
	backfill := func(from, to string, more ...string) []string {
		return append([]string{"pipelines", "backfill", "nightly", "--from", from, "--to", to}, more...)
	}
	const from, to = "2026-01-01T01:00:00Z", "2026-01-01T04:00:00Z"
	type planned struct {
		PlannedAt time.Time
		Runs      bool
		Reason    string
		RequestID *int64
	}
	wantPlan := func(out string, want ...string) {
		t.Helper()
		var got []string
		for _, p := range clitest.Decode[[]planned](t, out) {
			text := p.PlannedAt.Format("15:04") + " " + p.Reason
			if p.Runs {
				text += " runs"
			}
			got = append(got, text)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the plan is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	plan := []string{"01:00 run 1: failed", "02:00 missed: no worker was running runs", "03:00 no record runs"}
	wantPlan(clitest.Must(t, backfill(from, to, "--dry-run", "-o", "json")...), plan...)
	wantPlan(clitest.Must(t, backfill(from, to, "-o", "json")...), plan...)
	if n := len(clitest.Decode[[]any](t, clitest.Must(t, "runs", "list", "--outcome", "pending", "-o", "json"))); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	out := clitest.Must(t, backfill(from, to)...)
	if !strings.Contains(out, "already") || !strings.HasSuffix(out, "\nnothing to run\n") {
		t.Errorf("the second backfill printed\n%s", out)
	}
	clitest.Do(t, backfill("2025-12-31T22:00:00Z", from)...).WantFailure(t, cli.ExitUsage, "3 planned times are older than all records", "--yes")
	clitest.Do(t, backfill(from, "2026-01-02T00:00:00Z")...).WantFailure(t, cli.ExitUsage, "20 runs need --yes")
	clitest.Must(t, backfill(from, "2026-01-02T00:00:00Z", "--yes")...)
	clitest.Do(t, backfill(from, "now", "--yes")...).WantFailure(t, cli.ExitUsage, "more than 1000 planned times")
	clitest.Do(t, backfill(to, from)...).WantFailure(t, cli.ExitUsage, "want a time before --to")
	clitest.Do(t, "pipelines", "backfill", "nightly", "--from", from).WantFailure(t, cli.ExitUsage, "want both --from and --to")
	clitest.Do(t, "pipelines", "backfill", "hello", "--from", from, "--to", to).WantFailure(t, cli.ExitUsage, "has no planned times")
}
