package sqlstore_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// past is long ago by every clock.
const past = `'2001-01-01 00:00:00.000'`

func prepareWaiting(d *desk) {
	d.exec(`INSERT INTO "BotQueues" ("Name", "Paused") VALUES ('mail', '1')`)
	ann, gone := d.Worker(storetest.WorkerOpts{Name: "ann"}), d.Worker(storetest.WorkerOpts{Name: "gone"})
	d.Item(storetest.ItemOpts{Priority: 9, In: time.Hour})
	d.Item(storetest.ItemOpts{Priority: 8, Queue: "mail"})
	d.Item(storetest.ItemOpts{Priority: 7, State: workqueue.Assigned, Worker: ann})
	d.Item(storetest.ItemOpts{Priority: 6, State: workqueue.Assigned, Worker: gone})
	retry := d.Item(storetest.ItemOpts{Priority: 5, In: time.Hour})
	d.exec(`UPDATE "BotWorkQueueItems" SET "RetryCount" = 1 WHERE "Id" = %d`, retry.ID)
	d.exec(`UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, past, gone.ID)
	d.Item(storetest.ItemOpts{Priority: 4})
	d.Item(storetest.ItemOpts{Priority: 1000})
	deleted := d.Item(storetest.ItemOpts{})
	d.exec(`UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, past, deleted.ID)
	d.Item(storetest.ItemOpts{State: workqueue.Processed})
}

func checkWaiting(d *desk, answer []row) {
	reasons := func(answer []row, want ...string) {
		d.Helper()
		if !d.rows(answer, len(want)) {
			return
		}
		for i, why := range want {
			if got := answer[i]["Why"]; !strings.HasPrefix(got, why) {
				d.Errorf("item of priority %s: %q, want %q", answer[i]["Priority"], got, why)
			}
		}
	}
	// The worker of the processed item is idle; ann holds only low work.
	reasons(answer, "due: waits for the next run of ExecuteWorkQueue", "not due", "its queue is paused", "assigned: waits",
		"assigned to a worker that is gone", "failed: waits", "due: waits for the next run of ExecuteLowPriorityWorkQueue")
	d.want(answer[0], map[string]string{"Band": "medium", "StateName": "Ready", "Pipeline": storetest.Pipeline, "QueueName": "default"})

	again := statement(d, "01_what_waits_and_why")
	d.exec(`UPDATE "BotQueues" SET "KeyConcurrencyLimit" = 1 WHERE "Name" = 'default'`)
	const limited = "due: waits for the next run of its pipeline, and for a place under the limits"
	reasons(d.query(again), limited, "not due", "its queue is paused", "assigned: waits", "assigned to a worker that is gone", "failed: waits", limited)
	d.exec(`UPDATE "BotQueues" SET "KeyConcurrencyLimit" = NULL WHERE "Name" = 'default'`)
	d.exec(`UPDATE "BotWorkers" SET "State" = 'draining' WHERE "Name" <> 'ann'`)
	// Low work keeps ann from more low work, not from medium work.
	busy := d.query(again)
	if len(busy) == 7 && (!strings.HasPrefix(busy[6]["Why"], "every worker is busy") || !strings.HasPrefix(busy[0]["Why"], "due")) {
		d.Errorf("with ann alone: low %q, medium %q; want busy and due", busy[6]["Why"], busy[0]["Why"])
	}
	d.exec(`UPDATE "BotWorkers" SET "State" = 'stopped'`)
	none := d.query(again)
	if !strings.HasPrefix(none[0]["Why"], "no worker") {
		d.Errorf("without a worker: %q, want no worker", none[0]["Why"])
	}
}

func prepareRunning(d *desk) {
	ann := d.Worker(storetest.WorkerOpts{Name: "ann"})
	it := d.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: ann, Pipeline: "Invoice", Estimate: 90 * time.Second})
	d.progress(ann, workqueue.ProgressNote{
		ItemRef: workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}, Step: "load", Progress: "half", LogTail: "started\n",
	})
	d.exec(`UPDATE "BotWorkers" SET "StuckSlots" = 1`)
	d.exec(`UPDATE "BotWorkQueueItems" SET "StartedAt" = %s`, past)
	d.exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State") VALUES ('Nobody', 1)`)
	d.learn("Nobody", 30*time.Second)
	d.learn("Invoice", time.Second) // the item has its own estimate
	d.Item(storetest.ItemOpts{State: workqueue.Assigned})
}

