package enqueue_test

import (
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

// enqueue prints when the item is expected to start, like items why.
func TestEnqueuePrintsExpectedStart(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/ExecuteWorkQueue.yaml", `
trigger: {wake: true, scope: each-worker}
steps:
  - {handler: AssignTasksToWorker, with: {minPriority: 500, workers: available}}
  - {handler: ExecuteWorkItems, with: {minPriority: 500}}
`)
	clitest.WriteFile(t, "pipelines/ExecuteLowPriorityWorkQueue.yaml", `
trigger: {cron: "0 0 29 2 *", scope: each-worker}
steps:
  - {handler: AssignTasksToWorker, with: {belowPriority: 500}}
  - {handler: ExecuteWorkItems, with: {belowPriority: 500}}
`)
	said := func(args ...string) string {
		t.Helper()
		_, line, _ := strings.Cut(clitest.Must(t, append([]string{"enqueue", "--pipeline", "hello", "--estimated-duration", "40s"}, args...)...), "\n")
		return line
	}
	want := func(got, prefix, suffix string) {
		t.Helper()
		if !strings.HasPrefix(got, "expected to start: "+prefix) || !strings.HasSuffix(got, suffix+"\n") {
			t.Errorf("got %q, want it to begin with %q and end with %q", got, prefix, suffix)
		}
	}
	want(said("--priority", "700"), "unknown: no worker is alive", "; hint: start one: botwork run")
	spec := workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 1, Lease: time.Hour}
	if _, err := clitest.OpenQueue(t).RegisterWorker(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	want(said("--priority", "900"), "now", "")
	want(said("--priority", "900"), "in at least 40s", "")
	want(said("--priority", "500", "--count", "3"), "the first in at least 2m; the last in at least 3m20s", "")
	want(said("--priority", "1001"), "now", "") // the slot is still free
	want(said("--priority", "1001"), "in about 40s", "")
	want(said("--priority", "400"), "at ", ", the next run of ExecuteLowPriorityWorkQueue")
	want(said("--priority", "900", "--selector", "gpu = true"), "unknown: no live worker satisfies gpu = true; ", "add the missing labels to a worker")
	want(said("--priority", "1200", "--in", "2h"), "at ", ", when it is due")
	if it := clitest.Decode[struct {
		Expected   string
		ExpectedAt *time.Time
	}](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--priority", "2000", "-o", "json")); it.Expected != "now" || it.ExpectedAt == nil {
		t.Errorf("JSON has %+v, want now", it)
	}
	// An error in a file of the folder does not prevent the item from being enqueued.
	clitest.WriteFile(t, "pipelines/ExecuteWorkQueue.yaml", "steps: [{handler: Lgo}]\n")
	want(said("--priority", "900"), "unknown: no pipeline has an AssignTasksToWorker step for items of priority 900", "")
}
