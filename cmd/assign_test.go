package cmd

import (
	"encoding/json"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func TestAssignDryRun(t *testing.T) {
	inProject(t)
	store := openQueue(t)
	// In this order: of two that are as good the one goes first that was there first.
	for _, w := range []struct {
		name   string
		labels workqueue.JSONText
	}{{"bot-1", `{"skill": "novice"}`}, {"bot-2", `{"skill": "expert"}`}} {
		spec := workqueue.WorkerSpec{Name: w.name, InstanceID: w.name, Host: "h", Capacity: 2, Labels: w.labels, Lease: time.Hour}
		if _, err := store.RegisterWorker(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, "pipelines/letter.yaml", `distribution: {mode: best-worker, scoring: {rule: map, label: skill, scores: {expert: 10, novice: 1.5}}}
steps: [{handler: Log, with: {message: dear}}]
`)
	mustDo(t, "enqueue", "--pipeline", "letter", "--priority", "900", "--estimated-duration", "90s")
	mustDo(t, "enqueue", "--pipeline", "hello", "--priority", "1200")
	mustDo(t, "enqueue", "--pipeline", "hello", "--selector", "gpu = true")
	mustDo(t, "enqueue", "--pipeline", "hello", "--priority", "100")
	before := mustDo(t, "items", "list", "-o", "json")

	golden(t, "assign.txt", shownInstants.ReplaceAllString(mustDo(t, "assign", "--dry-run"), "YYYY-MM-DD hh:mm:ssZ"))
	golden(t, "assign.json", mustDo(t, "assign", "--dry-run", "ExecuteWorkQueue", "-o", "json"))
	golden(t, "assign.yaml", mustDo(t, "assign", "--dry-run", "ExecuteLowPriorityWorkQueue", "-o", "yaml"))

	if after := mustDo(t, "items", "list", "-o", "json"); after != before {
		t.Errorf("assign --dry-run has changed items:\n%s\nbefore:\n%s", after, before)
	}
	// What it says comes true.
	var passes []dryPass
	if err := json.Unmarshal([]byte(mustDo(t, "assign", "--dry-run", "ExecuteWorkQueue", "-o", "json")), &passes); err != nil {
		t.Fatal(err)
	}
	if len(passes) != 1 || len(passes[0].Items) != 2 {
		t.Fatalf("passes %+v, want one of two items", passes)
	}
	if it := passes[0].Items[1]; it.Worker != "bot-2" || it.Score == nil || *it.Score != 10 || it.EstimateFrom != "item" {
		t.Errorf("item %+v, want it to go to the expert", it)
	}
}

func TestAssignRefuses(t *testing.T) {
	inProject(t)
	botwork(t, "assign").wantFailure(t, cli.ExitUsage, "want --dry-run", "botwork run --once ExecuteWorkQueue")
	botwork(t, "assign", "--dry-run", "hello").wantFailure(t, cli.ExitUsage, "has no step AssignTasksToWorker")
	botwork(t, "assign", "--dry-run", "helo").wantFailure(t, cli.ExitUsage, "helo", "hello")
	writeFile(t, "pipelines/run.yaml", "steps: [{handler: AssignTasksToWorker, with: {belowPriority: '${{ env.LEVEL }}'}}]\n")
	botwork(t, "assign", "--dry-run", "run").wantFailure(t, cli.ExitFailed, "known only when it runs")
}
