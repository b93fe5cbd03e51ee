package cmd

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

func TestItemsWhy(t *testing.T) {
	inProject(t)
	mustDo(t, "enqueue", "--pipeline", "hello", "--selector", "gpu = true", "--selector", "ram >= 32")
	golden(t, "items_why_nobody.txt", mustDo(t, "items", "why", "1"))
	store := openQueue(t)
	for name, labels := range map[string]workqueue.JSONText{"bot-1": `{"ram": 16}`, "bot-2": `{"ram": 64}`} {
		spec := workqueue.WorkerSpec{Name: name, InstanceID: name, Host: "h", Capacity: 2, Labels: labels, Lease: time.Hour}
		if _, err := store.RegisterWorker(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "items_why.txt", mustDo(t, "items", "why", "1"))
	golden(t, "items_why.json", mustDo(t, "items", "why", "1", "-o", "json"))
	golden(t, "items_why.yaml", mustDo(t, "items", "why", "1", "-o", "yaml"))
	botwork(t, "items", "why", "7").wantFailure(t, cli.ExitFailed, "7", "not found")
	botwork(t, "items", "why", "x").wantFailure(t, cli.ExitUsage, "item id")
}

// What the schedules of the pipelines folder say counts, but for files with mistakes.
func TestItemsWhyKnowsTheSchedules(t *testing.T) {
	inProject(t)
	mustDo(t, "enqueue", "--pipeline", "hello", "--priority", "700")
	mustDo(t, "enqueue", "--pipeline", "hello", "--priority", "400")
	spec := workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 2, Lease: time.Hour}
	if _, err := openQueue(t).RegisterWorker(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	reason := func(id string) (r assign.Reason, told string) {
		t.Helper()
		result := botwork(t, "items", "why", id, "-o", "json")
		if err := json.Unmarshal([]byte(result.stdout), &r); err != nil || result.code != cli.ExitDone {
			t.Fatalf("items why %s: %v, exit code %d\n%s%s", id, err, result.code, result.stdout, result.stderr)
		}
		return r, result.stderr
	}
	if r, _ := reason("1"); r.Kind != assign.WhyNextPass || r.Pipeline != "ExecuteWorkQueue" {
		t.Errorf("reason of an item of priority 700: %+v, want the next pass of ExecuteWorkQueue", r)
	}
	if r, _ := reason("2"); r.Pipeline != "ExecuteLowPriorityWorkQueue" || r.At == nil || r.At.Minute() != 0 {
		t.Errorf("reason of an item of priority 400: %+v, want the next firing of ExecuteLowPriorityWorkQueue", r)
	}
	writeFile(t, "pipelines/ExecuteLowPriorityWorkQueue.yaml", "steps: [{handler: Lgo}]\n")
	if r, told := reason("2"); r.Kind != assign.WhyNoPass || !strings.Contains(told, "Lgo") {
		t.Errorf("with a broken file: %+v, want that nothing assigns the item; told %q", r, told)
	}
	writeFile(t, "pipelines/ExecuteLowPriorityWorkQueue.yaml",
		"trigger: {every: 1h}\nsteps: [{handler: AssignTasksToWorker, with: {belowPriority: '${{ env.LEVEL }}'}}]\n")
	if r, told := reason("2"); r.Kind != assign.WhyNoPass || !strings.Contains(told, "known only when it runs") {
		t.Errorf("with parameters of a run: %+v, want that nothing assigns the item; told %q", r, told)
	}
}
