package workqueue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"botwork/workqueue/matching"
)

// Availability is which workers an assignment pass gives items to.
type Availability string

// The availabilities.
const (
	// IdleWorkers hold no item of the pass's band or above. Lower items that
	// a worker holds never make it unavailable to urgent ones.
	IdleWorkers Availability = "idle"

	// AvailableWorkers have room for more work within the horizon.
	AvailableWorkers Availability = "available"
)

// AssignParams say what an assignment pass does. The zero value of a field
// means its default.
type AssignParams struct {
	// Band is the range of priorities that the pass assigns.
	Band Band

	// SeenWithin bounds how long ago a worker was last seen; default 15 min.
	SeenWithin time.Duration

	// AssignedFor is how long an item may stay assigned without being
	// started before it is given to somebody else; default 15 min.
	AssignedFor time.Duration

	// MaxReleases is how many workers may die with an item before it is
	// cancelled as poison; default 5.
	MaxReleases int

	// Workers picks the workers; default IdleWorkers.
	Workers Availability

	// Horizon is how much estimated work a slot is given in advance, so that
	// a worker that joins later finds some left; default 5 min.
	Horizon time.Duration

	// MaxPerWorker bounds the items that a worker holds; default 10,000.
	MaxPerWorker int

	// DefaultEstimate stands for a duration that nobody knows; default 10 s.
	DefaultEstimate time.Duration

	// Profiles tell what pipelines say of their items.
	Profiles Profiles

	// Distribution is how items are given to workers where neither their
	// pipeline nor their queue says it; what it leaves open is
	// matching.DefaultDistribution.
	Distribution matching.Distribution

	// NewRule makes a rule of a scoring; nil knows none but the default score.
	NewRule func(matching.Scoring) (matching.Rule, error)
}

func (p AssignParams) withDefaults() AssignParams {
	if p.Band == (Band{}) {
		p.Band = EveryPriority
	}
	setDefault(&p.SeenWithin, 15*time.Minute)
	setDefault(&p.AssignedFor, 15*time.Minute)
	setDefault(&p.MaxReleases, 5)
	setDefault(&p.Workers, IdleWorkers)
	setDefault(&p.Horizon, 5*time.Minute)
	setDefault(&p.MaxPerWorker, 10_000)
	setDefault(&p.DefaultEstimate, 10*time.Second)
	p.Distribution = p.Distribution.Or(matching.DefaultDistribution())
	return p
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate checks the fields that are set, all at once.
func (p AssignParams) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"workerSeenWithin", int64(p.SeenWithin)},
		{"assignedFor", int64(p.AssignedFor)},
		{"maxReleases", int64(p.MaxReleases)},
		{"horizon", int64(p.Horizon)},
		{"maxPerWorker", int64(p.MaxPerWorker)},
		{"defaultEstimate", int64(p.DefaultEstimate)},
	} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s: want more than 0", f.name))
		}
	}
	if p.Workers != "" && p.Workers != IdleWorkers && p.Workers != AvailableWorkers {
		errs = append(errs, fmt.Errorf("workers %q: want idle or available", p.Workers))
	}
	if p.Band.Empty() {
		errs = append(errs, fmt.Errorf("no priority lies between %d and %d", p.Band.Min, p.Band.Max))
	}
	if err := p.Distribution.Validate(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// AssignResult is what a pass did.
type AssignResult struct {
	RescueResult

	// Expired counts the items that were cancelled because they had not been
	// started in time.
	Expired int `json:"expired"`

	// Workers counts the workers that could take items when the pass began.
	Workers int `json:"workers"`

	// Assigned counts the items that were given to a worker.
	Assigned int `json:"assigned"`

	// Pace is how soon another pass may find a place for items that waited for
	// nothing but one under a rate; 0 when none did.
	Pace time.Duration `json:"-"`
}

// pageLimit bounds what a pass reads and writes in one statement.
const pageLimit = 5000

// AssignPass frees what nobody will run, cancels what has not been started in
// time, then gives the due items of the band to the live workers, the highest
// priority first, each to the worker with the least summed estimated duration; of
// queues with limits only as many as those allow over the whole cluster. It waits
// for the cluster's assignment lock: when it returns, a pass that began after the
// call has been committed.
func AssignPass(ctx context.Context, store Store, p AssignParams) (AssignResult, error) {
	if err := p.Validate(); err != nil {
		return AssignResult{}, err
	}
	p = p.withDefaults()
	var result AssignResult
	err := store.Assign(ctx, func(ctx context.Context, tx AssignTx) error {
		result = AssignResult{}
		rescued, err := tx.Rescue(ctx, RescueParams{AssignedFor: p.AssignedFor, MaxReleases: p.MaxReleases})
		if err != nil {
			return err
		}
		result.RescueResult = rescued
		if result.Expired, err = tx.Expire(ctx); err != nil {
			return err
		}
		loads, err := tx.WorkerLoads(ctx, p.SeenWithin, p.Band, p.DefaultEstimate)
		if err != nil {
			return err
		}
		pl := newPlanner(loads, p)
		result.Workers = len(pl.open)
		limits := &passLimits{}
		result.Assigned, err = p.assignPages(ctx, tx, pl, limits)
		result.Pace = limits.pace
		return err
	})
	return result, err
}

// assignPages reads, plans and writes page by page: what a page assigned, and
// what it found without a place under the queues' limits, is gone from the next.
func (p AssignParams) assignPages(ctx context.Context, tx AssignTx, pl *planner, limits *passLimits) (int, error) {
	total := 0
	for !pl.done() {
		limit := min(max(pl.room(p.DefaultEstimate), 64), pageLimit)
		left := limits.full() // what this page leaves out
		due, err := limits.due(ctx, tx, p, pl, limit)
		if err != nil || len(due) == 0 {
			return total, err
		}
		assignments := make([]Assignment, 0, len(due))
		for _, item := range due {
			if !limits.allow(item) {
				continue
			}
			a, ok := pl.give(item.ID, p.estimate(item), limits.rated(item))
			if !ok {
				break
			}
			limits.take(item)
			assignments = append(assignments, a)
		}
		written, err := tx.Write(ctx, assignments)
		total += written
		more := written > 0 || limits.full() > left
		if err != nil || !more || len(due) < limit {
			return total, err
		}
	}
	return total, nil
}

func (p AssignParams) estimate(item DueItem) time.Duration {
	if item.Estimate > 0 {
		return item.Estimate
	}
	if d := p.Profiles.Of(item.Pipeline).Estimate; d > 0 {
		return d
	}
	return p.DefaultEstimate
}

// NewBand makes the band of `minPriority`, `abovePriority` and `belowPriority`
// as pipelines write them; nil means no bound. The bounds that are given must
// not name the same end twice.
func NewBand(minimum, above, below *int) (Band, error) {
	b := EveryPriority
	if minimum != nil && above != nil {
		return b, errors.New("minPriority and abovePriority: want one of the two")
	}
	for _, bound := range []*int{minimum, above, below} {
		if bound != nil && !ItemPriorityRange(*bound) {
			return b, fmt.Errorf("priority %d: want %d to %d", *bound, math.MinInt32, math.MaxInt32)
		}
	}
	if minimum != nil {
		b.Min = *minimum
	}
	if above != nil {
		b.Min = *above + 1
	}
	if below != nil {
		b.Max = *below - 1
	}
	if b.Empty() {
		return b, fmt.Errorf("no priority is at least %d and at most %d", b.Min, b.Max)
	}
	if b == (Band{}) {
		return b, errors.New("a band of priority 0 alone cannot be had: lower minPriority or raise belowPriority by 1")
	}
	return b, nil
}
