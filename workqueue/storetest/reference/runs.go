package reference

import (
	"cmp"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/plan"
)

// Claim returns the assigned items of an active worker, the most urgent first, without
// items of full channels. After the items that begin at once, it stops when the claimed
// items have too much work or too many bytes. Each claim has a fence that the item
// never had.
func (m *Model) Claim(p workqueue.ClaimParams) []workqueue.Item {
	by := Process{Worker: p.WorkerID, Instance: p.InstanceID}
	var candidates []int64
	for id, it := range m.Items {
		if m.IsCurrent(by) && m.Workers[by.Worker].State == workqueue.WorkerActive &&
			it.State == workqueue.Assigned && m.HeldBy(it, by.Worker) && p.Band.Contains(it.Priority) && m.Startable(it) &&
			!slices.Contains(p.FullChannels, textOf(it.Channel)) {
			candidates = append(candidates, id)
		}
	}
	m.inClaimOrder(candidates)
	var claimed []int64
	var work time.Duration
	var bytes int64
	for _, id := range candidates[:min(p.Max, len(candidates))] {
		if len(claimed) >= p.Begin && (p.Work > 0 && work > p.Work || p.Bytes > 0 && bytes > p.Bytes) {
			break
		}
		it := m.Items[id]
		claimed = append(claimed, id)
		if it.AssignedEstimateMs != nil {
			work += time.Duration(*it.AssignedEstimateMs) * time.Millisecond
		}
		bytes += int64(len(it.Payload) + len(it.IntegrationConfig))
	}
	return m.claim(claimed, p.Lease)
}

func (m *Model) inClaimOrder(ids []int64) {
	slices.SortFunc(ids, func(x, y int64) int {
		return compareStarts(m.Items[x], m.Items[y])
	})
}

// compareStarts puts the expedited items first, regardless of their priority.
func compareStarts(a, b *workqueue.Item) int {
	turn := func(it *workqueue.Item) int {
		if it.RunOrder < plan.ExpeditedBefore {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(turn(a), turn(b)), cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.RunOrder, b.RunOrder), cmp.Compare(a.ID, b.ID))
}

// claim leases assigned items to their worker.
func (m *Model) claim(ids []int64, lease time.Duration) []workqueue.Item {
	m.inClaimOrder(ids)
	claimed := []workqueue.Item{}
	for _, id := range ids {
		it := m.Items[id]
		it.State, it.Fence, it.LeaseExpiresAt, it.StartedAt = workqueue.Blocked, m.nextFence(it.Fence), m.in(lease), m.in(0)
		it.Step, it.Progress, it.LogTail, it.StepTimes, it.ProgressPercent, it.PipelineHash = nil, nil, nil, "", nil, nil
		if it.FirstStartedAt == nil {
			it.FirstStartedAt = it.StartedAt
		}
		copied := *it
		copied.Lifecycle = m.Lifecycle(it)
		claimed = append(claimed, copied)
	}
	return claimed
}

// Begin returns the items whose run must not begin. A run that has begun may begin
// again while the process has the claim.
func (m *Model) Begin(p Process, refs []workqueue.ItemRef) (refused []int64) {
	for _, ref := range refs {
		it := m.Items[ref.ItemID]
		switch {
		case !m.Holds(p, ref) || m.Held[ref.ItemID]:
			refused = append(refused, ref.ItemID)
		case m.HasStarted(it):
		case m.Over(it.LeaseExpiresAt) || m.Expired(it) || it.DeletedAt != nil || m.Paused:
			refused = append(refused, ref.ItemID)
		default:
			m.startAt(it, m.in(0))
			m.recordStart(it, it.Fence)
		}
	}
	return refused
}

// startAt sets the start of the current attempt, and the item's first start if no
// earlier attempt had one.
func (m *Model) startAt(it *workqueue.Item, at *time.Time) {
	if firstOfClaim(it) {
		it.FirstStartedAt = at
	}
	it.StartedAt = at
}

// firstOfClaim reports whether no earlier attempt has started.
func firstOfClaim(it *workqueue.Item) bool {
	return it.FirstStartedAt == nil || it.StartedAt == nil || !it.FirstStartedAt.Before(*it.StartedAt)
}

