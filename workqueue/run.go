package workqueue

import (
	"cmp"
	"errors"
	"sync"
	"time"
)

// Run is one run of a claimed item, for the code that runs it. Its step, progress and
// log lines are recorded every few seconds while it runs, so that after a rescue it
// is known how far the run came. Methods may be called from several goroutines at
// once.
type Run struct {
	// Item is the item as it was claimed.
	*Item

	// Queue is the item's queue.
	Queue *Queue

	// QueueResilience is the queue's policy.
	QueueResilience Resilience

	// WaitedFor is the time from the claim to the start of the run.
	WaitedFor time.Duration

	// Batch are the items of a run of several items; nil: it has one. The methods of Run that
	// record something record it for Item, and what a failure keeps for all of them.
	Batch *RunBatch

	// LimitTo sets the time limit of the run, counted from the call; nil: the run has
	// no limit.
	LimitTo func(time.Duration)

	// OnLeaseLost calls stop when the item's lease is lost, or at once if it has been; nil: it is
	// never lost. It is for what goes on after the run's context has ended; see CleanUp.
	OnLeaseLost func(stop func())

	// Steps keeps what the run has done for the next attempt; nil: nothing can be kept.
	Steps StepKeeper

	mu        sync.Mutex
	cleanUp   time.Time // until when the run cleans up after its context has ended
	pipeline  Resilience
	hash      string // of the pipeline's text
	first     bool   // its end is written before the slot starts its next item
	step      string
	progress  string
	percent   *int
	output    JSONText
	analytics JSONText
	tail      logTail
	times     stepTimes
	changed   bool // since the last recorded progress
	hasSteps  bool // steps are recorded for the next attempt

	// tooLarge is why the first output or analytics that exceeded the queue's limit
	// was not kept; nil: none exceeded it.
	tooLarge error
}

// NewRun returns a run of an item without a time limit, whose progress is not
// recorded.
func NewRun(item *Item) *Run { return &Run{Item: item, Queue: &Queue{Name: item.QueueName}} }

// Follow sets the hash of the text of the item's pipeline and its resilience, before
// the run's first step. The timeout of the policies counts from here.
func (r *Run) Follow(hash string, pipeline Resilience) {
	r.mu.Lock()
	r.hash, r.pipeline, r.changed = hash, pipeline, true
	r.mu.Unlock()
	if r.LimitTo == nil || r.ResilienceConfig == "" && pipeline.Timeout == 0 && r.QueueResilience.Timeout == 0 {
		return // the usual case: the default policy has no timeout
	}
	if policy, _ := r.Policy(); policy.Timeout > 0 {
		r.LimitTo(time.Duration(policy.Timeout))
	}
}

// For returns a copy of the run for another of its items, with what a failure keeps.
func (r *Run) For(item *Item) *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Run{
		Item: item, Queue: r.Queue, QueueResilience: r.QueueResilience,
		pipeline: r.pipeline, hash: r.hash, step: r.step, progress: r.progress, percent: r.percent, tail: r.tail, times: r.times.clone(),
	}
}

// FinishSynchronously makes the slot of this run wait until the run's end is in the database
// before it starts its next item, so that a crash repeats at most this item.
func (r *Run) FinishSynchronously() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.first = true
}

// FinishesSynchronously reports whether FinishSynchronously was called.
func (r *Run) FinishesSynchronously() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}

// Policy returns the item's policy: its own policy first, then its pipeline's, then
// its queue's, then the default. If the item's own policy is invalid, the error says
// so and the others apply.
func (r *Run) Policy() (Resilience, error) {
	r.mu.Lock()
	pipeline := r.pipeline
	r.mu.Unlock()
	policy, err := ParseResilience(r.ResilienceConfig)
	return policy.Or(pipeline).Or(r.QueueResilience).Or(DefaultResilience()), err
}

// CleanUp records that the run cleans up for at most that long, although its context has ended:
// until then it does not count as one that ignores its cancellation.
func (r *Run) CleanUp(most time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanUp = time.Now().Add(most)
}

