package assign_test

import (
	"encoding/json"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/operations"
	"botwork/workqueue"
)

func TestAssignDryRun(t *testing.T) {
	clitest.InProject(t)
	store := clitest.OpenQueue(t)
	// The order matters: of two equally suitable workers, the one that registered first is used.
	for _, w := range []struct {
		name   string
		labels workqueue.JSONText
	}{{"bot-1", `{"skill": "novice"}`}, {"bot-2", `{"skill": "expert"}`}} {
		spec := workqueue.WorkerSpec{Name: w.name, InstanceID: w.name, Host: "h", Capacity: 2, Labels: w.labels, Lease: time.Hour}
		if _, err := store.RegisterWorker(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	clitest.WriteFile(t, "pipelines/letter.yaml", `distribution: {mode: best-worker, scoring: {rule: map, label: skill, scores: {expert: 10, novice: 1.5}}}
steps: [{handler: Log, with: {message: dear}}]
`)
	clitest.Must(t, "enqueue", "--pipeline", "letter", "--priority", "900", "--estimated-duration", "90s")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--priority", "1200")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--selector", "gpu = true")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--priority", "100")
	before := clitest.Must(t, "items", "list", "-o", "json")

	clitest.Golden(t, "assign.txt", clitest.ShownInstants.ReplaceAllString(clitest.Must(t, "assign", "--dry-run"), "YYYY-MM-DD hh:mm:ssZ"))
	clitest.Golden(t, "assign.json", clitest.Must(t, "assign", "--dry-run", "ExecuteWorkQueue", "-o", "json"))
	clitest.Golden(t, "assign.yaml", clitest.Must(t, "assign", "--dry-run", "ExecuteLowPriorityWorkQueue", "-o", "yaml"))

	if after := clitest.Must(t, "items", "list", "-o", "json"); after != before {
		t.Errorf("assign --dry-run has changed items:\n%s\nbefore:\n%s", after, before)
	}
	// A real pass does the same.
	var passes []operations.DryPass
	if err := json.Unmarshal([]byte(clitest.Must(t, "assign", "--dry-run", "ExecuteWorkQueue", "-o", "json")), &passes); err != nil {
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
	clitest.InProject(t)
	clitest.Do(t, "assign").WantFailure(t, cli.ExitUsage, "want --dry-run", "botwork run --once ExecuteWorkQueue")
	clitest.Do(t, "assign", "--dry-run", "hello").WantFailure(t, cli.ExitUsage, "has no step AssignTasksToWorker")
	clitest.Do(t, "assign", "--dry-run", "helo").WantFailure(t, cli.ExitUsage, "helo", "hello")
	clitest.WriteFile(t, "pipelines/run.yaml", "steps: [{handler: AssignTasksToWorker, with: {belowPriority: '${{ env.LEVEL }}'}}]\n")
	clitest.Do(t, "assign", "--dry-run", "run").WantFailure(t, cli.ExitFailed, "known only when it runs")
}
