package workqueue

import (
	"cmp"
	"errors"
	"sync"
	"time"
)

// Run is one run of a claimed item, as the code that runs it sees it. What it
// tells of itself (step, progress, log lines) is recorded every few seconds
// while it goes on, so that whoever rescues the item can say how far it came.
// Methods may be called from several goroutines at once.
type Run struct {
	// Item is the item as it was claimed.
	*Item

	// Queue is the item's queue.
	Queue *Queue

	// QueueResilience is the queue's policy.
	QueueResilience Resilience

	// WaitedFor is how long the run began after its claim.
	WaitedFor time.Duration

	// LimitTo bounds the run from now on; nil: the run has no limit.
	LimitTo func(time.Duration)

	mu        sync.Mutex
	pipeline  Resilience
	hash      string // of the pipeline's text
	first     bool   // its end is written before the slot's next item
	step      string
	progress  string
	percent   *int
	output    JSONText
	analytics JSONText
	tail      logTail
	changed   bool // since what was recorded last

	// tooLarge is why the first output or analytics that exceeded the limit of the
	// queue was not kept; nil: none did.
	tooLarge error
}

// NewRun returns a run of an item that nobody bounds and whose progress goes
// nowhere.
func NewRun(item *Item) *Run { return &Run{Item: item, Queue: &Queue{Name: item.QueueName}} }

// Follow tells the hash of the text of the item's pipeline and its resilience,
// before the run's first step. The policies' timeout counts from here.
func (r *Run) Follow(hash string, pipeline Resilience) {
	r.mu.Lock()
	r.hash, r.pipeline, r.changed = hash, pipeline, true
	r.mu.Unlock()
	if r.LimitTo == nil || r.ResilienceConfig == "" && pipeline.Timeout == 0 && r.QueueResilience.Timeout == 0 {
		return // as it is for most items: the default bounds no run
	}
	if policy, _ := r.Policy(); policy.Timeout > 0 {
		r.LimitTo(time.Duration(policy.Timeout))
	}
}

// WriteFirst has the slot of this run wait until the run's end is in the database,
// before it begins its next item: a crash then repeats this item at most.
func (r *Run) WriteFirst() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first = true
}

// WritesFirst reports whether WriteFirst was called.
func (r *Run) WritesFirst() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}

// Policy is what holds for the item: its own policy before its pipeline's,
// then its queue's, then the default. The error tells that the item's own
// cannot be read; the others hold then.
func (r *Run) Policy() (Resilience, error) {
	r.mu.Lock()
	pipeline := r.pipeline
	r.mu.Unlock()
	own, err := ParseResilience(r.ResilienceConfig)
	return own.Or(pipeline).Or(r.QueueResilience).Or(DefaultResilience()), err
}

// EnterStep tells that a step begins.
func (r *Run) EnterStep(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step, r.changed = stepColumn(name), true
}

// Tell records how far the run has come, in words for people; the latest word
// counts. It is cut to 1,000 signs.
func (r *Run) Tell(progress string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress, r.changed = storable(progress), true
}

// TellPercent records how far the run has come, 0 to 100; what lies outside is
// cut to that.
func (r *Run) TellPercent(percent int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.percent, r.changed = new(min(max(percent, 0), 100)), true
}

// Show records what the run has to show already, as JSON, with the item: the
// run's own output replaces it when the item succeeds. An output that is larger than
// the queue allows is not kept, and the run cannot succeed any more.
func (r *Run) Show(output JSONText) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuseLocked(r.Queue.CheckOutputSize(output)) {
		return
	}
	r.output, r.changed = JSONText(storable(string(output))), true
}

// Analyse records figures about the work, as JSON, for the statistics of the
// queue's owner. They are written when the run ends. Their size is limited as that of
// what Show records.
func (r *Run) Analyse(analytics JSONText) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuseLocked(r.Queue.CheckAnalyticsSize(analytics)) {
		return
	}
	r.analytics = JSONText(storable(string(analytics)))
}

// refuseLocked reports whether data is too large to be kept, and remembers that.
func (r *Run) refuseLocked(err error) bool {
	if r.tooLarge == nil {
		r.tooLarge = err
	}
	return err != nil
}

// analysed is what Analyse recorded last.
func (r *Run) analysed() JSONText {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.analytics
}

// claimedAt is when the claim began, zero when that is not known.
func (r *Run) claimedAt() time.Time {
	if r.StartedAt == nil {
		return time.Time{}
	}
	return *r.StartedAt
}

// retention is how long the item is kept once it has succeeded; nil: until
// somebody cleans up.
func (r *Run) retention() *time.Duration {
	switch {
	case r.RetainMs != nil:
		return new(time.Duration(*r.RetainMs) * time.Millisecond)
	case r.Queue.Retain != nil:
		return new(time.Duration(*r.Queue.Retain))
	default:
		return nil
	}
}

// Write takes a line of the run's log, as zerolog writes it. The last ones are
// kept with the item.
func (r *Run) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail.add(line)
	r.changed = true
	return len(line), nil
}

// ProgressNote returns the progress of the run so far.
func (r *Run) ProgressNote() ProgressNote {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ProgressNote{
		ItemRef: ItemRef{ItemID: r.ID, Fence: r.Fence}, Step: r.step, Progress: r.progress, Percent: r.percent,
		LogTail: r.tail.String(), PipelineHash: r.hash, Output: r.output, Encrypted: r.Encrypted,
	}
}

// NewProgress returns the progress of the run if it has changed since the last call.
func (r *Run) NewProgress() (ProgressNote, bool) {
	r.mu.Lock()
	changed := r.changed
	r.changed = false
	r.mu.Unlock()
	if !changed {
		return ProgressNote{}, false
	}
	return r.ProgressNote(), true
}

// KeepProgress has the next NewProgress return the progress again: it could not be recorded.
func (r *Run) KeepProgress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
}

// CheckResult holds what a run has come to to the limits and schemas of its queue: an output,
// or analytics, that do not fit are a failure of the data, too large ones a permanent one.
func (r *Run) CheckResult(schemas *Schemas, o Outcome) Outcome {
	if o.Verdict != Succeeded {
		return o
	}
	r.mu.Lock()
	tooLarge := r.tooLarge
	r.mu.Unlock()
	if err := cmp.Or(tooLarge, r.Queue.CheckOutputSize(o.Output)); err != nil {
		// Another attempt would put out the same.
		return Outcome{Verdict: Failed, Kind: KindPermanent, Error: err.Error()}
	}
	output := o.Output
	if output == "" {
		output = r.ProgressNote().Output
	}
	if err := errors.Join(schemas.CheckOutput(r.Queue, output), schemas.CheckAnalytics(r.Queue, r.analysed())); err != nil {
		return Outcome{Verdict: Failed, Kind: KindBusiness, Error: err.Error()}
	}
	return o
}
