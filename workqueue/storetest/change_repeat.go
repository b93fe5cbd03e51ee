package storetest

import (
	"botwork/workqueue"
)

// changeRepeatedAsNew fills every column that a run writes. After a repeat, only the
// values that the item was created with remain, and its fence.
func changeRepeatedAsNew(x *fixture) {
	for _, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled} {
		made := x.Item(ItemOpts{})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "State" = %d, "RetryCount" = 2, "ReleaseCount" = 1, "WorkerId" = 7, "Fence" = 9,
			"AssignedAt" = %[2]s, "StartedAt" = %[2]s, "FirstStartedAt" = %[2]s, "FinishedAt" = %[2]s, "RetainUntil" = %[2]s,
			"LeaseExpiresAt" = %[2]s, "LockKey" = 'secret', "Robot" = 'ann', "RunOrder" = 5, "AssignedEstimateMs" = 90000, "Channel" = 'voice',
			"Output" = '1', "Analytics" = '2', "Progress" = 'half', "ProgressPercent" = 50, "Step" = 'load', "LogTail" = 'a line', "StepTimes" = '[]',
			"PipelineHash" = 'abc', "Error" = 'no such host', "ErrorKind" = 'error', "DeadlineAt" = %[2]s, "ExpiresAt" = %[2]s
			WHERE "Id" = %[3]d`, state, longAgo, made.ID)
		if err := Do(x.ctx, x.Store, workqueue.Repeat, made.ID, ""); err != nil {
			x.Fatal(err)
		}
		got, want := x.show(made.ID), made
		want.AvailableAt, want.Fence, want.IdempotencyKey, want.Version = got.AvailableAt, 9, got.IdempotencyKey, made.Version+1
		if asJSON(got) != asJSON(want) {
			x.Errorf("repeat of an item that is %s resulted in\n     %s\nwant %s", state, asJSON(got), asJSON(want))
		}
		x.exec(0, `UPDATE "BotWorkQueueItems" SET "LockKey" = NULL WHERE "Id" = %d AND "LockKey" IS NOT NULL`, made.ID)
	}
}

// changeRepeatedRobot repeats an item that a robot has finished.
func changeRepeatedRobot(x *fixture) {
	x.robots(nil)
	it, h := x.takeOne()
	x.end(h, workqueue.RobotEnd{Kind: workqueue.KindBusiness, Error: "wrong"}, workqueue.RobotEnded{State: workqueue.Cancelled})
	if got := x.show(it.ID); deref(got.Robot) != ann {
		x.Fatalf("the finished item has the robot %s, want %s", deref(got.Robot), ann)
	}
	if err := Do(x.ctx, x.Store, workqueue.Repeat, it.ID, ""); err != nil {
		x.Fatal(err)
	}
	if got := x.show(it.ID); got.Robot != nil {
		x.Errorf("the repeated item has the robot %s, want none: no robot has checked it out since then", *got.Robot)
	}
	x.wantRobotAttempt(it.ID, 1, "failed", "wrong") // the history remains
}
