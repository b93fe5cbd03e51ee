package pipelines

import (
	"fmt"
	"slices"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// warnings reports suspicious settings in a pipeline without errors. It ignores deliberate
// choices: a pipeline that sets resilience.limit together with a step's retry has
// considered both.
func warnings(p *Pipeline, top *strictyaml.Node) strictyaml.Findings {
	var found strictyaml.Findings
	warn := func(n *strictyaml.Node, code, message, hint string) {
		f := n.Finding(code, n.Path+": "+message, hint)
		f.Severity = strictyaml.Warning
		found = append(found, f)
	}
	policy := top.Get("resilience")
	if p.Trigger != nil {
		if policy.HasValue() && len(policy.Entries) > 0 {
			warn(policy, CodeNoEffect, "it applies to items only, and this pipeline is started by its trigger",
				"use a step's own timeout and retry")
		}
		for _, key := range []string{"labels", "selectors", "selectorsReplace", "distribution", "escalation"} {
			if n := top.Get(key); n.HasValue() {
				warn(n, CodeNoEffect, "it applies to items only, and this pipeline is started by its trigger", "")
			}
		}
		if p.Trigger.Wake && !slices.ContainsFunc(p.Steps, (*Step).movesItems) {
			warn(top.Get("trigger").Get("wake"), CodeNoEffect, "no step assigns or runs items, so no item can wake the pipeline",
				"remove it, or add the steps AssignTasksToWorker and ExecuteWorkItems")
		}
		return found
	}
	runTime := time.Duration(p.Resilience.Timeout)
	for i, s := range p.Steps {
		n := top.Get("steps").Items[i]
		if again := itemAttempts(p, s); again > 1 && s.Attempts > 1 {
			warn(n.Get("retry"), CodeRetryMultiplies,
				fmt.Sprintf("up to %d x %d = %d calls of this step for one item: %d attempts per run, and %d runs per item by default",
					again, s.Attempts, again*s.Attempts, s.Attempts, again),
				fmt.Sprintf("set resilience: {limit: 1}, or remove this retry, or set both explicitly: resilience: {limit: %d}", again))
		}
		if runTime > 0 && s.Timeout > runTime {
			warn(n.Get("timeout"), CodeTimeoutTooLong,
				fmt.Sprintf("got %v, but the whole run ends after %v (resilience.timeout)", handlers.Duration(s.Timeout), handlers.Duration(runTime)),
				"shorten this timeout, or extend resilience.timeout")
		}
		if last := s.lastWithin(runTime); runTime > 0 && last < s.Attempts {
			warn(n.Get("retry"), CodeWaitsTooLong,
				fmt.Sprintf("attempt %d never begins: the waits before it reach the timeout of the whole run, %v (resilience.timeout)",
					last+1, handlers.Duration(runTime)),
				"use fewer attempts, shorter waits, or a longer resilience.timeout")
		}
	}
	found.Sort()
	return found
}

// itemAttempts returns how often an item is run by default if this step fails: 1 if the
// pipeline sets its limit, if such failures are not retried, or if the step's failure does
// not fail the item.
func itemAttempts(p *Pipeline, s *Step) int {
	policy := p.Resilience.Or(workqueue.DefaultResilience())
	repeats := slices.Contains(policy.RetryOn, workqueue.KindError) || slices.Contains(policy.RetryOn, workqueue.KindTimeout)
	if p.Resilience.Limit > 0 || !repeats || s.OnError != OnErrorFail {
		return 1
	}
	return policy.Limit
}

// maxSummed bounds the number of waits that lastWithin adds up: inline pipelines are
// checked when they run, and may have any number of attempts.
const maxSummed = 1_000

// lastWithin returns the last attempt of the step that can begin within a run of that
// length, counting only the waits, as short as jitter can make them.
func (s *Step) lastWithin(runTime time.Duration) (last int) {
	left := runTime
	for attempt := 1; attempt < min(s.Attempts, maxSummed); attempt++ {
		if left -= min(left, s.backoff.Backoff(attempt, 0)); left == 0 {
			return attempt
		}
	}
	return s.Attempts
}

// movesItems reports whether the step assigns or runs items, as `wake` requires.
func (s *Step) movesItems() bool { return s.Handler == AssignHandler || s.Handler == ExecuteHandler }
