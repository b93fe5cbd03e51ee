package sqlstore_test

import (
	"io/fs"
	"os"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
	"botwork/workqueue/storetest"
)

// operatorFiles are the statements that people run by hand, which the program does not contain.
var operatorFiles = os.DirFS("../../sql")

// statement returns the text of an operator's file.
func statement(d *desk, name string) string {
	d.Helper()
	text, err := fs.ReadFile(operatorFiles, folders[d.engine.Driver]+"/operators/"+name+".sql")
	if err != nil {
		d.Fatal(err)
	}
	return string(text)
}

func prepareFailed(d *desk) {
	ann := d.Worker(storetest.WorkerOpts{Name: "ann"})
	d.Item(storetest.ItemOpts{State: workqueue.Cancelled, Worker: ann, Pipeline: "Invoice"})
	waiting := d.Item(storetest.ItemOpts{Pipeline: "Mail"})
	if err := storetest.Do(d.Context(), d.store, workqueue.Cancel, waiting.ID, "not wanted"); err != nil {
		d.Fatal(err)
	}
	old := d.Item(storetest.ItemOpts{State: workqueue.Cancelled})
	d.exec(`UPDATE "BotWorkItemAttempts" SET "FinishedAt" = %s WHERE "ItemId" = %d`, past, old.ID)
	d.Item(storetest.ItemOpts{State: workqueue.Processed})
}

func checkFailed(d *desk, answer []row) {
	if !d.rows(answer, 2) {
		return
	}
	byID := map[string]row{answer[0]["ItemId"]: answer[0], answer[1]["ItemId"]: answer[1]}
	d.want(byID["1"], map[string]string{
		"Outcome": "failed", "WorkerName": "ann", "Pipeline": "Invoice", "Step": "work", "ErrorKind": "permanent",
		"Error": "made to fail", "StateNow": "Cancelled", "Attempt": "1",
	})
	d.want(byID["2"], map[string]string{"Outcome": "cancelled", "Pipeline": "Mail", "Error": "not wanted"})
}

func prepareBacklog(d *desk) {
	d.Items(3, storetest.ItemOpts{Priority: 1001, Estimate: 10 * time.Second})
	d.Items(2, storetest.ItemOpts{Priority: 500, In: time.Hour, Pipeline: "Mail"})
	d.learn("Mail", 40*time.Second)
	ann := d.Worker(storetest.WorkerOpts{})
	d.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: ann, Priority: 1000})
	d.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: ann, Priority: 499, Estimate: 5 * time.Second})
	d.Item(storetest.ItemOpts{State: workqueue.Processed, Priority: 1})
}

func checkBacklog(d *desk, answer []row) {
	if !d.rows(answer, 3) {
		return
	}
	d.want(answer[0], map[string]string{"Band": "high", "Due": "3", "NotDueYet": "0", "Assigned": "0", "Running": "0", "EstimatedSeconds": "30"})
	d.want(answer[1], map[string]string{"Band": "medium", "Due": "0", "NotDueYet": "2", "Assigned": "0", "Running": "1", "OldestDueSince": "", "EstimatedSeconds": "80"})
	d.want(answer[2], map[string]string{"Band": "low", "Due": "0", "NotDueYet": "0", "Assigned": "1", "Running": "0", "EstimatedSeconds": "5"})
	if answer[0]["OldestDueSince"] == "" {
		d.Error("OldestDueSince is NULL for the high band")
	}
}

func prepareHistory(d *desk) {
	ann := d.Worker(storetest.WorkerOpts{Name: "ann"})
	it := d.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: ann})
	end := func(f workqueue.Finish) {
		d.Helper()
		if lost, err := d.store.Finish(d.Context(), ann.ID, ann.InstanceID, []workqueue.Finish{f}); err != nil || len(lost) > 0 {
			d.Fatalf("finish: lost %v, error %v", lost, err)
		}
	}
	end(workqueue.Finish{
		ItemID: it.ID, Fence: 1, State: workqueue.Ready, RetryCount: 1, Error: "no such host", ErrorKind: workqueue.KindError,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed", Step: "fetch"},
		Step:    "fetch", Progress: "1 of 2", LogTail: "no answer\n",
	})
	d.Assign(ann, it.ID)
	claim := workqueue.ClaimParams{WorkerID: ann.ID, InstanceID: ann.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Minute}
	if _, err := d.store.Claim(d.Context(), claim); err != nil {
		d.Fatal(err)
	}
	// Progress is visible while the item runs.
	d.progress(ann, workqueue.ProgressNote{ItemRef: workqueue.ItemRef{ItemID: it.ID, Fence: 2}, Step: "store", Progress: "2 of 2", LogTail: "fetched\n"})
	if now := d.query(statement(d, "09_history_of_item")); d.rows(now, 4) {
		d.want(now[3], map[string]string{"What": "started", "Host": ann.Host, "Detail": "at step store", "Progress": "2 of 2", "LogTail": "fetched\n"})
	}
	end(workqueue.Finish{ItemID: it.ID, Fence: 2, State: workqueue.Processed, RetryCount: 1})
	d.Item(storetest.ItemOpts{State: workqueue.Cancelled})
}

// snooze inserts the attempt of a run that was snoozed without a reason.
func (d *desk) snooze(id int64) {
	d.Helper()
	d.exec(`INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome", "Step") VALUES (%d, 2, 2, 'snoozed', 'wait')`, id)
}

