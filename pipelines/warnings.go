package pipelines

import (
	"fmt"
	"slices"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// warnings finds what is allowed and probably not meant in a pipeline without
// mistakes. What a pipeline says on purpose is not warned of: whoever writes
// resilience.limit beside a step's retry has seen both.
func warnings(p *Pipeline, top *strictyaml.Node) strictyaml.Findings {
	var found strictyaml.Findings
	warn := func(n *strictyaml.Node, code, message, hint string) {
		f := n.Finding(code, n.Path+": "+message, hint)
		f.Severity = strictyaml.Warning
		found = append(found, f)
	}
	policy := top.Get("resilience")
	if p.Trigger != nil {
		if given(policy) && len(policy.Entries) > 0 {
			warn(policy, CodeNoEffect, "it is about items, and none runs this pipeline: its trigger starts it",
				"a step's own timeout and retry do count here")
		}
		for _, key := range []string{"labels", "selectors", "selectorsReplace", "distribution"} {
			if n := top.Get(key); given(n) {
				warn(n, CodeNoEffect, "it is about items, and none runs this pipeline: its trigger starts it", "")
			}
		}
		if p.Trigger.Wake && !slices.ContainsFunc(p.Steps, (*Step).movesItems) {
			warn(top.Get("trigger").Get("wake"), CodeNoEffect, "no step assigns or runs items, so there are none that could wake the pipeline",
				"remove it, or add the steps AssignTasksToWorker and ExecuteWorkItems")
		}
		return found
	}
	runTime := time.Duration(p.Resilience.Timeout)
	for i, s := range p.Steps {
		n := top.Get("steps").Items[i]
		if again := itemAttempts(p, s); again > 1 && s.Attempts > 1 {
			warn(n.Get("retry"), CodeRetryMultiplies,
				fmt.Sprintf("up to %d x %d = %d calls of this step for one item: a run tries it %d times, and an item is run %d times by default",
					again, s.Attempts, again*s.Attempts, s.Attempts, again),
				fmt.Sprintf("say resilience: {limit: 1}, or drop this retry, or say both on purpose: resilience: {limit: %d}", again))
		}
		if runTime > 0 && s.Timeout > runTime {
			warn(n.Get("timeout"), CodeTimeoutTooLong,
				fmt.Sprintf("got %v, but the whole run ends after %v (resilience.timeout)", handlers.Duration(s.Timeout), handlers.Duration(runTime)),
				"shorten this one, or lengthen that")
		}
		if last := s.lastWithin(runTime); runTime > 0 && last < s.Attempts {
			warn(n.Get("retry"), CodeWaitsTooLong,
				fmt.Sprintf("attempt %d never begins: the waits before it take as long as the whole run may, %v (resilience.timeout), or longer",
					last+1, handlers.Duration(runTime)),
				"fewer attempts or shorter waits here, or a longer timeout there")
		}
	}
	found.Sort()
	return found
}

// itemAttempts is how often an item is run by default because this step fails:
// 1 when the pipeline states its limit, or says that such failures are not
// repeated, or when the step's failure is none of the item.
func itemAttempts(p *Pipeline, s *Step) int {
	policy := p.Resilience.Or(workqueue.DefaultResilience())
	repeats := slices.Contains(policy.RetryOn, workqueue.KindError) || slices.Contains(policy.RetryOn, workqueue.KindTimeout)
	if p.Resilience.Limit > 0 || !repeats || s.OnError != OnErrorFail {
		return 1
	}
	return policy.Limit
}

// maxSummed bounds the waits that lastWithin adds up: inline pipelines are
// checked when they run, and a person may write any number of attempts.
const maxSummed = 1_000

// lastWithin returns the last attempt of the step that can begin within a run
// of that length, by the waits between its attempts alone and as short as their
// jitter makes them.
func (s *Step) lastWithin(runTime time.Duration) (last int) {
	left := runTime
	for attempt := 1; attempt < min(s.Attempts, maxSummed); attempt++ {
		if left -= min(left, s.backoff.Backoff(attempt, 0)); left == 0 {
			return attempt
		}
	}
	return s.Attempts
}

// movesItems tells whether the step is one of those that `wake` is about.
func (s *Step) movesItems() bool { return s.Handler == AssignHandler || s.Handler == ExecuteHandler }
