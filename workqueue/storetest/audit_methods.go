package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// audited is a method that writes the audit log, and how to call it.
type audited struct {
	method string
	want   workqueue.AuditEntry // the fields that are compared, with Actor "" for the auditor

	// prepare makes what the call changes, and returns the call and the items that it changes.
	prepare func(x *fixture) (call func(context.Context) error, items []int64)

	// idle is set if the same call again changes nothing and is no error; refused if it is an
	// error.
	idle, refused bool
}

// onItem is a method that changes one new item.
func onItem(a workqueue.Action, o ItemOpts) audited {
	return audited{method: "ChangeItem", want: workqueue.AuditEntry{Action: "items." + string(a), TargetKind: "item", Changed: 1},
		refused: a != workqueue.Clone && a != workqueue.RunNow && a != workqueue.Update,
		prepare: func(x *fixture) (func(context.Context) error, []int64) {
			id := x.Item(o).ID
			c := workqueue.Change{Action: a}
			if a == workqueue.Update {
				c.Update = &workqueue.ItemUpdate{Priority: new(801)}
			}
			return func(ctx context.Context) error {
				_, err := x.Store.ChangeItem(ctx, id, c)
				return err
			}, []int64{id}
		}}
}

// onQueue is a method that changes a queue.
func onQueue(method, action string, idle, refused bool, call func(*fixture, context.Context) error) audited {
	return audited{method: method, idle: idle, refused: refused,
		want: workqueue.AuditEntry{Action: action, TargetKind: "queue", Target: "mail", Changed: 1},
		prepare: func(x *fixture) (func(context.Context) error, []int64) {
			return func(ctx context.Context) error { return call(x, ctx) }, nil
		}}
}

// auditedMethods lists the methods that write the audit log, in an order in which each has
// something to change.
func auditedMethods() []audited {
	waiting, done := ItemOpts{}, ItemOpts{State: workqueue.Processed}
	return slices.Concat(
		[]audited{
			onItem(workqueue.RunNow, ItemOpts{In: time.Hour}), onItem(workqueue.Cancel, ItemOpts{State: workqueue.Blocked}),
			onItem(workqueue.Archive, waiting), onItem(workqueue.Repeat, done), onItem(workqueue.Clone, done),
			onItem(workqueue.Delete, waiting), onItem(workqueue.Update, waiting),
			{method: "ChangeItems", idle: true, want: workqueue.AuditEntry{Action: "items.cancel", TargetKind: "item", Changed: 2, Filter: `{"pipeline":"many"}`},
				prepare: func(x *fixture) (func(context.Context) error, []int64) {
					return func(ctx context.Context) error {
						_, err := x.Store.ChangeItems(ctx, workqueue.ItemFilter{Pipeline: "many"}, workqueue.Change{Action: workqueue.Cancel})
						return err
					}, x.Items(2, ItemOpts{Pipeline: "many"})
				}},
			onQueue("DefineQueues", "queues.define", true, false, func(x *fixture, ctx context.Context) error {
				_, err := x.Store.DefineQueues(ctx, []workqueue.Queue{{Name: "mail", PriorityOffset: 7}}, "by")
				return err
			}),
			onQueue("RefreshQueues", "queues.define", true, false, func(x *fixture, ctx context.Context) error {
				_, _, err := x.Store.RefreshQueues(ctx, []workqueue.Queue{{Name: "mail", PriorityOffset: 8}}, "by")
				return err
			}),
			onQueue("OverrideQueue", "queues.set", true, false, func(x *fixture, ctx context.Context) error {
				q, err := x.Store.Queue(ctx, "mail")
				if err == nil {
					q.PriorityOffset = 9
					_, err = x.Store.OverrideQueue(ctx, q, "by")
				}
				return err
			}),
			{method: "CreateQueue", refused: true, want: workqueue.AuditEntry{Action: "queues.create", TargetKind: "queue", Target: "letters", Changed: 1},
				prepare: func(x *fixture) (func(context.Context) error, []int64) {
					return func(ctx context.Context) error {
						return x.Store.CreateQueue(ctx, workqueue.Queue{Name: "letters"}, "by")
					}, nil
				}},
			onQueue("PauseQueue", "queues.pause", true, false, func(x *fixture, ctx context.Context) error {
				_, err := x.Store.PauseQueue(ctx, "mail")
				return err
			}),
			onQueue("ResumeQueue", "queues.resume", true, false, func(x *fixture, ctx context.Context) error {
				_, err := x.Store.ResumeQueue(ctx, "mail")
				return err
			}),
			{method: "PurgeQueue", idle: true, want: workqueue.AuditEntry{Action: "queues.purge", TargetKind: "queue", Target: "mail", Changed: 3, Filter: `{"queueName":"mail"}`},
				prepare: func(x *fixture) (func(context.Context) error, []int64) {
					return func(ctx context.Context) error {
						_, err := x.Store.PurgeQueue(ctx, workqueue.PurgeParams{Queue: "mail"})
						return err
					}, x.Items(3, ItemOpts{Queue: "mail"})
				}},
			onQueue("DeleteQueue", "queues.delete", false, true, func(x *fixture, ctx context.Context) error { return x.Store.DeleteQueue(ctx, "mail") }),
		}, auditedSchedules(), auditedRobots(), auditedAccess(), auditedNotifications())
}

