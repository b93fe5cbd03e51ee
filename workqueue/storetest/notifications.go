package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func notificationTests() []test {
	return []test{
		{"items that ended", happeningItems},
		{"runs and planned times", happeningRuns},
		{"deadlines that are near", happeningRisk},
		{"what was read counts once", happeningSeen},
		{"events are read once", happeningEvents},
		{"an evaluation is written whole or not at all", evaluationWhole},
		{"one of many evaluations at the same time is written", evaluationContend},
		{"mutes", muteAlerts},
	}
}

// happened lists happenings as "id kind text".
func (x *fixture) happened(f workqueue.HappeningFilter) (list []string, found []workqueue.Happening) {
	x.Helper()
	found, err := x.Store.Happenings(x.ctx, f)
	if err != nil {
		x.Fatal(err)
	}
	for _, h := range found {
		list = append(list, fmt.Sprintf("%d %s %s", h.ID, h.Kind, h.Text))
	}
	return list, found
}

func (x *fixture) notificationQueue() {
	x.Helper()
	if _, err := x.Store.DefineQueues(x.ctx, []workqueue.Queue{workqueue.NotificationDefinition()}, "test"); err != nil {
		x.Fatal(err)
	}
}

func happeningItems(x *fixture) {
	x.notificationQueue()
	x.define("test", []string{"other"}, workqueue.Queue{Name: "other"})
	a := x.Item(ItemOpts{State: workqueue.Cancelled, Pipeline: "ship"})
	b := x.Item(ItemOpts{State: workqueue.Cancelled, Queue: "other"})
	x.Item(ItemOpts{State: workqueue.Processed})
	hidden := x.Item(ItemOpts{State: workqueue.Cancelled})
	copied := x.Item(ItemOpts{State: workqueue.Cancelled})
	again := x.Item(ItemOpts{})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, x.agoSQL(0), hidden.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "RootId" = %d WHERE "Id" = %d`, copied.ID, again.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "FinishedAt" = %s, "Error" = 'boom', "ErrorKind" = 'timeout', "Step" = 'send' WHERE "Id" = %d`, x.agoSQL(2*time.Minute), a.ID)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "FinishedAt" = %s, "Error" = 'bang', "ErrorKind" = 'error' WHERE "Id" = %d`, x.agoSQL(time.Minute), b.ID)
	want := []string{fmt.Sprint(a.ID, " timeout boom"), fmt.Sprint(b.ID, " error bang")}
	got, found := x.happened(workqueue.HappeningFilter{Source: workqueue.FromItems, Since: time.Now().Add(-time.Hour)})
	if !slices.Equal(got, want) {
		x.Fatalf("ended items = %q, want %q: the first first, without hidden ones, successes and items that are tried again", got, want)
	}
	if h := found[0]; h.Queue != workqueue.DefaultQueue || h.Pipeline != "ship" || h.Step != "send" || h.Worker == "" || h.ItemID != a.ID || time.Since(h.At) < time.Minute {
		x.Errorf("happening = %+v, want its queue, pipeline, step, worker, item and time", h)
	}
	got, _ = x.happened(workqueue.HappeningFilter{Source: workqueue.FromItems, Since: time.Now().Add(-90 * time.Second)})
	if !slices.Equal(got, want[1:]) {
		x.Errorf("since 90 s ago: %q, want %q", got, want[1:])
	}
	got, _ = x.happened(workqueue.HappeningFilter{Source: workqueue.FromItems, Since: time.Now().Add(-time.Hour), Limit: 1})
	if !slices.Equal(got, want[:1]) {
		x.Errorf("with the limit 1: %q, want %q", got, want[:1])
	}
}

func happeningRuns(x *fixture) {
	insert := func(pipeline, outcome string, planned, started time.Duration) {
		x.exec(1, `INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "PlannedAt", "Outcome", "FailedStep", "Error", "StartedAt", "FinishedAt") VALUES ('%s', 'cron', %s, '%s', 'load', 'boom', %s, %s)`,
			pipeline, x.agoSQL(planned), outcome, x.agoSQL(started), x.agoSQL(started))
	}
	insert("good", "succeeded", 10*time.Minute, 10*time.Minute)
	insert("bad", "failed", 9*time.Minute, 9*time.Minute)
	insert("late", "succeeded", 20*time.Minute, 5*time.Minute)
	x.exec(1, `INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "Outcome", "Reason", "RecordedBy", "RecordedAt") VALUES ('gone', %s, 'missed', 'no worker', 'test', %s)`,
		x.agoSQL(time.Hour), x.agoSQL(time.Minute))
	x.exec(1, `INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "Outcome", "Reason", "RecordedBy", "RecordedAt") VALUES ('gone', %s, 'skipped', 'busy', 'test', %s)`,
		x.agoSQL(2*time.Hour), x.agoSQL(time.Minute))
	since := time.Now().Add(-30 * time.Minute)
	for source, want := range map[workqueue.HappeningSource]string{workqueue.FromRuns: "bad load boom", workqueue.FromLateRuns: "late  ", workqueue.FromMissed: "gone  no worker"} {
		_, found := x.happened(workqueue.HappeningFilter{Source: source, Since: since})
		if len(found) != 1 || fmt.Sprint(found[0].Pipeline, " ", found[0].Step, " ", found[0].Text) != want || found[0].PlannedAt.IsZero() {
			x.Errorf("%s: %+v, want only %q with its planned time", source, found, want)
		}
	}
}

func happeningRisk(x *fixture) {
	now := time.Now()
	near := x.Item(ItemOpts{Deadline: now.Add(5 * time.Minute)})
	x.Item(ItemOpts{Deadline: now.Add(time.Hour)})
	x.Item(ItemOpts{})
	x.Item(ItemOpts{State: workqueue.Blocked, Deadline: now.Add(5 * time.Minute)})
	assigned := x.Item(ItemOpts{State: workqueue.Assigned, Deadline: now.Add(6 * time.Minute)})
	_, found := x.happened(workqueue.HappeningFilter{Source: workqueue.FromRisk, Until: now.Add(15 * time.Minute)})
	if len(found) != 2 || found[0].ID != near.ID || found[1].ID != assigned.ID || found[1].Worker == "" {
		x.Errorf("near deadlines = %+v, want items %d and %d, which have not started", found, near.ID, assigned.ID)
	}
}

func (x *fixture) alertState() workqueue.AlertState {
	x.Helper()
	state, err := x.Store.AlertState(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	return state
}

func (x *fixture) evaluate(e workqueue.Evaluation) {
	x.Helper()
	e.Version = x.alertState().Version
	if err := x.Store.CommitAlerts(x.ctx, e); err != nil {
		x.Fatal(err)
	}
}

func happeningSeen(x *fixture) {
	it := x.Item(ItemOpts{State: workqueue.Cancelled})
	f := workqueue.HappeningFilter{Source: workqueue.FromItems, Since: time.Now().Add(-time.Hour)}
	_, found := x.happened(f)
	if len(found) != 1 {
		x.Fatalf("got %d happenings, want 1", len(found))
	}
	position := map[workqueue.HappeningSource]time.Time{workqueue.FromItems: found[0].At}
	x.evaluate(workqueue.Evaluation{Seen: found, Positions: position})
	if got, _ := x.happened(f); len(got) != 0 {
		x.Errorf("after it was read: %q, want none", got)
	}
	state := x.alertState()
	if !state.Positions[workqueue.FromItems].Equal(found[0].At) || state.EvaluatedAt.IsZero() {
		x.Errorf("state = %+v, want the position %s", state, found[0].At)
	}
	// Its next end is another one.
	if _, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Repeat}); err != nil {
		x.Fatal(err)
	}
	if _, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Cancel}); err != nil {
		x.Fatal(err)
	}
	if _, again := x.happened(f); len(again) != 1 || again[0].ID != it.ID || again[0].Kind != string(workqueue.KindCancelled) {
		x.Errorf("after its second end: %+v, want it again", again)
	}
	// What lies further back than the overlap is forgotten, since it is not read again.
	position[workqueue.FromItems] = found[0].At.Add(workqueue.HappeningOverlap + time.Minute)
	x.evaluate(workqueue.Evaluation{Positions: position})
	if got, _ := x.happened(f); len(got) != 1 {
		x.Errorf("got %q, want only the second end: the row of the first was overwritten", got)
	}
	x.exec(0, `DELETE FROM "BotNotificationSeen"`)
}

func happeningEvents(x *fixture) {
	events := []workqueue.Event{{Kind: "escalation", Queue: "orders", Pipeline: "ship", Worker: "w1", ItemID: 7, Detail: "too old"}, {Kind: "disk-low"}}
	if err := x.Store.RaiseEvents(x.ctx, events); err != nil {
		x.Fatal(err)
	}
	got, found := x.happened(workqueue.HappeningFilter{Source: workqueue.FromEvents})
	if len(got) != 2 || found[0].Kind != "escalation" || found[0].Queue != "orders" || found[0].Pipeline != "ship" || found[0].Worker != "w1" || found[0].ItemID != 7 ||
		found[0].Text != "too old" || found[1].ItemID != 0 {
		x.Fatalf("events = %+v, want both in their order", found)
	}
	x.evaluate(workqueue.Evaluation{Seen: found[:1]})
	if _, left := x.happened(workqueue.HappeningFilter{Source: workqueue.FromEvents}); len(left) != 1 || left[0].Kind != "disk-low" {
		x.Errorf("after the first was read: %+v, want the second", left)
	}
	x.exec(1, `UPDATE "BotEvents" SET "At" = %s`, x.agoSQL(workqueue.EventAge+time.Minute))
	if err := x.Store.RaiseEvents(x.ctx, events[:1]); err != nil {
		x.Fatal(err)
	}
	if _, left := x.happened(workqueue.HappeningFilter{Source: workqueue.FromEvents}); len(left) != 1 || left[0].Kind != "escalation" {
		x.Errorf("after the age of events: %+v, want only the new one", left)
	}
}

func evaluationWhole(x *fixture) {
	x.notificationQueue()
	now := x.alertState().Now
	item := workqueue.NewItem{QueueName: workqueue.NotificationQueue, State: workqueue.Pending, Payload: `{}`, NaturalKey: "one", Tags: []string{"target:ops"}}
	first := workqueue.Alert{Rule: "r", Group: "queue=a", Phase: workqueue.AlertFiring, StartedAt: now, LastAt: now, SentAt: &now, Events: 3, Occurrence: 2, Memory: `{"text":"x"}`}
	x.evaluate(workqueue.Evaluation{By: "w1", Alerts: []workqueue.Alert{first, {Rule: "R", Group: "queue=a", Phase: workqueue.AlertOK, StartedAt: now, LastAt: now, EndedAt: &now}}, Items: []workqueue.NewItem{item}})
	state := x.alertState()
	if len(state.Alerts) != 2 || state.EvaluatedBy != "w1" {
		x.Fatalf("state = %+v, want two alerts: their names differ in case", state)
	}
	i := slices.IndexFunc(state.Alerts, func(a workqueue.Alert) bool { return a.Rule == "r" })
	if asJSON(state.Alerts[i]) != asJSON(first) || state.Alerts[i].Memory != first.Memory {
		x.Errorf("alert = %s\nwant    %s", asJSON(state.Alerts[i]), asJSON(first))
	}
	// Another evaluation was written since version 0: nothing of this one is.
	item.NaturalKey = "two"
	err := x.Store.CommitAlerts(x.ctx, workqueue.Evaluation{Version: state.Version - 1, Forget: state.Alerts, Items: []workqueue.NewItem{item}})
	if !errors.Is(err, workqueue.ErrEvaluated) {
		x.Fatalf("with an old version: %v, want ErrEvaluated", err)
	}
	if got := x.alertState(); len(got.Alerts) != 2 || got.Version != state.Version {
		x.Errorf("after that the state is %+v, want it unchanged", got)
	}
	x.queueHas(1)
	// The same key again makes no second item, so a message is not sent twice.
	item.NaturalKey = "one"
	x.evaluate(workqueue.Evaluation{Forget: state.Alerts[:1], Items: []workqueue.NewItem{item}})
	x.queueHas(1)
	if got := x.alertState(); len(got.Alerts) != 1 {
		x.Errorf("alerts = %+v, want one: the other was forgotten", got.Alerts)
	}
}

// queueHas checks how many messages wait.
func (x *fixture) queueHas(want int64) {
	x.Helper()
	n, err := x.Store.CountItems(x.ctx, workqueue.ItemFilter{QueueName: workqueue.NotificationQueue})
	if err != nil || n != want {
		x.Errorf("%d messages, %v; want %d", n, err, want)
	}
}

func evaluationContend(x *fixture) {
	x.notificationQueue()
	const evaluators = 6
	version := x.alertState().Version
	var wins, lost int
	var mu sync.Mutex
	var all sync.WaitGroup
	for n := range evaluators {
		store := x.Store
		if n%2 == 1 {
			store = x.Another(x.T)
		}
		all.Go(func() {
			item := workqueue.NewItem{QueueName: workqueue.NotificationQueue, State: workqueue.Pending, Payload: `{}`, NaturalKey: fmt.Sprint("of ", n)}
			err := store.CommitAlerts(context.WithoutCancel(x.ctx), workqueue.Evaluation{Version: version, Items: []workqueue.NewItem{item}})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				wins++
			case errors.Is(err, workqueue.ErrEvaluated):
				lost++
			default:
				x.Error(err)
			}
		})
	}
	all.Wait()
	if wins != 1 || lost != evaluators-1 {
		x.Errorf("%d evaluations were written and %d were not, want 1 and %d", wins, lost, evaluators-1)
	}
	x.queueHas(1)
}

func muteAlerts(x *fixture) {
	mute := func(rule, group string, length time.Duration) {
		x.Helper()
		if err := x.Store.MuteAlerts(x.ctx, workqueue.Mute{Rule: rule, Group: group, Reason: "works", By: "ann"}, length); err != nil {
			x.Fatal(err)
		}
	}
	mute("r", "", time.Hour)
	mute("r", "queue=a", time.Hour)
	mute("r", "queue=a", 2*time.Hour) // replaces the first
	state := x.alertState()
	if len(state.Mutes) != 2 || state.Mutes[1].Group != "queue=a" || state.Mutes[1].Reason != "works" || state.Mutes[1].By != "ann" ||
		state.Mutes[1].Until.Sub(state.Now) < 110*time.Minute {
		x.Fatalf("mutes = %+v, want one of the rule and one of the group, for two hours", state.Mutes)
	}
	changed, err := x.Store.UnmuteAlerts(x.ctx, "r", "", "")
	if err != nil || !changed {
		x.Errorf("unmute: %v, %v; want true", changed, err)
	}
	if changed, err := x.Store.UnmuteAlerts(x.ctx, "r", "", ""); err != nil || changed {
		x.Errorf("unmute again: %v, %v; want false", changed, err)
	}
	x.exec(1, `UPDATE "BotNotificationMutes" SET "MutedUntil" = %s`, x.agoSQL(time.Second))
	if got := x.alertState().Mutes; len(got) != 0 {
		x.Errorf("mutes = %+v, want none: it has ended", got)
	}
	if err := x.Store.MuteAlerts(x.ctx, workqueue.Mute{Rule: "r"}, time.Second); err == nil {
		x.Error("a mute of a second: no error, want one")
	}
}
