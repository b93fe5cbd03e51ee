package simulation

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"botwork/workqueue"
)

// passBase is what a pass has read before it planned.
type passBase struct {
	band  workqueue.Band
	due   []workqueue.DueItem // of the band, that some worker may run
	stuck map[string]bool     // "kind queue" of due items that no worker may run
	free  int                 // slots
	left  map[string]int      // what limits leave of a queue
	clean map[string]bool     // kinds in which no queue has any credit
}

func readBase(ctx context.Context, view workqueue.AssignView, w *shareWorld, q workqueue.PassQuery) *passBase {
	b := &passBase{band: q.Band, stuck: map[string]bool{}, left: map[string]int{}, clean: map[string]bool{"high": true, "medium": true, "low": true}}
	due, err := view.DueItems(ctx, q.Band, workqueue.Full{}, 1_000_000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, it := range due {
		if it.Selectors == "" {
			b.due = append(b.due, it)
		} else {
			b.stuck[kindOf(it.Priority)+" "+it.QueueName] = true
		}
	}
	in, err := view.ReadPass(ctx, workqueue.PassQuery{SeenWithin: q.SeenWithin, Band: q.Band, DefaultEstimate: q.DefaultEstimate})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range in.Loads {
		slots := in.Loads[i].Capacity
		for k := range in.Loads[i].Held {
			slots -= in.Loads[i].Held[k].Count
		}
		b.free += max(slots, 0)
	}
	for scope, credit := range in.PassState.Turns {
		if kind, _, ok := strings.Cut(strings.TrimPrefix(scope, "share "), " "); ok && credit != 0 {
			b.clean[kind] = false
		}
	}
	uses, err := view.LimitUses(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, u := range uses {
		b.left[u.Queue] = max(u.Limits.Concurrency-u.Use.Held, 0)
	}
	return b
}

func kindOf(priority int) string {
	switch {
	case priority > 1000:
		return "high"
	case priority >= 500:
		return "medium"
	}
	return "low"
}

// sharePlan is what a pass has planned of a queue and a kind, of what it could.
type sharePlan struct {
	ready, planned []int // priorities
	left           int   // that could still be planned
}

// judge checks a pass that was written.
func (w *shareWorld) judge(p *shareProcess, planned []workqueue.Assignment) {
	b := p.base
	if b == nil {
		if len(planned) > 0 {
			w.violation("%s assigns items to itself without counting the shares", p.name)
		}
		return
	}
	if slices.ContainsFunc(planned, func(a workqueue.Assignment) bool { return a.From != 0 }) {
		clear(w.epochs) // what is moved keeps its place before the others
		return
	}
	w.assigned += len(planned)
	is := map[int64]bool{}
	for i := range planned {
		is[planned[i].ItemID] = true
	}
	plans, found := map[string]map[string]*sharePlan{"high": {}, "medium": {}, "low": {}}, 0
	for i := range b.due {
		it := &b.due[i]
		of := plans[kindOf(it.Priority)]
		if of[it.QueueName] == nil {
			of[it.QueueName] = &sharePlan{}
		}
		if is[it.ID] {
			found++
			of[it.QueueName].planned = append(of[it.QueueName].planned, it.Priority)
		} else {
			of[it.QueueName].ready = append(of[it.QueueName].ready, it.Priority)
		}
	}
	w.log("%s plans %s for %d slots", p.name, planText(plans), b.free)
	if found != len(planned) {
		w.violation("%s plans items that were not due: %d of %d", p.name, len(planned)-found, len(planned))
		return
	}
	w.checkWork(p, plans, len(planned))
	w.checkOrder(p, plans)
	for _, kind := range []string{"high", "medium", "low"} {
		if len(plans[kind]) > 0 {
			w.checkParts(p, kind, plans[kind])
		}
	}
}

func planText(plans map[string]map[string]*sharePlan) string {
	var list []string
	for _, kind := range []string{"high", "medium", "low"} {
		for _, queue := range slices.Sorted(maps.Keys(plans[kind])) {
			s := plans[kind][queue]
			list = append(list, fmt.Sprintf("%s %s %d of %d", kind, queue, len(s.planned), len(s.planned)+len(s.ready)))
		}
	}
	return strings.Join(list, ", ")
}

// checkWork checks that no slot stays free beside an item that could use it, and that none is
// promised twice: shares are known only when a slot is free.
func (w *shareWorld) checkWork(p *shareProcess, plans map[string]map[string]*sharePlan, planned int) {
	could, of := 0, map[string]int{}
	for _, kind := range plans {
		for queue, s := range kind {
			of[queue] += len(s.planned) + len(s.ready)
		}
	}
	for queue, n := range of {
		if left, ok := p.base.left[queue]; ok {
			n = min(n, left)
		}
		could += n
	}
	for _, kind := range plans {
		for queue, s := range kind {
			s.left = len(s.ready)
			if left, ok := p.base.left[queue]; ok {
				for _, other := range plans {
					if o := other[queue]; o != nil {
						left -= len(o.planned)
					}
				}
				s.left = min(s.left, left)
			}
		}
	}
	if want := min(p.base.free, could); planned > want || planned < want && !p.ahead {
		w.violation("%s plans %d items, want %d: %d slots are free, and %d items could run", p.name, planned, want, p.base.free, could)
	}
}

// checkOrder checks the strict priority: of kinds, of the items of a queue, and of the queues
// without a share.
func (w *shareWorld) checkOrder(p *shareProcess, plans map[string]map[string]*sharePlan) {
	above := "" // a queue of a more urgent kind that has an item left
	for _, kind := range []string{"high", "medium", "low"} {
		left, free, mostShared, mostLeft := "", math.MaxInt, math.MinInt, math.MinInt
		for queue, s := range plans[kind] {
			if len(s.planned) > 0 && above != "" {
				w.violation("%s gives a slot to a %s item of %s, although a more urgent kind of %s waits", p.name, kind, queue, above)
			}
			if s.left <= 0 {
				continue
			}
			left = queue
			most := slices.Max(s.ready)
			if len(s.planned) > 0 && slices.Min(s.planned) < most {
				w.violation("%s plans an item of %s of priority %d before one of %d", p.name, queue, slices.Min(s.planned), most)
			}
			if w.shares[queue] > 0 {
				mostShared = max(mostShared, most)
			} else {
				mostLeft = max(mostLeft, most)
			}
		}
		above = left
		mostReady, leastPlanned := mostShared, math.MaxInt // of all queues with a share
		for queue, s := range plans[kind] {
			switch {
			case len(s.planned) == 0:
			case w.shares[queue] == 0:
				free = min(free, slices.Min(s.planned))
			default:
				mostReady, leastPlanned = max(mostReady, slices.Max(s.planned)), min(leastPlanned, slices.Min(s.planned))
			}
		}
		if free < mostShared {
			w.violation("%s plans an item of priority %d without a share, although one of %d with a share waits", p.name, free, mostShared)
		}
		if mostLeft > mostReady && leastPlanned < mostLeft {
			w.violation("%s plans an item of priority %d with a share, although one of %d without a share waits", p.name, leastPlanned, mostLeft)
		}
	}
}

// shareEpoch is a time in which the same queues of a kind have competed, each of them with items
// for all slots.
type shareEpoch struct {
	clean   bool   // no queue had any credit when it began
	queues  string // that compete
	planned map[string]int
}

// checkParts checks that no queue of a kind is further from its part than the algorithm allows,
// and that a queue without items saves nothing up.
func (w *shareWorld) checkParts(p *shareProcess, kind string, plans map[string]*sharePlan) {
	var queues []string
	total, sum, saturated := 0, 0, true
	for _, queue := range slices.Sorted(maps.Keys(plans)) {
		if w.shares[queue] > 0 {
			queues = append(queues, queue)
			total, sum = total+w.shares[queue], sum+len(plans[queue].planned)
			saturated = saturated && plans[queue].left > 0
		}
	}
	if sum > 0 {
		w.checkForgotten(p, kind, plans)
	}
	e := w.epochs[kind]
	if e == nil || e.queues != strings.Join(queues, " ") || !saturated && sum > 0 {
		e = &shareEpoch{clean: p.base.clean[kind], queues: strings.Join(queues, " "), planned: map[string]int{}}
		w.epochs[kind] = e
		if !saturated && sum > 0 {
			delete(w.epochs, kind) // the next pass begins one
			return
		}
	}
	all := 0
	for _, queue := range queues {
		e.planned[queue] += len(plans[queue].planned)
		all += e.planned[queue]
	}
	w.exact += sum
	bound := 2.0 // it may have been almost one item behind, and be almost one item ahead now
	if e.clean {
		bound = 1
	}
	for _, queue := range queues {
		part := float64(all) * float64(w.shares[queue]) / float64(total)
		if math.Abs(float64(e.planned[queue])-part) >= bound {
			w.violation("of %d %s items %d are of %s, want %.2f: the queues %s had items all the time", all, kind, e.planned[queue], queue, part, e.queues)
		}
	}
}

// checkForgotten checks the credits that the pass has left.
func (w *shareWorld) checkForgotten(p *shareProcess, kind string, plans map[string]*sharePlan) {
	for queue, share := range w.shares {
		if share == 0 || plans[queue] != nil || p.base.stuck[kind+" "+queue] {
			continue
		}
		var credit int64
		err := w.eyes.QueryRow("SELECT COALESCE((SELECT Value FROM BotAssignmentMarks WHERE Name = ?), 0)", "turn share "+kind+" "+queue).Scan(&credit)
		if err != nil {
			w.t.Fatal(err)
		}
		if credit != 0 {
			w.violation("the queue %s has no %s items, and keeps a credit of %d", queue, kind, credit)
		}
	}
}