func checkRunning(d *desk, answer []row) {
	if !d.rows(answer, 2) {
		return
	}
	byID := map[string]row{answer[0]["Id"]: answer[0], answer[1]["Id"]: answer[1]}
	d.want(byID["1"], map[string]string{"WorkerName": "ann", "Pipeline": "Invoice", "EstimatedSeconds": "90", "Attempt": "1",
		"Step": "load", "Progress": "half", "LogTail": "started\n", "StuckSlots": "1"})
	if byID["1"]["FirstStartedAt"] == "" {
		d.Error("FirstStartedAt is NULL for a running item")
	}
	d.want(byID["2"], map[string]string{"WorkerName": "", "Pipeline": "Nobody", "Step": "", "StuckSlots": "", "EstimatedSeconds": "30"})
	if s := byID["1"]["RunsForSeconds"]; len(s) < 9 || s[0] == '-' {
		d.Errorf("item 1 runs for %s seconds, want years", s)
	}
}

// progress records the progress of a run.
func (d *desk) progress(by workqueue.Worker, note workqueue.ProgressNote) {
	d.Helper()
	lost, err := d.store.Progress(d.Context(), by.ID, by.InstanceID, []workqueue.ProgressNote{note})
	if err != nil || len(lost) > 0 {
		d.Fatalf("progress: lost %v, error %v", lost, err)
	}
}

func prepareStale(d *desk) {
	live := d.Worker(storetest.WorkerOpts{Name: "live"})
	dead := d.Worker(storetest.WorkerOpts{Name: "dead"})
	d.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: live})
	it := d.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: dead, Priority: 1})
	d.progress(dead, workqueue.ProgressNote{ItemRef: workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}, Step: "load", Progress: "half"})
	d.exec(`UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "Priority" = 1`, past)
	d.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: dead, Priority: 2})
	d.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: live, Priority: 3})
	d.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: live, Priority: 4})
	d.exec(`UPDATE "BotWorkQueueItems" SET "AssignedAt" = %s WHERE "Priority" = 4`, past)
	d.exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State") VALUES ('Nobody', 5)`)
	d.exec(`UPDATE "BotWorkers" SET "LeaseExpiresAt" = %s WHERE "Id" = %d`, past, dead.ID)
	// Only the stuck slots of a live worker are reported.
	d.exec(`UPDATE "BotWorkers" SET "StuckSlots" = 1`)
	stopped := d.Worker(storetest.WorkerOpts{Name: "stopped"})
	d.exec(`UPDATE "BotWorkers" SET "StuckSlots" = 2 WHERE "Id" = %d`, stopped.ID)
	if err := d.store.StopWorker(d.Context(), stopped.ID, stopped.InstanceID); err != nil {
		d.Fatal(err)
	}
}

func checkStale(d *desk, answer []row) {
	if !d.rows(answer, 6) {
		return
	}
	for i, want := range []map[string]string{
		{"What": "assigned item", "Id": "3", "Name": "dead", "Problem": "its worker does not beat"},
		{"What": "assigned item", "Id": "5", "Name": "live", "Problem": "it has waited for its worker for more than ten minutes"},
		{"What": "assigned item", "Id": "6", "Name": "", "Problem": "its worker does not exist"},
		{"What": "running item", "Id": "2", "Name": "dead", "Step": "load", "Progress": "half"},
		{"What": "stuck slots", "Name": "live", "Problem": fmt.Sprintf("1 of %d slots: their handlers were cancelled and do not stop", d.capacity("live"))},
		{"What": "worker", "Name": "dead"},
	} {
		d.want(answer[i], want)
	}
}

