package items_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func TestItemsWhy(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--selector", "gpu = true", "--selector", "ram >= 32")
	clitest.Golden(t, "items_why_nobody.txt", clitest.Must(t, "items", "why", "1"))
	store := clitest.OpenQueue(t)
	for name, labels := range map[string]workqueue.JSONText{"bot-1": `{"ram": 16}`, "bot-2": `{"ram": 64}`} {
		spec := workqueue.WorkerSpec{Name: name, InstanceID: name, Host: "h", Capacity: 2, Labels: labels, Lease: time.Hour}
		if _, err := store.RegisterWorker(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Golden(t, "items_why.txt", clitest.Must(t, "items", "why", "1"))
	clitest.Golden(t, "items_why.json", clitest.Must(t, "items", "why", "1", "-o", "json"))
	clitest.Golden(t, "items_why.yaml", clitest.Must(t, "items", "why", "1", "-o", "yaml"))
	clitest.Do(t, "items", "why", "7").WantFailure(t, cli.ExitFailed, "7", "not found")
	clitest.Do(t, "items", "why", "x").WantFailure(t, cli.ExitUsage, "item id")
}

// The schedules of the pipelines folder are used, except those of files with errors.
func TestItemsWhyUsesTheSchedules(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--priority", "700")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--priority", "400")
	spec := workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 2, Lease: time.Hour}
	if _, err := clitest.OpenQueue(t).RegisterWorker(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	reason := func(id string) (r assign.Reason, told string) {
		t.Helper()
		result := clitest.Do(t, "items", "why", id, "-o", "json")
		if err := json.Unmarshal([]byte(result.Stdout), &r); err != nil || result.Code != cli.ExitDone {
			t.Fatalf("items why %s: %v, exit code %d\n%s%s", id, err, result.Code, result.Stdout, result.Stderr)
		}
		return r, result.Stderr
	}
	if r, _ := reason("1"); r.Kind != assign.WhyNextPass || r.Pipeline != "ExecuteWorkQueue" {
		t.Errorf("reason of an item of priority 700: %+v, want the next pass of ExecuteWorkQueue", r)
	}
	if r, _ := reason("2"); r.Pipeline != "ExecuteLowPriorityWorkQueue" || r.At == nil || r.At.Minute() != 0 {
		t.Errorf("reason of an item of priority 400: %+v, want the next firing of ExecuteLowPriorityWorkQueue", r)
	}
	clitest.WriteFile(t, "pipelines/ExecuteLowPriorityWorkQueue.yaml", "steps: [{handler: Lgo}]\n")
	if r, told := reason("2"); r.Kind != assign.WhyNoPass || !strings.Contains(told, "Lgo") {
		t.Errorf("with a broken file: %+v, want that nothing assigns the item; standard error: %q", r, told)
	}
	clitest.WriteFile(t, "pipelines/ExecuteLowPriorityWorkQueue.yaml",
		"trigger: {every: 1h}\nsteps: [{handler: AssignTasksToWorker, with: {belowPriority: '${{ env.LEVEL }}'}}]\n")
	if r, told := reason("2"); r.Kind != assign.WhyNoPass || !strings.Contains(told, "known only when it runs") {
		t.Errorf("with parameters of a run: %+v, want that nothing assigns the item; standard error: %q", r, told)
	}
}
