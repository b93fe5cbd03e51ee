package reference

import (
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// Enqueue creates items with the ids that the database assigned.
func (m *Model) Enqueue(ids []int64, n workqueue.NewItem) {
	for _, id := range ids {
		it := &workqueue.Item{
			ID: id, QueueName: workqueue.DefaultQueue, State: n.State, Priority: n.Priority, IntegrationConfig: n.IntegrationConfig,
			ResilienceConfig: n.OwnPolicy(), AvailableAt: m.Now().Add(n.In), CreatedAt: m.Now(), CreatedBy: text(n.CreatedBy),
			LimitKey: text(n.LimitKey),
		}
		startBy, startIn := n.Ends()
		if !startBy.IsZero() {
			it.DeadlineAt = new(startBy)
		}
		if end := m.Now().Add(startIn); startIn > 0 && (it.DeadlineAt == nil || end.Before(*it.DeadlineAt)) {
			it.DeadlineAt = new(end)
		}
		switch {
		case !n.FinishBy.IsZero():
			it.FinishBy = new(n.FinishBy)
		case n.FinishIn > 0:
			it.FinishBy = new(m.Now().Add(n.FinishIn))
		}
		if len(n.Selectors) > 0 {
			it.Selectors = workqueue.JSONText(matching.SelectorsJSON(n.Selectors))
		}
		if n.Estimate > 0 {
			it.EstimatedDurationMs = new(n.Estimate.Milliseconds())
		}
		m.Items[id] = it
	}
}

// may returns an item for a user's change, or an error if its state forbids the change.
func (m *Model) may(id int64, verb string, allowed ...workqueue.State) (*workqueue.Item, error) {
	it := m.Items[id]
	if it == nil {
		return nil, workqueue.ErrNotFound
	}
	for _, s := range allowed {
		if it.State == s && it.DeletedAt == nil {
			return it, nil
		}
	}
	return nil, &workqueue.TransitionError{ItemID: id, Verb: verb, State: it.State}
}

// Cancel cancels an item that waits, is assigned or runs. The item keeps its worker.
func (m *Model) Cancel(id int64, reason string) error {
	it, err := m.may(id, "cancel", workqueue.Ready, workqueue.Pending, workqueue.Assigned, workqueue.Blocked)
	if err != nil {
		return err
	}
	if it.State == workqueue.Blocked {
		tail := "item cancelled\n"
		if it.LogTail != nil {
			tail = *it.LogTail + tail
		}
		it.LogTail = &tail
		m.addAttempt(it, it.WorkerID, workqueue.Attempt{
			Attempt: it.Attempt(), Outcome: "failed", Error: text(reason), ErrorKind: new(workqueue.KindCancelled),
		})
	}
	it.State, it.Error, it.ErrorKind = workqueue.Cancelled, text(reason), new(workqueue.KindCancelled)
	it.FinishedAt, it.LeaseExpiresAt, it.RetainUntil = m.in(0), nil, nil
	return nil
}

// Repeat starts a finished item, including a deleted one, again from zero, except for
// its fence.
func (m *Model) Repeat(id int64) error {
	it := m.Items[id]
	if it == nil {
		return workqueue.ErrNotFound
	}
	if it.State != workqueue.Processed && it.State != workqueue.Cancelled {
		return &workqueue.TransitionError{ItemID: id, Verb: "repeat", State: it.State}
	}
	it.DeletedAt, it.DeletedReason = nil, nil
	it.State, it.AvailableAt, it.RetryCount, it.ReleaseCount, it.WorkerID = workqueue.Ready, m.Now(), 0, 0, nil
	it.LeaseExpiresAt, it.AssignedAt, it.StartedAt, it.FinishedAt, it.FirstStartedAt = nil, nil, nil, nil, nil
	it.Output, it.Progress, it.Step, it.LogTail, it.PipelineHash, it.Error, it.ErrorKind = "", nil, nil, nil, nil, nil, nil
	it.ProgressPercent, it.Analytics, it.StepTimes, it.RetainUntil = nil, "", "", nil
	it.RunOrder, it.AssignedEstimateMs, it.Channel = 0, nil, nil
	m.recordStart(it, 0)
	it.DeadlineAt, it.FinishBy, it.ExpiresAt = m.unlessOver(it.DeadlineAt), m.unlessOver(it.FinishBy), m.unlessOver(it.ExpiresAt)
	if it.DeadlineAt == nil {
		it.DeadlineAt = it.FinishBy
	}
	return nil
}

// Delete removes any item except a running one, with its attempts.
func (m *Model) Delete(id int64) error {
	_, err := m.may(id, "delete", workqueue.Ready, workqueue.Pending, workqueue.Assigned, workqueue.Processed, workqueue.Cancelled)
	if err == nil {
		delete(m.Items, id)
		delete(m.Attempts, id)
	}
	return err
}
