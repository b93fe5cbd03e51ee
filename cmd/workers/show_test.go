package workers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestWorkersShow(t *testing.T) {
	clitest.InProject(t)
	clitest.Do(t, "workers", "show", "ann").WantFailure(t, cli.ExitFailed, `worker "ann": not found; no worker has registered yet`)
	store := clitest.OpenQueue(t)
	for _, spec := range []workqueue.WorkerSpec{
		{Name: "ann", Capacity: 100, ReservedSlots: 20, Channels: workqueue.Channels{"voice": {Cost: 60}, "chat": {Cost: 10, Max: 2}}, Queues: []string{"erp", "mail"}},
		{Name: "bob", Capacity: 4, Labels: `{"site":"lisbon"}`},
	} {
		spec.InstanceID, spec.Host, spec.PID, spec.Version, spec.Lease = spec.Name+"-1", "host-1", 4711, "1.2.3", time.Minute
		if _, err := store.RegisterWorker(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Golden(t, "workers_show.txt", clitest.ShownInstants.ReplaceAllString(clitest.Must(t, "workers", "show", "ann"), "(time)"))
	clitest.Golden(t, "workers_show_plain.txt", clitest.ShownInstants.ReplaceAllString(clitest.Must(t, "workers", "show", "bob"), "(time)"))
	clitest.Golden(t, "workers_show.json", clitest.Must(t, "workers", "show", "ann", "--output", "json"))
	clitest.Golden(t, "workers_list.txt", clitest.ShownInstants.ReplaceAllString(clitest.Must(t, "workers", "list"), "(time)"))
	clitest.Do(t, "workers", "show", "eve").WantFailure(t, cli.ExitFailed, `worker "eve": not found; registered workers: ann, bob`)
}

// A worker's running items are named with their steps.
func TestWorkersShowRunningItems(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	store := clitest.OpenQueue(t)
	running, err := store.Items(t.Context(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Blocked}})
	if err != nil || len(running) != 1 {
		t.Fatalf("%d running items, %v, want 1", len(running), err)
	}
	worker, err := store.Workers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(worker, func(w workqueue.Worker) bool { return w.ID == *running[0].WorkerID })
	note := workqueue.ProgressNote{ItemRef: workqueue.ItemRef{ItemID: running[0].ID, Fence: running[0].Fence}, Step: "sign, send", Progress: "3 of 5"}
	if _, err := store.Progress(t.Context(), worker[at].ID, worker[at].InstanceID, []workqueue.ProgressNote{note}); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("item %d, %s, in step sign, send: 3 of 5\n", running[0].ID, running[0].IntegrationConfig)
	if out := clitest.Must(t, "workers", "show", worker[at].Name); !strings.Contains(out, want) {
		t.Errorf("got %s, want %s", out, want)
	}
}