// capacity returns the number of slots of a worker.
func (d *desk) capacity(name string) int {
	d.Helper()
	workers, err := d.store.Workers(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	for _, w := range workers {
		if w.Name == name {
			return w.Capacity
		}
	}
	d.Fatalf("no worker %s", name)
	return 0
}

func prepareFinished(d *desk) {
	d.Item(storetest.ItemOpts{State: workqueue.Cancelled})
	d.Item(storetest.ItemOpts{State: workqueue.Processed})
	d.Item(storetest.ItemOpts{State: workqueue.Blocked})
}

func checkRequeued(d *desk, answer []row) {
	d.want(answer[0], map[string]string{"changed": "1"})
	got := d.item()
	if got.State != workqueue.Ready || got.RetryCount != 0 || got.Error != nil || got.FinishedAt != nil || got.WorkerID != nil {
		d.Errorf("item 1 is %+v, want it Ready and reset", got)
	}
	d.wantChanges("05_requeue_item", workqueue.Processed, workqueue.Cancelled)
	d.wantLikeRepeat()
}

// wantLikeRepeat compares the effect of the statement on item 1 with that of the store's Repeat
// on an equal item.
func (d *desk) wantLikeRepeat() {
	d.Helper()
	var made [2]workqueue.Item
	for i, repeat := range []func(id int64){
		func(int64) { d.query(statement(d, "05_requeue_item")) },
		func(id int64) {
			if err := storetest.Do(d.Context(), d.store, workqueue.Repeat, id, ""); err != nil {
				d.Fatal(err)
			}
		},
	} {
		id := int64(1)
		if i == 1 {
			id = d.Item(storetest.ItemOpts{State: workqueue.Cancelled}).ID
		}
		d.exec(`UPDATE "BotWorkQueueItems" SET "Version" = 3, "State" = 2, "RetryCount" = 2, "ReleaseCount" = 1, "WorkerId" = 7, "Fence" = 9,
			"AssignedAt" = %[1]s, "StartedAt" = %[1]s, "FirstStartedAt" = %[1]s, "FinishedAt" = %[1]s, "RetainUntil" = %[1]s,
			"LeaseExpiresAt" = %[1]s, "LockKey" = 'secret', "Robot" = 'ann', "RunOrder" = 5, "AssignedEstimateMs" = 90000, "Channel" = 'voice',
			"Output" = '1', "Analytics" = '2', "Progress" = 'half', "ProgressPercent" = 50, "Step" = 'load', "LogTail" = 'a line',
			"StepTimes" = '[]', "PipelineHash" = 'abc', "Error" = 'no such host', "ErrorKind" = 'error', "DeadlineAt" = %[1]s, "ExpiresAt" = %[1]s
			WHERE "Id" = %[2]d`, past, id)
		before, err := d.store.Item(d.Context(), id)
		if err != nil {
			d.Fatal(err)
		}
		repeat(id)
		it, err := d.store.Item(d.Context(), id)
		if err != nil {
			d.Fatal(err)
		}
		if it.IdempotencyKey == before.IdempotencyKey || len(it.IdempotencyKey) < 32 {
			d.Errorf("item %d has the idempotency key %q after %q, want a new one", id, it.IdempotencyKey, before.IdempotencyKey)
		}
		it.ID, it.IdempotencyKey, it.AvailableAt, it.CreatedAt = 0, "", time.Time{}, time.Time{}
		made[i] = it
	}
	if diff := cmp.Diff(made[1], made[0]); diff != "" {
		d.Errorf("the statement differs from `items repeat` (-repeat +statement)\n%s", diff)
	}
}

func prepareAssigned(d *desk) { d.Item(storetest.ItemOpts{State: workqueue.Assigned}) }

func checkCancelled(d *desk, answer []row) {
	d.want(answer[0], map[string]string{"changed": "1"})
	got := d.item()
	if got.State != workqueue.Cancelled || got.FinishedAt == nil || got.Error == nil || got.ErrorKind == nil || *got.ErrorKind != workqueue.KindCancelled {
		d.Errorf("item 1 is %+v, want it cancelled with a reason", got)
	}
	d.wantChanges("06_cancel_item", workqueue.Ready, workqueue.Pending, workqueue.Assigned)
}

func checkPriority(d *desk, answer []row) {
	d.want(answer[0], map[string]string{"changed": "1"})
	if got := d.item(); got.State != workqueue.Assigned || got.Priority != 2000 {
		d.Errorf("item 1 is %s with priority %d, want Assigned with 2000", got.State, got.Priority)
	}
	d.wantChanges("07_change_priority", workqueue.Ready, workqueue.Pending, workqueue.Assigned)
}

// wantChanges checks that a statement about item 1 changes it only in the allowed states.
func (d *desk) wantChanges(name string, allowed ...workqueue.State) {
	d.Helper()
	may := map[workqueue.State]string{}
	for _, s := range allowed {
		may[s] = "1"
	}
	text := statement(d, name)
	for _, state := range workqueue.States() {
		it := d.Item(storetest.ItemOpts{State: state})
		want := may[state]
		if want == "" {
			want = "0"
		}
		about := strings.Replace(text, "Id = 1;", fmt.Sprintf("Id = %d;", it.ID), 1)
		about = strings.Replace(about, `"Id" = 1;`, fmt.Sprintf(`"Id" = %d;`, it.ID), 1)
		if about == text {
			d.Fatalf("%s does not contain item 1, as the readme says", name)
		}
		if got := d.query(about)[0]["changed"]; got != want {
			d.Errorf("%s changed %s rows of an item that is %s, want %s", name, got, state, want)
		}
	}
}
