package forecast

import (
	"cmp"
	"context"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

// prepared is a variant of the present that is ready to be simulated.
type prepared struct {
	s       *assign.Situation
	sources []source
	until   time.Duration

	laws      []law
	ids       []int64 // for draws
	spreads   []*spread
	spreadIDs []int64
	means     []float64 // of learned spreads, in nanoseconds; 0: the item has it
	policies  []workqueue.Resilience

	origin     []int32 // of each item: the one that it replaces after a rule of escalation has acted, or itself
	activeNow  []bool  // the items that wait, are assigned or run at the beginning
	runningNow []int32 // those that run

	groups []group
	of     [][groupsOf]int32 // the groups of each item
}

// group is a set of items whose end is forecast.
type group struct {
	kind, name string
	now        int // items that are due, assigned or running at the beginning
	items      int // items that exist at the beginning, due or not
}

// The kinds of groups: each item is in one of each.
const (
	groupAll = iota
	groupBand
	groupQueue
	groupPipeline
	groupsOf
)

var groupKinds = [groupsOf]string{"all", "band", "queue", "pipeline"}

// prepare applies a change and adds what arrives until a time.
func (r *Present) prepare(ctx context.Context, c *Change, until time.Duration, withArrivals bool) (*prepared, error) {
	s := r.situation.Clone()
	if err := c.apply(r, s); err != nil {
		return nil, err
	}
	p := &prepared{s: s, until: until}
	paused := func(queue string) bool { return slices.Contains(c.PauseQueues, queue) }
	var coming []arrival
	if withArrivals {
		coming = r.taskItems(s.At.Add(until))
		factor := 1 + c.ArrivalsPercent/100
		total := 0
		for i := range r.streams {
			if one := newSource(&r.streams[i], s.At, until, factor); total+one.pool <= mostArrivals && !paused(one.queue) {
				p.sources = append(p.sources, one)
				total += one.pool
			}
		}
		coming = append(coming, r.arrivals(p.sources, s.At)...)
	}
	comes := make(map[int64]*arrival, len(coming))
	for i := range coming {
		if a := &coming[i]; !paused(a.item.QueueName) {
			s.Add(a.item)
			comes[a.item.ID] = a
		}
	}
	if err := s.Prepare(ctx); err != nil {
		return nil, err
	}
	p.origin = make([]int32, len(s.Items))
	for i := range p.origin {
		p.origin[i] = int32(s.Origin(i)) //nolint:gosec // a situation has fewer items
	}
	r.laws(p, comes)
	p.group()
	return p, ctx.Err()
}

// spreadKey identifies a spread: of a learned duration, or of a kind of estimate.
type spreadKey struct {
	learned learned.Key
	kind    string
}

// laws finds out what is known about each item.
func (r *Present) laws(p *prepared, comes map[int64]*arrival) {
	spreads, policies := map[spreadKey]int32{}, map[policyKey]int32{}
	p.laws, p.ids = make([]law, len(p.s.Items)), make([]int64, len(p.s.Items))
	for i := range p.s.Items {
		it := &p.s.Items[i]
		l := law{source: -1}
		id := p.s.Items[p.origin[i]].ID
		p.ids[i] = id
		if a := comes[id]; a != nil {
			p.ids[i], l.source = a.id, a.source
		}
		l.spread, l.mean = r.durationOf(p, spreads, it, p.s.Expected(i))
		rate := r.failures[it.Pipeline]
		l.fails, l.again = rate.fails, rate.again
		l.policy = r.policyOf(p, policies, it)
		p.laws[i] = l
	}
}

// durationOf returns the spread of an item's duration, and its mean in nanoseconds. An estimate of
// the item itself is its mean; else the most specific learned duration has both.
func (r *Present) durationOf(p *prepared, known map[spreadKey]int32, it *assign.SimItem, expected time.Duration) (int32, float64) {
	profile := r.profiles.For(it.Pipeline)
	add := func(key spreadKey, mean float64, make func() (*spread, time.Duration)) (int32, float64) {
		at, ok := known[key]
		if !ok {
			at = int32(len(p.spreads)) //nolint:gosec // there are no more than learned durations
			known[key] = at
			one, own := make()
			p.spreads, p.means = append(p.spreads, one), append(p.means, float64(own))
			p.spreadIDs = append(p.spreadIDs, hash(key.kind, string(key.learned.Kind), key.learned.Pipeline, key.learned.Name))
		}
		return at, cmp.Or(p.means[at], mean)
	}
	around := func(kind string, relative, doubt float64) (int32, float64) {
		return add(spreadKey{kind: kind}, float64(expected), func() (*spread, time.Duration) { return logNormal(relative, doubt), 0 })
	}
	var most *learned.Duration
	for _, key := range learned.Keys(it.Pipeline, it.TaskName, it.NaturalKey, profile) {
		if d := r.learned[key]; d != nil {
			most = d
		}
	}
	switch {
	case most != nil && (it.Estimate == 0 || it.Holder != 0 && nearly(it.Estimate, most.Mean())):
		return add(spreadKey{learned: most.Key}, 0, func() (*spread, time.Duration) { return spreadOf(most) })
	case most != nil:
		if off, some := most.Error(); some && most.Mean() > 0 {
			relative := max(float64(off)/float64(most.Mean()), 0.02)
			return add(spreadKey{learned: most.Key, kind: "error"}, float64(expected), func() (*spread, time.Duration) { return logNormal(relative, relative/2), 0 })
		}
	}
	switch {
	case it.Estimate > 0:
		return around("declared", declaredError, declaredDoubt)
	case profile.Estimate > 0:
		return around("pipeline", pipelineError, pipelineDoubt)
	}
	return around("default", defaultError, defaultDoubt)
}

// nearly reports whether two durations are equal but for rounding, and for what was learned since
// one of them was written.
func nearly(a, b time.Duration) bool { return (a - b).Abs() <= max(a, b)/4 }

type policyKey struct{ queue, pipeline string }

// policyOf returns the policy of an item's retries: that of its pipeline, then of its queue.
func (r *Present) policyOf(p *prepared, known map[policyKey]int32, it *assign.SimItem) int32 {
	key := policyKey{it.QueueName, it.Pipeline}
	at, ok := known[key]
	if ok {
		return at
	}
	var policy workqueue.Resilience
	if r.resilience != nil {
		policy = r.resilience(it.Pipeline)
	}
	if q := r.queues[it.QueueName]; q != nil {
		if of, err := workqueue.ParseResilience(q.Resilience); err == nil {
			policy = policy.Or(of)
		}
	}
	at = int32(len(p.policies)) //nolint:gosec // there are no more than pipelines and queues
	known[key] = at
	p.policies = append(p.policies, policy.Or(workqueue.DefaultResilience()))
	return at
}

// group sorts the items into groups.
func (p *prepared) group() {
	known := map[[2]string]int32{}
	p.of, p.activeNow = make([][groupsOf]int32, len(p.s.Items)), make([]bool, len(p.s.Items))
	for i := range p.s.Items {
		it := &p.s.Items[i]
		p.activeNow[i] = p.active(i)
		if it.Running {
			p.runningNow = append(p.runningNow, int32(i)) //nolint:gosec // a situation has fewer items
		}
		for kind, name := range [groupsOf]string{"", workqueue.BandOf(it.Priority), it.QueueName, shownPipeline(it.Pipeline)} {
			key := [2]string{groupKinds[kind], name}
			at, ok := known[key]
			if !ok {
				at = int32(len(p.groups)) //nolint:gosec // there are no more than items
				known[key] = at
				p.groups = append(p.groups, group{kind: key[0], name: name})
			}
			p.of[i][kind] = at
			if it.ID < firstTaskID {
				p.groups[at].items++
				if p.activeNow[i] {
					p.groups[at].now++
				}
			}
		}
	}
	if len(p.groups) == 0 {
		p.groups = append(p.groups, group{kind: groupKinds[groupAll]})
	}
}

// holder returns the index of the worker that runs an item; -1 for none.
func (p *prepared) holder(item int32) int32 {
	id := p.s.Items[item].Holder
	return int32(slices.IndexFunc(p.s.Workers, func(w assign.SimWorker) bool { return w.WorkerID == id })) //nolint:gosec // there are fewer workers
}

// active reports whether an item waits, is assigned or runs at the beginning. One that is too late is
// cancelled at once.
func (p *prepared) active(item int) bool {
	it := &p.s.Items[item]
	late := !it.Deadline.IsZero() && it.Deadline.Before(p.s.At)
	return it.Running || p.origin[item] == int32(item) && !late && !it.Drawn && (it.Holder != 0 || !it.Due.After(p.s.At))
}

// shownPipeline returns a pipeline's name for people.
func shownPipeline(text string) string {
	if workqueue.InlinePipeline(text) {
		return "inline"
	}
	return cmp.Or(text, "none")
}
