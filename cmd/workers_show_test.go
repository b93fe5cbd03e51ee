package cmd

import (
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func TestWorkersShow(t *testing.T) {
	inProject(t)
	botwork(t, "workers", "show", "ann").wantFailure(t, cli.ExitFailed, `worker "ann": not found; no worker has registered yet`)
	store := openQueue(t)
	for _, spec := range []workqueue.WorkerSpec{
		{Name: "ann", Capacity: 100, ReservedSlots: 20, Channels: workqueue.Channels{"voice": {Cost: 60}, "chat": {Cost: 10, Max: 2}}, Queues: []string{"erp", "mail"}},
		{Name: "bob", Capacity: 4, Labels: `{"site":"lisbon"}`},
	} {
		spec.InstanceID, spec.Host, spec.PID, spec.Version, spec.Lease = spec.Name+"-1", "host-1", 4711, "1.2.3", time.Minute
		if _, err := store.RegisterWorker(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "workers_show.txt", shownInstants.ReplaceAllString(mustDo(t, "workers", "show", "ann"), "(time)"))
	golden(t, "workers_show_plain.txt", shownInstants.ReplaceAllString(mustDo(t, "workers", "show", "bob"), "(time)"))
	golden(t, "workers_show.json", mustDo(t, "workers", "show", "ann", "--output", "json"))
	golden(t, "workers_list.txt", shownInstants.ReplaceAllString(mustDo(t, "workers", "list"), "(time)"))
	botwork(t, "workers", "show", "eve").wantFailure(t, cli.ExitFailed, `worker "eve": not found; there are ann, bob`)
}
