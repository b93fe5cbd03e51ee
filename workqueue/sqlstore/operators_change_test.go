package sqlstore_test

import (
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/storetest"
)

// prepareChanged changes item 1 alone, and then with another.
func prepareChanged(d *desk) {
	d.Items(2, storetest.ItemOpts{})
	ctx := workqueue.WithActor(d.Context(), workqueue.Actor{Name: "ann", Via: workqueue.ViaCLI, Host: "desk", Reason: "urgent"})
	priority := 1500
	if _, err := d.store.ChangeItem(ctx, 1, workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{Priority: &priority}}); err != nil {
		d.Fatal(err)
	}
	cancel := workqueue.Change{Action: workqueue.Cancel, Reason: "not wanted", Batch: workqueue.BatchPart{Key: "cancel-all"}}
	if r, err := d.store.ChangeItems(d.Context(), workqueue.ItemFilter{IDs: []int64{1, 2}}, cancel); err != nil || r.Changed != 2 {
		d.Fatal(r, err)
	}
	if _, err := d.store.PauseQueue(d.Context(), "default"); err != nil { // an entry about something else
		d.Fatal(err)
	}
}

func checkChanged(d *desk, answer []row) {
	if !d.rows(answer, 2) {
		return
	}
	d.want(answer[0], map[string]string{"Action": "items.cancel", "ItemsChanged": "2", "Reason": "not wanted", "Via": "go"})
	d.want(answer[1], map[string]string{"Action": "items.update", "Actor": "ann", "Via": "cli", "Host": "desk", "Reason": "urgent", "ItemsChanged": "1"})
	if !strings.Contains(answer[1]["After"], "1500") || answer[1]["Before"] == "" {
		d.Errorf("the update has the values %v, want those before and after", answer[1])
	}
}

func prepareAlerts(d *desk) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	alert := func(rule, group string, phase workqueue.AlertPhase) workqueue.Alert {
		return workqueue.Alert{Rule: rule, Group: group, Phase: phase, StartedAt: now, LastAt: now, Events: 3, Occurrence: 1}
	}
	err := d.store.CommitAlerts(d.Context(), workqueue.Evaluation{By: "w1", Alerts: []workqueue.Alert{
		alert("late", "", workqueue.AlertOK), alert("failures", "queue=a", workqueue.AlertFiring), alert("failures", "queue=b", workqueue.AlertFiring),
	}})
	if err != nil {
		d.Fatal(err)
	}
	for group, length := range map[string]time.Duration{"": time.Hour, "queue=a": 2 * time.Hour} {
		if err := d.store.MuteAlerts(d.Context(), workqueue.Mute{Rule: "failures", Group: group, Reason: "mute of " + group, By: "ann"}, length); err != nil {
			d.Fatal(err)
		}
	}
}

func checkAlerts(d *desk, answer []row) {
	if !d.rows(answer, 3) {
		return
	}
	d.want(answer[0], map[string]string{"RuleName": "failures", "GroupName": "queue=a", "State": "firing", "Events": "3", "MuteReason": "mute of queue=a", "EvaluatedBy": "w1"})
	d.want(answer[1], map[string]string{"GroupName": "queue=b", "MuteReason": "mute of ", "MutedBy": "ann"})
	d.want(answer[2], map[string]string{"RuleName": "late", "State": "ok", "MuteReason": ""})
}

// prepareEscalated lets a rule raise an item that is late.
func prepareEscalated(d *desk) {
	late := d.Item(storetest.ItemOpts{Priority: 700})
	d.Item(storetest.ItemOpts{})
	d.exec(`UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, past, late.ID)
	rules, err := escalation.Parse(`[{"name":"late","after":"10m","raise":{"by":100}}]`)
	if err != nil {
		d.Fatal(err)
	}
	turn, ok, err := d.store.EscalationTurn(d.Context(), workqueue.Escalation{Scope: workqueue.EscalateQueue, Owner: "default", Rule: rules[0]}, true)
	if err != nil || !ok {
		d.Fatal(ok, err)
	}
	if r, err := d.store.Escalate(d.Context(), turn); err != nil || r.Changed != 1 {
		d.Fatal(r, err)
	}
}

func checkEscalationRules(d *desk, answer []row) {
	if d.rows(answer, 1) {
		d.want(answer[0], map[string]string{"Scope": "queue", "OwnerName": "default", "RuleName": "late"})
	}
}

func checkEscalatedItems(d *desk, answer []row) {
	if d.rows(answer, 1) {
		d.want(answer[0], map[string]string{"RuleName": "queue default: late", "ItemId": "1", "QueueName": "default", "PriorityNow": "800"})
	}
}

// prepareBatches enqueues items of two batches, of which one runs.
func prepareBatches(d *desk) {
	for _, key := range []string{"a", "a", "b"} {
		it := workqueue.NewItem{IntegrationConfig: "Invoice", Batch: &workqueue.ItemBatch{Key: key, Max: 3, Wait: 30 * time.Second, AtMost: time.Minute}}
		if _, err := d.store.Enqueue(d.Context(), []workqueue.NewItem{it}); err != nil {
			d.Fatal(err)
		}
	}
	d.exec(`UPDATE "BotWorkQueueItems" SET "State" = 1, "AvailableAt" = %s WHERE "BatchKey" = 'b'`, past)
	d.Item(storetest.ItemOpts{})
}

func checkBatches(d *desk, answer []row) {
	if !d.rows(answer, 2) {
		return
	}
	d.want(answer[0], map[string]string{"BatchKey": "b", "Waiting": "0", "Running": "1", "FirstDue": ""})
	d.want(answer[1], map[string]string{"QueueName": "default", "Pipeline": "Invoice", "BatchKey": "a", "Waiting": "2", "Assigned": "0", "Running": "0",
		"BatchMax": "3", "BatchWaitMs": "30000", "BatchAtMostMs": "60000", "FirstItem": "1"})
}

// prepareCommands writes two parts of one command, and one of a command long ago.
func prepareCommands(d *desk) {
	for part, key := range []string{"import", "import", "old"} {
		items := []workqueue.NewItem{{IntegrationConfig: "Invoice"}, {IntegrationConfig: "Invoice"}}
		if _, err := d.store.EnqueueBatch(d.Context(), workqueue.BatchPart{Key: key, Part: int64(part)}, items); err != nil {
			d.Fatal(err)
		}
	}
	d.exec(`UPDATE "BotBatches" SET "CreatedAt" = %s WHERE "BatchKey" = 'old'`, past)
}

func checkCommands(d *desk, answer []row) {
	if d.rows(answer, 1) {
		d.want(answer[0], map[string]string{"BatchKey": "import", "Kind": "enqueue", "Parts": "2", "Items": "4"})
	}
}
