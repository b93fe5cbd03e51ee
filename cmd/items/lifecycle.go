package items

import (
	"slices"
	"strings"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// stateLives are the lifecycles that --state accepts in addition to the states. "pending" and
// "assigned" are states there.
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

func stateWords() []string {
	var words []string
	for _, s := range workqueue.States() {
		words = append(words, s.String())
	}
	for _, l := range stateLives {
		words = append(words, string(l))
	}
	return words
}

func lifecycleWords() []string {
	var words []string
	for _, l := range workqueue.Lifecycles() {
		words = append(words, string(l))
	}
	return words
}

// standing returns the states and lifecycles of --state and --lifecycle. Items must match both.
func (f *itemFlags) standing() ([]workqueue.State, []workqueue.Lifecycle, error) {
	states, waiting, err := f.parseStates()
	if err != nil {
		return nil, nil, err
	}
	lives, err := f.parseLifecycles()
	if err != nil || len(waiting) == 0 {
		return states, lives, err
	}
	// A filter matches items that are in one of its states and in one of its lifecycles. Here the
	// item must be in one or the other, so the states are converted to lifecycles.
	if len(lives) > 0 {
		return nil, nil, cli.Usagef("--state: %s does not go with --lifecycle, because it is a lifecycle: give all of them with --lifecycle", waiting[0])
	}
	for _, s := range states {
		life, ok := lifeOf[s]
		if !ok {
			return nil, nil, cli.Usagef("--state: got %s and %s, which overlap; for all waiting items give Ready,Pending", waiting[0], s)
		}
		waiting = append(waiting, life)
	}
	return nil, waiting, nil
}

// parseStates separates the states from the lifecycles scheduled and retry, which are not states.
func (f *itemFlags) parseStates() (states []workqueue.State, waiting []workqueue.Lifecycle, err error) {
	for _, word := range f.states {
		if state, err := workqueue.ParseState(word); err == nil {
			states = append(states, state)
			continue
		}
		life, err := workqueue.ParseLifecycle(word)
		if err != nil || !slices.Contains(stateLives, life) {
			return nil, nil, cli.NotOneOf("state", word, stateWords())
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
	return states, waiting, nil
}

func statusWords() []string {
	var words []string
	for _, s := range workqueue.Statuses() {
		words = append(words, strings.ReplaceAll(strings.ToLower(string(s)), " ", "-"))
	}
	return words
}

func (f *itemFlags) parseStatuses() ([]workqueue.Status, error) {
	var statuses []workqueue.Status
	for _, word := range f.statuses {
		s, err := workqueue.ParseStatus(word)
		if err != nil {
			return nil, cli.NotOneOf("status", word, statusWords())
		}
		statuses = append(statuses, s)
	}
	return statuses, nil
}

func (f *itemFlags) parseLifecycles() ([]workqueue.Lifecycle, error) {
	var lives []workqueue.Lifecycle
	for _, word := range f.lifecycles {
		life, err := workqueue.ParseLifecycle(word)
		if err != nil {
			return nil, cli.NotOneOf("lifecycle", word, lifecycleWords())
		}
		lives = append(lives, life)
	}
	return lives, nil
}
