package sqlstore_test

import (
	"time"

	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

const oneText, otherText = "steps: [{handler: Log, with: {message: one}}]\n", "steps: [{handler: Log, with: {message: other}}]\n"

// prepareTexts lets item 1 fail with one text and then succeed with another.
func prepareTexts(d *desk) {
	keep := func(hash, text string) {
		if err := d.store.KeepTexts(d.Context(), []workqueue.PipelineText{{Hash: hash, Pipeline: "import", Text: text}}); err != nil {
			d.Fatal(err)
		}
	}
	keep("aa", oneText)
	if _, err := d.db.ExecContext(d.Context(), `UPDATE "BotPipelineTexts" SET "UsedAt" = '2020-01-01 00:00:00.000'`); err != nil {
		d.Fatal(err)
	}
	keep("bb", otherText)
	w := d.Worker(storetest.WorkerOpts{})
	it := d.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: w, Pipeline: "import"})
	finish := func(it workqueue.Item, f workqueue.Finish) {
		f.ItemID, f.Fence = it.ID, it.Fence
		if lost, err := d.store.Finish(d.Context(), w.ID, w.InstanceID, []workqueue.Finish{f}); err != nil || len(lost) > 0 {
			d.Fatalf("Finish = %v, %v", lost, err)
		}
	}
	finish(it, workqueue.Finish{
		State: workqueue.Ready, RetryCount: 1, Error: "no such host", ErrorKind: workqueue.KindError, PipelineHash: "aa",
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed"},
	})
	d.Assign(w, it.ID)
	again, err := d.store.Claim(d.Context(), workqueue.ClaimParams{WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Minute})
	if err != nil || len(again) != 1 {
		d.Fatalf("Claim = %v, %v, want the item", again, err)
	}
	finish(again[0], workqueue.Finish{State: workqueue.Processed, RetryCount: 1, PipelineHash: "bb"})
}

func checkTexts(d *desk, answer []row) {
	if !d.rows(answer, 2) {
		return
	}
	d.want(answer[0], map[string]string{"AttemptNumber": "0", "What": "last run", "PipelineHash": "bb", "Present": "yes", "Body": otherText})
	d.want(answer[1], map[string]string{"AttemptNumber": "1", "What": "failed", "PipelineHash": "aa", "Present": "no", "Body": oneText})
}
