package itemquery

import (
	"iter"
	"slices"
	"strings"

	"botwork/workqueue"
)

// stateLives are the lifecycles that are accepted as states in addition to the states. "pending"
// and "assigned" are states there.
var stateLives = []workqueue.Lifecycle{
	workqueue.LifeScheduled, workqueue.LifeRetry, workqueue.LifeActive, workqueue.LifeCompleted, workqueue.LifeArchived,
}

// lifeOf maps the states with exactly one lifecycle to it. A waiting item may be scheduled,
// pending or retry.
var lifeOf = map[workqueue.State]workqueue.Lifecycle{
	workqueue.Assigned:  workqueue.LifeAssigned,
	workqueue.Blocked:   workqueue.LifeActive,
	workqueue.Processed: workqueue.LifeCompleted,
	workqueue.Cancelled: workqueue.LifeArchived,
}

// words returns the words of texts that may each have several, separated by commas.
func words(texts []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, text := range texts {
			for word := range strings.SplitSeq(text, ",") {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// StateWords lists what is accepted as a state.
func StateWords() []string {
	var words []string
	for _, s := range workqueue.States() {
		words = append(words, s.String())
	}
	for _, l := range stateLives {
		words = append(words, string(l))
	}
	return words
}

// LifecycleWords lists the lifecycles.
func LifecycleWords() []string {
	var words []string
	for _, l := range workqueue.Lifecycles() {
		words = append(words, string(l))
	}
	return words
}

// StatusWords lists the statuses.
func StatusWords() []string {
	var words []string
	for _, s := range workqueue.Statuses() {
		words = append(words, strings.ReplaceAll(strings.ToLower(string(s)), " ", "-"))
	}
	return words
}

// standing reads the states and lifecycles. Items must match both.
func (r *reader) standing() {
	states, waiting := r.states()
	lives := r.lifecycles()
	if len(waiting) == 0 {
		r.filter.States, r.filter.Lifecycles = states, lives
		return
	}
	// A filter matches items that are in one of its states and in one of its lifecycles. Here the
	// item must be in one or the other, so the states are converted to lifecycles.
	if len(lives) > 0 {
		r.fault("state", "%s: %s does not go with %s, because it is a lifecycle: give all of them with %[3]s", r.name("state"), waiting[0], r.name("lifecycle"))
		return
	}
	for _, s := range states {
		life, ok := lifeOf[s]
		if !ok {
			r.fault("state", "%s: got %s and %s, which overlap; for all waiting items give Ready,Pending", r.name("state"), waiting[0], s)
			return
		}
		waiting = append(waiting, life)
	}
	r.filter.Lifecycles = waiting
}

// states separates the states from the lifecycles scheduled and retry, which are not states.
func (r *reader) states() (states []workqueue.State, waiting []workqueue.Lifecycle) {
	for word := range words(r.States) {
		if state, err := workqueue.ParseState(word); err == nil {
			states = append(states, state)
			continue
		}
		life, err := workqueue.ParseLifecycle(word)
		if err != nil || !slices.Contains(stateLives, life) {
			r.notOneOf("state", word, StateWords())
			continue
		}
		switch life {
		case workqueue.LifeScheduled, workqueue.LifeRetry:
			waiting = append(waiting, life)
		default:
			for state, of := range lifeOf {
				if of == life {
					states = append(states, state)
				}
			}
		}
	}
	return states, waiting
}

func (r *reader) statuses() {
	for word := range words(r.Statuses) {
		s, err := workqueue.ParseStatus(word)
		if err != nil {
			r.notOneOf("status", word, StatusWords())
			continue
		}
		r.filter.Statuses = append(r.filter.Statuses, s)
	}
}

func (r *reader) lifecycles() (lives []workqueue.Lifecycle) {
	for word := range words(r.Lifecycles) {
		life, err := workqueue.ParseLifecycle(word)
		if err != nil {
			r.notOneOf("lifecycle", word, LifecycleWords())
			continue
		}
		lives = append(lives, life)
	}
	return lives
}
