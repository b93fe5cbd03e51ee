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
	// AvailableWorkers have a free slot or, where the mode is least-loaded and FreeSlots
	// is not set, room for more work within the horizon.
	AvailableWorkers Availability = "available"

	// IdleWorkers hold no item at all of the item's kind (high, medium, low) or above.
	// Lower items that a worker holds never make it unavailable to urgent ones.
	IdleWorkers Availability = "idle"
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

	// Workers picks the workers; default AvailableWorkers.
	Workers Availability

	// Horizon is how much estimated work a slot is given in advance, so that
	// a worker that joins later finds some left; default 5 min.
	Horizon time.Duration

	// FreeSlots has items go to free slots only, and none be given in advance, in every
	// mode: whichever slot comes free first gets the most urgent item.
	FreeSlots bool

	// MaxPerWorker bounds the items that a worker holds; default 2,000.
	MaxPerWorker int

	// DefaultEstimate stands for a duration that nobody knows; default 10 s.
	DefaultEstimate time.Duration

	// Profiles tell what pipelines say of their items.
	Profiles Profiles

	// Learned tells what their runs took before; nil knows nothing.
	Learned *Learned

	// Distribution is how items are given to workers where neither their
	// pipeline nor their queue says it; what it leaves open is
	// matching.DefaultDistribution.
	Distribution matching.Distribution

	// Take has the worker whose pass it is claim at once what it is given; nil
	// leaves that to Claim. Items whose queues have limits are not taken.
	Take *Taking

	// NewRule makes a rule of a scoring; nil knows none but the default score.
	NewRule func(matching.Scoring) (matching.Rule, error)

	// unbounded gives out more than slots take, in every mode: see plan.Options.
	unbounded bool

	// Brief leaves out the look for what is to be freed: somebody has looked a few
	// seconds ago.
	Brief bool
}

// WithDefaults returns the parameters with the defaults in place of zero values.
func (p AssignParams) WithDefaults() AssignParams {
	if p.Band == (Band{}) {
		p.Band = EveryPriority
	}
	setDefault(&p.SeenWithin, 15*time.Minute)
	setDefault(&p.AssignedFor, 15*time.Minute)
	setDefault(&p.Workers, AvailableWorkers)
	setDefault(&p.Horizon, 5*time.Minute)
	setDefault(&p.MaxPerWorker, 2_000)
	setDefault(&p.DefaultEstimate, 10*time.Second)
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

// newRule makes a scoring's rule.
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
