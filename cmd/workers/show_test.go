package workers_test

import (
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