// onWorker is a method that changes the worker operated.
func onWorker(method, action string, call func(*fixture, context.Context) error) audited {
	return audited{method: method, idle: true, want: workqueue.AuditEntry{Action: action, TargetKind: "worker", Target: "operated", Changed: 1},
		prepare: func(x *fixture) (func(context.Context) error, []int64) {
			if method == "RequestDrain" { // the first of these
				x.Worker(WorkerOpts{Name: "operated"})
			}
			return func(ctx context.Context) error { return call(x, ctx) }, nil
		}}
}

// onPipeline is a method that changes the pipeline Nightly.
func onPipeline(method, action string, idle bool, call func(*fixture, context.Context) error) audited {
	c := onQueue(method, action, idle, false, call)
	c.want.TargetKind, c.want.Target = "pipeline", "Nightly"
	return c
}

func auditedSchedules() []audited {
	request := workqueue.NewRunRequests{Pipeline: "Nightly", By: "by", Within: time.Hour}
	backfill := request
	backfill.PlannedAt = []time.Time{time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}
	requested := func(n workqueue.NewRunRequests) func(*fixture, context.Context) error {
		return func(x *fixture, ctx context.Context) error {
			_, err := x.Store.RequestRuns(ctx, n)
			return err
		}
	}
	backfilled := onPipeline("RequestRuns", "pipelines.backfill", true, requested(backfill))
	backfilled.want.Changed = 2
	return []audited{
		onPipeline("PausePipeline", "pipelines.pause", true, func(x *fixture, ctx context.Context) error {
			_, err := x.Store.PausePipeline(ctx, workqueue.PipelinePause{Pipeline: "Nightly", By: "by"})
			return err
		}),
		onPipeline("ResumePipeline", "pipelines.resume", true, func(x *fixture, ctx context.Context) error {
			_, err := x.Store.ResumePipeline(ctx, "Nightly", "by")
			return err
		}),
		onPipeline("RequestRuns", "pipelines.run", false, requested(request)), backfilled,
		onPipeline("RecordPipelineSave", "pipelines.save", false, func(x *fixture, ctx context.Context) error {
			return x.Store.RecordPipelineSave(ctx, workqueue.PipelineSave{Pipeline: "Nightly", File: "nightly.yaml", Host: "h", Before: "a", After: "b", By: "by"})
		}),
		{method: "DrainWorker", idle: true, want: workqueue.AuditEntry{Action: "workers.drain", TargetKind: "worker", Target: "drained", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				x.Worker(WorkerOpts{Name: "drained"})
				return func(ctx context.Context) error { return x.Store.DrainWorker(ctx, "drained", "") }, nil
			}},
		onWorker("RequestDrain", "workers.drain", func(x *fixture, ctx context.Context) error { return x.Store.RequestDrain(ctx, "operated") }),
		onWorker("ResumeWorker", "workers.resume", func(x *fixture, ctx context.Context) error {
			_, err := x.Store.ResumeWorker(ctx, "operated")
			return err
		}),
		onWorker("SetWorker", "workers.set", func(x *fixture, ctx context.Context) error {
			_, err := x.Store.SetWorker(ctx, "operated", false, workqueue.WorkerOverrides{Capacity: new(3)})
			return err
		}),
		{method: "DefineTasks", idle: true, want: workqueue.AuditEntry{Action: "tasks.define", TargetKind: "task", Target: "books", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				return func(ctx context.Context) error {
					_, err := x.Store.DefineTasks(ctx, []workqueue.TaskRow{aTask("books", "one")}, "by")
					return err
				}, nil
			}},
		{method: "RunTask", want: workqueue.AuditEntry{Action: "tasks.run", TargetKind: "task", Target: "books", Changed: 2},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				return func(ctx context.Context) error {
					it := workqueue.ScopedItem{Item: workqueue.NewItem{IntegrationConfig: Pipeline, TaskName: "books"}}
					_, err := x.Store.RunTask(ctx, "books", workqueue.BatchPart{}, []workqueue.ScopedItem{it, it})
					return err
				}, nil
			}},
		{method: "ReviseTaskItems", idle: true, want: workqueue.AuditEntry{Action: "items.update", TargetKind: "item", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				it := x.waiting(workqueue.Ready, 0, 1)[0]
				revision := workqueue.TaskRevision{ItemID: it.ID, State: workqueue.Ready, Old: it.Priority, New: it.Priority + 1}
				return func(ctx context.Context) error {
					_, err := x.Store.ReviseTaskItems(ctx, []workqueue.TaskRevision{revision})
					return err
				}, []int64{it.ID}
			}},
		{method: "Escalate", idle: true, want: workqueue.AuditEntry{Action: "items.escalate", TargetKind: "item", Changed: 1,
			Actor: "pipeline escalated: late", Via: workqueue.ViaRule, Reason: `escalated by rule "late" of the pipeline "escalated": waiting 0s`},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				id := x.Item(ItemOpts{Pipeline: "escalated"}).ID
				rule := x.escalationRule(workqueue.EscalatePipeline, "escalated", `{"name":"late","after":"0s","raise":{"by":100}}`)
				turn, _, err := x.Store.EscalationTurn(x.ctx, rule, true)
				if err != nil {
					x.Fatal(err)
				}
				return func(ctx context.Context) error {
					_, err := x.Store.Escalate(ctx, turn)
					return err
				}, []int64{id}
			}},
		{method: "ForgetDurations", idle: true, want: workqueue.AuditEntry{Action: "durations.forget", TargetKind: "durations", Target: "slow", Changed: 1, Filter: `{"pipeline":"slow"}`},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				x.learn(took(keyOf("slow"), 1), took(keyOf("fast"), 1))
				return func(ctx context.Context) error {
					_, err := x.Store.ForgetDurations(ctx, learned.Filter{Pipeline: "slow"})
					return err
				}, nil
			}},
		{method: "RecountStatistics", idle: true, want: workqueue.AuditEntry{Action: "queues.recount", TargetKind: "queue", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				x.recount()
				x.exec(1, `DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, x.Item(ItemOpts{State: workqueue.Processed}).ID)
				return func(ctx context.Context) error {
					_, err := x.Store.RecountStatistics(ctx, nil)
					return err
				}, nil
			}},
		{method: "RaiseEpoch", want: workqueue.AuditEntry{Action: "db.restored", TargetKind: "database", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				return func(ctx context.Context) error {
					_, err := x.Store.RaiseEpoch(ctx, "restored")
					return err
				}, nil
			}},
	}
}

func auditedRobots() []audited {
	robot := func(method, action string, prepare func(x *fixture) (func(context.Context) error, []int64)) audited {
		return audited{method: method, refused: method != "RobotChange" && method != "ChangeCheckout", prepare: prepare,
			want: workqueue.AuditEntry{Actor: "rob", Via: workqueue.ViaRobot, Action: action, TargetKind: "item", Changed: 1}}
	}
	return []audited{
		robot("RobotChange", "items.update", func(x *fixture) (func(context.Context) error, []int64) {
			x.robots(nil)
			id := x.enqueueForms(form(1))[0]
			return func(ctx context.Context) error {
				return x.Store.RobotChange(ctx, "rob", id, workqueue.RobotChange{Priority: new(3)})
			}, []int64{id}
		}),
		robot("ChangeCheckout", "items.update", func(x *fixture) (func(context.Context) error, []int64) {
			it := x.enqueueForms(form(901))[0]
			c := x.takeAs(workqueue.CheckoutParams{Robot: "rob", Queue: forms, Lease: leaseTime})
			hold := holdOf("rob", c, c.Items[0])
			return func(ctx context.Context) error {
				return x.Store.ChangeCheckout(ctx, hold, workqueue.RobotChange{Priority: new(4)})
			}, []int64{it}
		}),
		robot("RobotDelete", "items.delete", func(x *fixture) (func(context.Context) error, []int64) {
			id := x.enqueueForms(keyed("gone"))[0]
			return func(ctx context.Context) error {
				_, err := x.Store.RobotDelete(ctx, "rob", forms, "gone", "")
				return err
			}, []int64{id}
		}),
		answeredAgain(robot("DeleteCheckout", "items.delete", func(x *fixture) (func(context.Context) error, []int64) {
			it := x.enqueueForms(form(900))[0]
			c := x.takeAs(workqueue.CheckoutParams{Robot: "rob", Queue: forms, Lease: leaseTime})
			hold := holdOf("rob", c, c.Items[0])
			return func(ctx context.Context) error { return x.Store.DeleteCheckout(ctx, hold, "") }, []int64{it}
		})),
		{method: "ReleaseFromRobot", refused: true, want: workqueue.AuditEntry{Action: "items.release", TargetKind: "item", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				id := x.enqueueForms(form(902))[0]
				x.takeAs(workqueue.CheckoutParams{Robot: "rob", Queue: forms, Lease: leaseTime})
				return func(ctx context.Context) error { return x.Store.ReleaseFromRobot(ctx, id, "") }, []int64{id}
			}},
	}
}

func auditMethods(x *fixture) {
	for _, c := range auditedMethods() {
		what := fmt.Sprintf("%s (%s)", c.method, c.want.Action)
		call, items := c.prepare(x)
		before := x.lastAudit()
		if err := call(x.asAuditor()); err != nil {
			x.Fatalf("%s: %v", what, err)
		}
		e := x.oneAudit(before)
		if len(items) == 1 {
			c.want.Target = fmt.Sprint(items[0])
		}
		if c.method == "ReviseTaskItems" || c.want.Via == workqueue.ViaRobot {
			c.want.Target = e.Target // of one item
		}
		x.wantEntry(what, e, c.want)
		if c.method != "RunTask" && fmt.Sprint(x.auditIDs(e.ID)) != fmt.Sprint(append([]int64{}, items...)) {
			x.Errorf("%s: the entry has the items %v, want %v", what, x.auditIDs(e.ID), items)
		}
		if !c.idle && !c.refused {
			continue
		}
		if err := call(x.asAuditor()); (err != nil) != c.refused {
			x.Errorf("%s, again: error %v", what, err)
		}
		if more := x.auditSince(e.ID); len(more) != 0 {
			x.Errorf("%s, again, changed nothing, but wrote %s", what, asJSON(more))
		}
	}
}

// answeredAgain is a method whose repeated call gets the first result, and changes nothing.
func answeredAgain(c audited) audited {
	c.refused, c.idle = false, true
	return c
}

// wantEntry checks an entry of the auditor, or of another actor that want names.
func (x *fixture) wantEntry(what string, got, want workqueue.AuditEntry) {
	x.Helper()
	if want.Actor == "" {
		want.Actor, want.Via = auditor.Name, auditor.Via
	}
	want.Host = auditor.Host
	if want.Reason == "" {
		want.Reason = auditor.Reason
	}
	x.wantClean(what+": At", &got.At)
	got.ID, got.At, got.Before, got.After, got.Operation = 0, time.Time{}, "", "", nil
	if asJSON(got) != asJSON(want) {
		x.Errorf("%s wrote\n     %s\nwant %s", what, asJSON(got), asJSON(want))
	}
}

func auditedNotifications() []audited {
	change := func(method, action, target string, idle bool, call func(*fixture, context.Context) error) audited {
		return audited{method: method, idle: idle, want: workqueue.AuditEntry{Action: action, TargetKind: "notification", Target: target, Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				return func(ctx context.Context) error { return call(x, ctx) }, nil
			}}
	}
	return []audited{
		change("MuteAlerts", "notifications.mute", "night queue=a", false, func(x *fixture, ctx context.Context) error {
			return x.Store.MuteAlerts(ctx, workqueue.Mute{Rule: "night", Group: "queue=a"}, time.Hour)
		}),
		change("UnmuteAlerts", "notifications.unmute", "night queue=a", true, func(x *fixture, ctx context.Context) error {
			_, err := x.Store.UnmuteAlerts(ctx, "night", "queue=a", "")
			return err
		}),
		change("RecordTest", "notifications.test", "ops", false, func(x *fixture, ctx context.Context) error { return x.Store.RecordTest(ctx, "ops") }),
	}
}

// notAudited lists the other methods by the reason why they write no entry.
var notAudited = map[string][]string{
	"it reads": {
		"Item", "Items", "CountItems", "Attempts", "Steps", "Queues", "Queue", "DeletedQueues", "Tasks", "TaskFirings", "TaskScopesBusy", "WaitingTaskItems", "Statistics",
		"Learned", "Durations", "Texts", "PeekItems", "RobotItem", "Workers", "Lost", "AbandonedBand", "Ready", "Waits", "RowHolders", "OpenSessions", "Marks", "Listen", "LastFiring",
		"Firings", "CountFirings", "Runs", "CountRuns", "RunsElsewhere", "Controls", "RunRequests", "ReadUnlocked", "EachBatchRecord", "Installation", "AuditEntries", "AuditItems", "Failures", "Series",
		"TokenByHash", "Tokens", "User", "UserBySubject", "Users", "SessionsByHash", "Sessions", "AlertState", "Happenings", "EscalationFigures", "WouldEscalate", "EscalationStates", "ForecastOutcomes",
	},
	"the new item names who enqueued it": {"Enqueue", "EnqueueBatch", "RobotEnqueue", "FireTasks", "NotifyTaskFailures"},
	"items and attempts are the record of runs": {
		"Assign", "ClaimPass", "Claim", "Begin", "Join", "Beat", "Progress", "SaveSteps", "DropSteps", "Finish", "ReleaseAssigned", "Checkout", "ExtendCheckout", "RobotProgress",
		"FinishCheckout", "ReleaseCheckout", "PostponeCheckout",
	},
	"the session that follows is audited":     {"UseLink"},
	"it records the last use":                 {"UsedTokens", "UsedSession"},
	"the answer to a request is not a change": {"BeginAnswer", "KeepAnswer", "DropAnswer"},
	"the messages are the record":             {"CommitAlerts", "RaiseEvents"},
	"a process records itself":                {"RegisterWorker", "StopWorker", "KeepTexts", "Learn"},
	"firings and runs are the record":         {"ClaimFiring", "SkipFiring", "RecordFirings", "StartRun", "FinishRun", "StartRequested", "SettleTask"},
	"the policies of retention require it":    {"RemoveRetained", "RemoveCompleted", "RemoveArchived", "TrimArchives", "RemoveDeleted", "FreeTimedKeys", "RemoveSteps", "RemoveFirings", "RemoveRuns", "RemoveWorkers", "RemoveDurations", "RemoveTexts", "RemoveForecasts", "RemoveBatches", "RemoveAudit", "CleanAccess"},
	"a forecast changes nothing":              {"RecordForecasts"},
	"it records when a rule was applied":      {"EscalationTurn"},
	"it sums up figures and changes no value": {"CompactStatistics", "FoldSeries", "SampleGauges"},
}

// auditDecided checks that each method of the contracts is in one of the lists.
func auditDecided(x *fixture) {
	decided := map[string]string{}
	for reason, methods := range notAudited {
		for _, m := range methods {
			decided[m] = reason
		}
	}
	for _, c := range auditedMethods() {
		if reason, twice := decided[c.method]; twice && reason != "audited" {
			x.Errorf("%s is audited, but not because %s", c.method, reason)
		}
		decided[c.method] = "audited"
	}
	contract := reflect.TypeFor[Store]()
	for method := range contract.Methods() {
		name := method.Name
		if decided[name] == "" {
			x.Errorf("is %s in the audit log? Add it to auditedMethods or to notAudited", name)
		}
		delete(decided, name)
	}
	for name := range decided {
		x.Errorf("no contract has the method %s", name)
	}
}