// Progress returns the items whose claim the process does not have; "" keeps the
// recorded value.
func (m *Model) Progress(p Process, notes []workqueue.ProgressNote) (lost []int64) {
	for _, n := range notes {
		if !m.Holds(p, n.ItemRef) {
			lost = append(lost, n.ItemID)
			continue
		}
		if m.Held[n.ItemID] {
			continue
		}
		it := m.Items[n.ItemID]
		m.recordStart(it, it.Fence)
		recordProgress(it, n.Step, n.Progress, n.LogTail, n.StepTimes)
		it.ProgressPercent, it.PipelineHash = cmp.Or(n.Percent, it.ProgressPercent), cmp.Or(text(n.PipelineHash), it.PipelineHash)
		it.Output = cmp.Or(n.Output, it.Output)
	}
	return lost
}

// Lost returns the items whose claim the process no longer has.
func (m *Model) Lost(p Process, held []workqueue.ItemRef) (lost []int64) {
	for _, ref := range held {
		if !m.Holds(p, ref) {
			lost = append(lost, ref.ItemID)
		}
	}
	return lost
}

// Finish returns the items whose claim the process does not have. A second end of the
// same claim in one call has no effect.
func (m *Model) Finish(p Process, ends []workqueue.Finish) (lost []int64) {
	written := map[workqueue.ItemRef]bool{}
	for _, f := range ends {
		ref := workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}
		if written[ref] {
			continue
		}
		if !m.Holds(p, ref) {
			lost = append(lost, f.ItemID)
			continue
		}
		written[ref] = true
		m.end(m.Items[f.ItemID], f)
		if f.Retain != nil && *f.Retain <= 0 || f.Delete == workqueue.DeletionPhysical {
			delete(m.Items, f.ItemID)
			delete(m.Attempts, f.ItemID)
		}
	}
	return lost
}

// end applies the end of a run: a finished item keeps its worker; a released one has no
// worker and waits. The attempt is recorded unless it succeeded.
func (m *Model) end(it *workqueue.Item, f workqueue.Finish) {
	worker := it.WorkerID
	if f.Returned() {
		m.startAt(it, nil)
	} else if started := m.in(-f.Took.Round(time.Millisecond)); f.Took > 0 && it.StartedAt != nil && started.After(*it.StartedAt) {
		m.startAt(it, started)
	}
	it.State, it.RetryCount, it.LeaseExpiresAt = f.State, f.RetryCount, nil
	if f.Output != "" || f.State == workqueue.Processed {
		it.Output = f.Output
	}
	it.Error, it.ErrorKind = text(f.Error), (*workqueue.ErrorKind)(text(string(f.ErrorKind)))
	it.FinishedAt = m.in(0)
	recordProgress(it, f.Step, f.Progress, f.LogTail, f.StepTimes)
	it.PipelineHash = cmp.Or(text(f.PipelineHash), it.PipelineHash)
	it.ProgressPercent, it.Analytics, it.RetainUntil = cmp.Or(f.Percent, it.ProgressPercent), cmp.Or(f.Analytics, it.Analytics), nil
	if f.Retain != nil {
		it.RetainUntil = m.in(*f.Retain)
	}
	switch f.State {
	case workqueue.Ready:
		it.WorkerID, it.AssignedAt, it.FinishedAt = nil, nil, nil
		if !f.Released() {
			it.AvailableAt = m.Now().Add(f.Delay)
		}
	case workqueue.Processed:
		it.Step, it.LogTail = nil, text(f.LogTail)
	}
	if a := f.Attempt; a != nil {
		attempt := workqueue.Attempt{Attempt: a.Number, Outcome: a.Outcome, Step: text(a.Step)}
		switch {
		case a.Failed():
			attempt.Error, attempt.ErrorKind = it.Error, it.ErrorKind
		case a.Outcome == "snoozed":
			attempt.Reason = text(a.Reason)
		default:
			attempt.Error = text(a.Reason)
		}
		m.addAttempt(it, worker, attempt)
	}
}

func recordProgress(it *workqueue.Item, step, progress, tail string, times workqueue.JSONText) {
	it.Step = cmp.Or(text(step), it.Step)
	it.Progress = cmp.Or(text(progress), it.Progress)
	it.LogTail = cmp.Or(text(tail), it.LogTail)
	it.StepTimes = cmp.Or(times, it.StepTimes)
}
