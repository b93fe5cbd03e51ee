package pipelines

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// warnings reports suspicious settings in a pipeline without errors. It ignores deliberate
// choices: a pipeline that sets resilience.limit together with a step's retry has
// considered both.
func warnings(p *Pipeline, top *strictyaml.Node, sources map[*Step]*source) strictyaml.Findings {
	var found strictyaml.Findings
	warn := func(n *strictyaml.Node, code, message, hint string) {
		f := n.Finding(code, n.Path+": "+message, hint)
		f.Severity = strictyaml.Warning
		found = append(found, f)
	}
	policy := top.Get("resilience")
	for s := range p.Each() {
		if n := sources[s].Get("with").Get("timeout"); n != nil && s.Timeout > 0 && s.handlerTimeout() > s.Timeout {
			warn(n, CodeTimeoutTooLong,
				fmt.Sprintf("got %v, but each attempt of the step ends after %v (the timeout of the step)", handlers.Duration(s.handlerTimeout()), handlers.Duration(s.Timeout)),
				"write one of them only, or make this one the shorter one")
		}
	}
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
		if p.Trigger.Wake && !p.movesItems() {
			warn(top.Get("trigger").Get("wake"), CodeNoEffect, "no step assigns or runs items, so no item can wake the pipeline",
				"remove it, or add the steps AssignTasksToWorker and ExecuteWorkItems")
		}
		return found
	}
	runTime := time.Duration(p.Resilience.Timeout)
	for s := range p.Each() {
		n := sources[s].Node
		if again := itemAttempts(p, s); again > 1 && s.Attempts > 1 {
			warn(n.Get("retry"), CodeRetryMultiplies,
				fmt.Sprintf("up to %d x %d = %d calls of this step for one item: %d attempts per run, and %d runs per item by default",
					again, s.Attempts, again*s.Attempts, s.Attempts, again),
				fmt.Sprintf("set resilience: {limit: 1}, or remove this retry, or set both explicitly: resilience: {limit: %d}", again))
		}
		if s.Handler == "Snooze" && s.AlwaysReaches() {
			warn(n.Get("handler"), CodeEndlessLoop, "every run snoozes the item, so it never ends",
				"give the step an if that becomes false, such as if: not payload.ready")
		} else if s.Handler == "Snooze" && p.Resume && s.dependsOnSteps() {
			warn(n.Get("handler"), CodeEndlessLoop, "each attempt snoozes the item again: resume keeps the outputs that decide it",
				"poll in a pipeline without resume, which enqueues an item for the rest")
		}
		if runTime > 0 && s.Timeout > runTime {
			warn(n.Get("timeout"), CodeTimeoutTooLong,
				fmt.Sprintf("got %v, but the whole run ends after %v (resilience.timeout)", handlers.Duration(s.Timeout), handlers.Duration(runTime)),
				"shorten this timeout, or extend resilience.timeout")
		}
		if length := s.handlerTimeout(); runTime > 0 && length > runTime {
			warn(n.Get("with").Get("timeout"), CodeTimeoutTooLong,
				fmt.Sprintf("got %v, but the whole run ends after %v (resilience.timeout)", handlers.Duration(length), handlers.Duration(runTime)),
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

// dependsOnSteps reports whether the outcome of earlier steps decides if the step runs.
func (s *Step) dependsOnSteps() bool {
	for ; s != nil; s = s.parent {
		if strings.Contains(s.If, varSteps+".") {
			return true
		}
	}
	return false
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

// handlerTimeout returns the timeout among the handler's parameters, 0 if the file gives none.
func (s *Step) handlerTimeout() time.Duration {
	text, ok := s.With["timeout"].(string)
	isTimeout := func(f handlers.Field) bool { return f.Name == "timeout" && f.Type == "duration" }
	if !ok || !slices.ContainsFunc(s.kind.Fields(), isTimeout) {
		return 0
	}
	length, err := handlers.ParseDuration(text)
	if err != nil {
		return 0 // an expression
	}
	return length
}

// movesItems reports whether a step assigns or runs items, as `wake` requires.
func (p *Pipeline) movesItems() bool {
	for s := range p.Each() {
		if s.Handler == AssignHandler || s.Handler == ExecuteHandler {
			return true
		}
	}
	return false
}