// CleansUp reports whether the run cleans up.
func (r *Run) CleansUp(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Before(r.cleanUp)
}

// keepSteps records that there are records of the item's steps, which its end removes.
func (r *Run) keepSteps() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hasSteps = true
}

func (r *Run) keepsSteps() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hasSteps
}

// EnterStep records that a step begins.
func (r *Run) EnterStep(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step, r.changed = stepColumn(name), true
}

// LeaveStep records how long the run was in a step, after its last attempt.
func (r *Run) LeaveStep(name string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times.add(stepColumn(name), took)
	r.changed = true
}

// ReportProgress records the progress of the run as a text for users; the latest text counts.
// It is cut to 1,000 characters.
func (r *Run) ReportProgress(progress string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress, r.changed = storable(progress), true
}

// ReportPercent records the progress of the run, 0 to 100; values outside are cut to
// that range.
func (r *Run) ReportPercent(percent int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.percent, r.changed = new(min(max(percent, 0), 100)), true
}

// Show records preliminary output of the run, as JSON, with the item. If the item
// succeeds, the run's own output replaces it. An output that is larger than the queue
// allows is not kept, and the run can no longer succeed.
func (r *Run) Show(output JSONText) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuseLocked(r.Queue.CheckOutputSize(output)) {
		return
	}
	r.output, r.changed = JSONText(storable(string(output))), true
}

// Analyse records figures about the work, as JSON, for the statistics of the queue's
// owner. They are written when the run ends. Their size is limited like that of
// Show's output.
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

// analysed returns what Analyse recorded last.
func (r *Run) analysed() JSONText {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.analytics
}

// claimedAt returns when the claim began, or the zero time if that is unknown.
func (r *Run) claimedAt() time.Time {
	if r.StartedAt == nil {
		return time.Time{}
	}
	return *r.StartedAt
}

// retention returns how long the item is kept after it has succeeded; nil: until a
// clean-up removes it.
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

// Write adds a line of the run's log, as zerolog writes it. The last lines are kept
// with the item.
func (r *Run) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail.add(line)
	r.changed = true
	return len(line), nil
}

// Print adds a text to the run's log that grows while the run is active, such as the output of
// a program: text returns its end so far. The caller calls changed after it has grown. The text
// of an encrypted item is not kept, since the log is not encrypted.
func (r *Run) Print(text func() string) (changed func()) {
	if r.Encrypted {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail.addText(text)
	return r.KeepProgress
}

// keptLog returns what the item keeps of its log when it succeeds.
func (r *Run) keptLog(tail string) string {
	if r.Encrypted && r.Queue.KeepLog == nil {
		return ""
	}
	return keepEnd(tail, r.Queue.LogLimit())
}

// ProgressNote returns the progress of the run so far.
func (r *Run) ProgressNote() ProgressNote {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ProgressNote{
		ItemRef: ItemRef{ItemID: r.ID, Fence: r.Fence}, Step: r.step, Progress: r.progress, Percent: r.percent,
		LogTail: r.tail.String(), StepTimes: r.times.json(), PipelineHash: r.hash, Output: r.output, Encrypted: r.Encrypted,
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

// KeepProgress makes the next NewProgress return the progress, because it has changed or could
// not be recorded.
func (r *Run) KeepProgress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
}

// CheckResult checks the result of a run against the limits and schemas of its queue.
// Output or analytics that do not match a schema are a failure of the data; data that
// is too large is a permanent failure.
func (r *Run) CheckResult(schemas *Schemas, o Outcome) Outcome {
	if o.Verdict != Succeeded {
		return o
	}
	r.mu.Lock()
	tooLarge := r.tooLarge
	r.mu.Unlock()
	if err := cmp.Or(tooLarge, r.Queue.CheckOutputSize(o.Output)); err != nil {
		// Another attempt would return the same output.
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
