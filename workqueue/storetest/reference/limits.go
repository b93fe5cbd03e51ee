package reference

import (
	"slices"
	"time"

	"botwork/workqueue"
)

// Start is an item of a queue that limits starts, from its assignment on. Fence is
// the item's fence before it starts; At is nil until its start is known.
type Start struct {
	ItemID, Fence int64
	Key           string
	At            *time.Time
}

// LimitUses updates the log of starts and returns the use of the queue's limits. The
// items that Write assigns from then on, in this pass, are logged.
func (m *Model) LimitUses() []workqueue.LimitUse {
	if m.Limits == (workqueue.QueueLimits{}) {
		return []workqueue.LimitUse{}
	}
	u := workqueue.LimitUse{Queue: workqueue.DefaultQueue, Limits: m.Limits, Keys: map[string]workqueue.Use{}}
	count := func(key string, n, ofKey workqueue.Use) {
		u.Use.Held, u.Use.Started = u.Use.Held+n.Held, u.Use.Started+n.Started
		if of := u.Keys[key]; key != "" && (m.Limits.KeyConcurrency > 0 || m.Limits.KeyRate.Limit > 0) {
			u.Keys[key] = workqueue.Use{Held: of.Held + ofKey.Held, Started: of.Started + ofKey.Started}
		}
	}
	if m.Limits.Concurrency > 0 || m.Limits.KeyConcurrency > 0 {
		for _, it := range m.Items {
			if it.State == workqueue.Assigned || it.State == workqueue.Blocked {
				count(limitKey(it), workqueue.Use{Held: 1}, workqueue.Use{Held: 1})
			}
		}
	}
	if m.logging = m.Limits.Rate.Limit > 0 || m.Limits.KeyRate.Limit > 0; m.logging {
		m.settleStarts()
		longest := max(m.Limits.Rate.Per, m.Limits.KeyRate.Per)
		// A start that no limit counts is removed permanently, also for a limit that is set later.
		m.Starts = slices.DeleteFunc(m.Starts, func(s Start) bool { return !s.within(m.Now(), longest) })
		for _, s := range m.Starts {
			s.At = m.startOf(s)
			count(s.Key, workqueue.Use{Started: s.counts(m.Now(), m.Limits.Rate)}, workqueue.Use{Started: s.counts(m.Now(), m.Limits.KeyRate)})
		}
	}
	return []workqueue.LimitUse{u}
}

// within reports whether a start is less than a period ago, or has not happened yet.
func (s Start) within(now time.Time, period workqueue.Duration) bool {
	return s.At == nil || s.At.After(now.Add(-time.Duration(period)))
}

func (s Start) counts(now time.Time, rate workqueue.Rate) int {
	if s.within(now, rate.Per) {
		return 1
	}
	return 0
}

// unrecorded reports whether a start is that of a current claim whose begin is not
// recorded yet: it may still move.
func (m *Model) unrecorded(s Start) bool {
	it := m.Items[s.ItemID]
	return s.At == nil && it != nil && it.State == workqueue.Blocked && follows(it.Fence, s.Fence) && !m.HasStarted(it)
}

// startOf returns the time that counts as a start; nil: it has not happened yet.
func (m *Model) startOf(s Start) *time.Time {
	if m.unrecorded(s) {
		return m.Items[s.ItemID].StartedAt
	}
	return s.At
}

// released reports whether an assigned item was released before it began.
func (m *Model) released(s Start) bool {
	it := m.Items[s.ItemID]
	if s.At != nil || it == nil {
		return false
	}
	assigned := it.Fence == s.Fence && it.State != workqueue.Assigned
	earlier, recorded := m.StartFences[it.ID]
	claimed := follows(it.Fence, s.Fence) && it.State != workqueue.Blocked && it.StartedAt == nil && (!recorded || earlier > 0)
	return assigned || claimed
}

// settleStarts removes items that were released unstarted, sets the time of items
// that have started, or now if that time is no longer known, and then logs the
// assigned items.
func (m *Model) settleStarts() {
	m.Starts = slices.DeleteFunc(m.Starts, m.released)
	for i := range m.Starts {
		s := &m.Starts[i]
		it := m.Items[s.ItemID]
		switch {
		case s.At != nil || it != nil && it.Fence == s.Fence || m.unrecorded(*s):
		case it != nil && it.StartedAt != nil:
			s.At = new(*it.StartedAt)
		default:
			s.At = m.in(0)
		}
	}
	m.logAssigned()
}

func (m *Model) logAssigned() {
	for _, id := range m.IDs() {
		it := m.Items[id]
		logged := slices.ContainsFunc(m.Starts, func(s Start) bool { return s.At == nil && s.ItemID == id && s.Fence == it.Fence })
		if it.State == workqueue.Assigned && !logged {
			m.Starts = append(m.Starts, Start{ItemID: id, Fence: it.Fence, Key: limitKey(it)})
		}
	}
}

func limitKey(it *workqueue.Item) string {
	if it.LimitKey == nil {
		return ""
	}
	return *it.LimitKey
}

// DueExcluding is Due without the items of full.
func (m *Model) DueExcluding(band workqueue.Band, full workqueue.Full, limit int) []workqueue.DueItem {
	left := slices.DeleteFunc(m.Due(band, len(m.Items)), func(d workqueue.DueItem) bool {
		return slices.Contains(full.Queues, workqueue.DefaultQueue) ||
			slices.Contains(full.Keys, workqueue.LimitKey{Queue: workqueue.DefaultQueue, Key: limitKey(m.Items[d.ID])})
	})
	return left[:min(limit, len(left))]
}