func checkHistory(d *desk, answer []row) {
	if !d.rows(answer, 5) {
		return
	}
	d.want(answer[0], map[string]string{"What": "created", "Detail": "storetest"})
	d.want(answer[1], map[string]string{"What": "attempt 1: failed", "WorkerName": "ann", "Detail": "step fetch: no such host",
		"Progress": "1 of 2", "LogTail": "no answer\n"})
	if answer[1]["Host"] == "" {
		d.Error("the attempt does not name its host")
	}
	d.want(answer[2], map[string]string{"What": "assigned", "WorkerName": "ann"})
	d.want(answer[3], map[string]string{"What": "started", "WorkerName": "ann", "Detail": "", "Progress": ""})
	d.want(answer[4], map[string]string{"What": "Processed", "WorkerName": "ann", "Detail": "", "Progress": "2 of 2", "LogTail": ""})
	d.snooze(1)
	for _, happened := range d.query(statement(d, "09_history_of_item")) {
		if happened["What"] == "attempt 2: snoozed" {
			d.want(happened, map[string]string{"Detail": "step wait"})
			return
		}
	}
	d.Error("the snooze is not in the history")
}

func prepareFirings(d *desk) {
	now := time.Now()
	firing := workqueue.Firing{Schedule: "Nightly", PlannedAt: now.Add(-time.Hour), Outcome: workqueue.Missed, Reason: "no worker was running", RecordedBy: "ann"}
	skipped, old := firing, firing
	skipped.PlannedAt, skipped.Outcome, skipped.Reason, skipped.Worker = now.Add(-2*time.Hour), workqueue.Skipped, "the previous run is still active", "bob"
	old.PlannedAt = now.AddDate(0, 0, -8)
	if err := d.store.RecordFirings(d.Context(), []workqueue.Firing{skipped, firing, old}); err != nil {
		d.Fatal(err)
	}
	fired := workqueue.Firing{Schedule: "Nightly", PlannedAt: now.Add(-3 * time.Hour), RecordedBy: "ann"}
	if claim, err := d.store.ClaimFiring(d.Context(), fired); err != nil || !claim.Won {
		d.Fatalf("ClaimFiring = %+v, %v", claim, err)
	}
}

func checkFirings(d *desk, answer []row) {
	if !d.rows(answer, 2) {
		return
	}
	d.want(answer[0], map[string]string{"Schedule": "Nightly", "Outcome": "missed", "Reason": "no worker was running", "WorkerName": "", "RecordedBy": "ann"})
	d.want(answer[1], map[string]string{"Schedule": "Nightly", "Outcome": "skipped", "Reason": "the previous run is still active", "WorkerName": "bob"})
}

func checkThroughput(d *desk, answer []row) {
	// The two items may have ended on either side of a full hour.
	processed, cancelled := 0, 0
	for _, r := range answer {
		if r["Processed"] == "1" {
			processed++
		}
		if r["Cancelled"] == "1" {
			cancelled++
		}
		if r["FinishedIn"] == "" || r["MeanSeconds"] == "" || r["LongestSeconds"] == "" {
			d.Errorf("a row has missing values: %v", r)
		}
	}
	if processed != 1 || cancelled != 1 {
		d.Errorf("%d processed and %d cancelled, want one each: %v", processed, cancelled, answer)
	}
}

// learn records that runs of a pipeline took this long.
func (d *desk) learn(pipeline string, took time.Duration) {
	d.Helper()
	run := learned.Run{Took: took}
	err := d.store.Learn(d.Context(), []learned.Runs{{
		Key: learned.Key{Kind: learned.OfPipeline, Pipeline: pipeline}, Runs: []learned.Run{run, run, run},
	}})
	if err != nil {
		d.Fatal(err)
	}
}

func prepareDurations(d *desk) {
	runs := func(k learned.Key, all ...learned.Run) learned.Runs {
		return learned.Runs{Key: k, Runs: all}
	}
	ten, twenty := learned.Run{Took: 10 * time.Second}, learned.Run{Took: 20 * time.Second}
	err := d.store.Learn(d.Context(), []learned.Runs{
		runs(learned.Key{Kind: learned.OfPipeline, Pipeline: "steady"}, ten, ten, ten),
		runs(learned.Key{Kind: learned.OfTask, Pipeline: "wild", Name: "nightly"}, ten, twenty, twenty, ten),
		runs(learned.Key{Kind: learned.OfKey, Pipeline: "wild", Name: "LIS"}, ten),
		runs(learned.Key{Kind: learned.OfPipeline, Pipeline: "nothing"}, learned.Run{}, learned.Run{}, learned.Run{}),
	})
	if err != nil {
		d.Fatal(err)
	}
}

func checkDurations(d *desk, answer []row) {
	if !d.rows(answer, 4) {
		return
	}
	// The mean was 10, 15 and 16 2/3 s before the last three runs.
	d.want(answer[0], map[string]string{
		"Kind": "task", "Pipeline": "wild", "Name": "nightly", "Runs": "4", "MeanMs": "15000", "ErrorMs": "7222", "ErrorPercent": "48", "Used": "yes",
	})
	last := answer[3]
	d.want(last, map[string]string{"Kind": "key", "Pipeline": "wild", "Name": "LIS", "Runs": "1", "MeanMs": "10000", "ErrorPercent": "", "Used": "no"})
	for _, r := range answer[1:3] {
		want := map[string]string{"Runs": "3", "ErrorMs": "0", "ErrorPercent": "0", "Used": "yes", "P90Ms": "9861"}
		if r["Pipeline"] == "nothing" {
			want["ErrorPercent"], want["P90Ms"] = "", "0"
		}
		d.want(r, want)
	}
}
