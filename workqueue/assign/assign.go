package assign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
	"botwork/workqueue/matching"
)

// Availability selects the workers that an assignment pass assigns items to.
type Availability string

// The availabilities.
const (
	// AvailableWorkers have a free slot or, if the mode is least-loaded and FreeSlots is not set,
	// room for more work within the horizon.
	AvailableWorkers Availability = "available"

	// IdleWorkers hold no item at all, neither assigned nor running, of any priority: the
	// rule of the task engine that Botwork replaces.
	IdleWorkers Availability = "idle"
)

// AssignParams configure an assignment pass. The zero value of a field means its default.
type AssignParams struct {
	// Band is the range of priorities that the pass assigns.
	Band workqueue.Band

	// SeenWithin bounds how long ago a worker was last seen; default 15 min.
	SeenWithin time.Duration

	// AssignedFor is how long an item may stay assigned without being started before it is
	// assigned to another worker; default 15 min.
	AssignedFor time.Duration

	// Workers selects the workers; default AvailableWorkers.
	Workers Availability

	// Horizon is how much estimated work a slot gets in advance, so that a worker that joins
	// later still finds work; default 5 min.
	Horizon time.Duration

	// FreeSlots assigns items to free slots only and none in advance, in every mode: the first
	// slot that becomes free gets the most urgent item.
	FreeSlots bool

	// MaxPerWorker bounds the items that a worker holds; default 2,000.
	MaxPerWorker int

	// DefaultEstimate is used for unknown durations; default 10 s.
	DefaultEstimate time.Duration

	// Profiles returns what pipelines declare about their items.
	Profiles workqueue.Profiles

	// Learned estimates durations from earlier runs; may be nil.
	Learned *learned.Estimates

	// Distribution is how items are assigned if neither their pipeline nor their queue says it.
	// Its empty fields are those of matching.DefaultDistribution.
	Distribution matching.Distribution

	// Claim makes the pass also claim the items that it assigns to its own worker; nil
	// leaves that to LeaseStore.Claim. Items of queues with limits are not claimed.
	Claim *workqueue.PassClaim

	// NewRule creates the rule of a scoring; nil supports only the default score.
	NewRule func(matching.Scoring) (matching.Rule, error)

	// applied: the pass has applied the policies of queues to items inserted by hand.
	applied bool

	// Brief skips the search for abandoned and expired items, since another pass made it a few
	// seconds ago.
	Brief bool
}

// WithDefaults returns the parameters with defaults for zero values.
func (p AssignParams) WithDefaults() AssignParams {
	if p.Band == (workqueue.Band{}) {
		p.Band = workqueue.EveryPriority
	}
	p.SeenWithin = cmp.Or(p.SeenWithin, 15*time.Minute)
	p.AssignedFor = cmp.Or(p.AssignedFor, 15*time.Minute)
	p.Workers = cmp.Or(p.Workers, AvailableWorkers)
	p.Horizon = cmp.Or(p.Horizon, 5*time.Minute)
	p.MaxPerWorker = cmp.Or(p.MaxPerWorker, 2_000)
	p.DefaultEstimate = cmp.Or(p.DefaultEstimate, 10*time.Second)
	return p
}

// Validate checks all fields that are set, and joins the errors.
func (p AssignParams) Validate() error {
	var errs []error
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"workerSeenWithin", int64(p.SeenWithin)},
		{"assignedFor", int64(p.AssignedFor)},
		{"horizon", int64(p.Horizon)},
		{"maxPerWorker", int64(p.MaxPerWorker)},
		{"defaultEstimate", int64(p.DefaultEstimate)},
	} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s: want more than 0", f.name))
		}
	}
	if p.Workers != "" && p.Workers != IdleWorkers && p.Workers != AvailableWorkers {
		errs = append(errs, fmt.Errorf("workers %q: want available or idle", p.Workers))
	}
	if p.Band.Empty() {
		errs = append(errs, fmt.Errorf("no priority lies between %d and %d", p.Band.Min, p.Band.Max))
	}
	if err := p.Distribution.Validate(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// newRule creates a scoring's rule.
func (p AssignParams) newRule(s matching.Scoring) (matching.Rule, error) {
	if p.NewRule != nil {
		return p.NewRule(s)
	}
	if s.Kind() != matching.DefaultRule {
		return nil, fmt.Errorf("the scoring rule %s is not to be had here", s.Kind())
	}
	return defaultRule{}, nil
}

// defaultRule scores by matching.Score.
type defaultRule struct{}

// Scores implements matching.Rule.
func (defaultRule) Scores(_ context.Context, job matching.Job, workers []matching.Labels) ([]float64, error) {
	scores := make([]float64, len(workers))
	for i, labels := range workers {
		scores[i] = matching.Score(job.Labels, job.Selectors, labels)
	}
	return scores, nil
}

// bound limits how much the pass assigns to a worker to what is claimed at once.
func (p AssignParams) bound(held int) AssignParams {
	if p.Claim != nil && p.Claim.Ahead {
		p.MaxPerWorker = min(p.MaxPerWorker, held+p.Claim.Max)
	}
	return p
}
