package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"botwork/workqueue"
	"botwork/workqueue/plan"
	"botwork/workqueue/storetest/reference"
)

// Limits of passes; wait also advances to the instants at which they end.
const (
	assignedFor = 3 * time.Minute
	seenWithin  = 5 * time.Minute
)

// errGiveUp ends a pass that must be rolled back.
var errGiveUp = errors.New("the pass gives up")

// assign runs a pass: rescue, read, write. Some passes are rolled back with all
// their changes.
func (m *machine) assign(t *rapid.T) {
	band, max := band(t), rapid.IntRange(1, 8).Draw(t, "limit")
	rescues, expires, givesUp := !seldom(t, "rescues nothing"), !seldom(t, "expires nothing"), seldom(t, "gives up")
	m.model.MaxReleases = rapid.SampledFrom([]int{2, 3, 1}).Draw(t, "max releases")
	m.Exec(m.test, fmt.Sprintf(`UPDATE "BotQueues" SET "MaxReleases" = %d`, m.model.MaxReleases))
	m.model.RemovesExpired = seldom(t, "removes expired items")
	m.Exec(m.test, fmt.Sprintf(`UPDATE "BotQueues" SET "OnExpiry" = '%s'`, map[bool]workqueue.OnExpiry{true: workqueue.ExpiryRemove, false: workqueue.ExpiryArchive}[m.model.RemovesExpired]))
	var next *reference.Model
	var rescued []int64
	var claimer reference.Process
	var claimed []workqueue.Item
	err := m.Store.Assign(m.ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		next, claimed = m.model.Clone(), nil
		if rescues {
			got, err := tx.Rescue(ctx, assignedFor)
			must(t, err)
			var want workqueue.RescueResult
			want, rescued = next.Rescue(assignedFor)
			same(t, "rescued", got, want)
			same(t, "band of the released items", got.Band, want.Band)
		}
		if expires {
			got, err := tx.Expire(ctx)
			must(t, err)
			same(t, "expired", got, next.Expire())
		}
		loads, err := workerLoads(ctx, tx, seenWithin, band, time.Second)
		must(t, err)
		same(t, "loads", append([]workqueue.WorkerLoad{}, loads...), next.Loads(seenWithin, band, time.Second))
		due, err := tx.DueItems(ctx, band, workqueue.Full{}, max)
		must(t, err)
		same(t, "due items", withoutFurther(due), next.Due(band, max))
		if next.Limits != (workqueue.QueueLimits{}) && !seldom(t, "does not read limits") {
			m.readLimits(ctx, t, tx, next, band, max)
		}
		assigned, err := tx.AssignedItems(ctx, band, max)
		must(t, err)
		same(t, "assigned items", append([]workqueue.DueItem{}, assigned...), next.Assigned(band, max))
		assignments := m.drawAssignments(t, append(due, assigned...), loads)
		got, err := tx.Write(ctx, assignments)
		must(t, err)
		same(t, "assigned items", got, next.Write(assignments))
		if next.Limits == (workqueue.QueueLimits{}) && len(m.processes) > 0 && rapid.Bool().Draw(t, "takes") {
			claimer, claimed = m.take(ctx, t, tx, next, append(due, assigned...))
		}
		left, err := tx.DueItems(ctx, band, workqueue.Full{}, max)
		must(t, err)
		same(t, "due items after the writes", withoutFurther(left), next.Due(band, max))
		if givesUp {
			return errGiveUp
		}
		return nil
	})
	if givesUp {
		if !errors.Is(err, errGiveUp) {
			t.Fatalf("Assign = %v, want the error of the pass", err)
		}
		return
	}
	must(t, err)
	m.history.rescued(t, m.model.MaxReleases, rescued, m.model, next)
	for _, it := range claimed {
		m.history.claimed(t, claimer, it)
	}
	m.model, m.touched = next, rescued
}

// withoutFurther returns the first due items. Each engine decides how many of the other
// items that may be expedited follow them.
func withoutFurther(due []workqueue.DueItem) []workqueue.DueItem {
	return slices.DeleteFunc(append([]workqueue.DueItem{}, due...), func(d workqueue.DueItem) bool { return d.Further })
}

// take lets a process, possibly a previous one, take waiting items, and some that do not wait.
func (m *machine) take(ctx context.Context, t *rapid.T, tx workqueue.AssignTx, next *reference.Model, due []workqueue.DueItem) (reference.Process, []workqueue.Item) {
	p := one(t, "claimer", m.processes)
	list := slices.DeleteFunc(m.drawAssignments(t, due, nil), func(a workqueue.Assignment) bool { return a.From != 0 })
	got, err := tx.AssignAndClaim(ctx, list, workqueue.PassClaim{WorkerID: p.Worker, InstanceID: p.Instance, Lease: leaseTime, Max: len(list)})
	must(t, err)
	same(t, "taken items", asJSON(reference.Plain(got)), asJSON(reference.Plain(next.Take(p, list, leaseTime))))
	return p, got
}

// drawAssignments assigns the due items to workers that may have them, but also
// to others, and items that are not waiting.
func (m *machine) drawAssignments(t *rapid.T, due []workqueue.DueItem, loads []workqueue.WorkerLoad) []workqueue.Assignment {
	var workers, items []int64
	for _, l := range loads {
		workers = append(workers, l.WorkerID)
	}
	if len(workers) == 0 || seldom(t, "to any former worker") {
		for _, p := range m.processes {
			workers = append(workers, p.Worker)
		}
	}
	if len(workers) == 0 {
		return nil
	}
	holder, first := map[int64]int64{}, map[int64]bool{}
	for _, d := range due {
		items = append(items, d.ID)
		first[d.ID] = d.Expedite
		if holder[d.ID] = d.Holder; d.Holder != 0 && seldom(t, "from another worker") {
			holder[d.ID] = one(t, "from", workers)
		}
	}
	if all := m.model.IDs(); len(all) > 0 && seldom(t, "also an item that is not waiting") {
		items = append(items, one(t, "item", all))
	}
	var assignments []workqueue.Assignment
	for _, id := range set(items) {
		if seldom(t, "not assigned") {
			continue
		}
		order := rapid.Int64Range(-2, 2).Draw(t, "run order")
		if first[id] && rapid.Bool().Draw(t, "first") {
			order += plan.ExpeditedBefore - 3
		}
		assignments = append(assignments, workqueue.Assignment{
			ItemID: id, WorkerID: one(t, "worker", workers), From: holder[id], RunOrder: order,
			Estimate: time.Duration(rapid.IntRange(0, 3).Draw(t, "estimate")) * time.Second,
			Channel:  one(t, "channel", []string{"", "voice"}),
		})
	}
	return assignments
}

func band(t *rapid.T) workqueue.Band {
	if rapid.Bool().Draw(t, "every priority") {
		return workqueue.EveryPriority
	}
	return one(t, "band", []workqueue.Band{highBand, mediumBand, lowBand})
}
