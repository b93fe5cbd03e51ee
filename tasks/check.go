package tasks

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"botwork/workqueue"
)

// check validates the task and creates its plan. The error is a Problems.
func (t *Task) check() error {
	var ps Problems
	if !namePattern.MatchString(t.Name) || len(t.Name) > maxName {
		ps.add("name", "", "got %.60q, want up to %d Latin letters, digits, _, - and ., with a letter or digit in front", t.Name, maxName)
	}
	if t.Pipeline == "" {
		ps.add("pipeline", "", "want the name of a pipeline, or a whole pipeline as YAML or JSON")
	}
	if !t.Importance.known() {
		ps.add("importance", "", "got %d, want 0 (low), 1 (normal) or 2 (high)", int(t.Importance))
	}
	if t.EstimatedDuration < 0 {
		ps.add("estimatedDuration", leaveEstimateOut, "%s", wrongEstimate(t.EstimatedDuration))
	}
	t.checkScope(&ps)
	checkObject(&ps, "payload", t.Payload, PayloadKey)
	if _, err := workqueue.ParseResilience(t.Resilience); err != nil {
		ps.add("resilience", "", "%s", strings.TrimPrefix(err.Error(), "resilience "))
	}
	if t.Notify != nil {
		if t.Notify.Pipeline == "" {
			ps.add("notify.pipeline", "", "want the name of the pipeline that reports a failure")
		}
		checkObject(&ps, "notify.payload", t.Notify.Payload, FailureKey)
	}
	if t.Schedule != nil {
		plan, err := t.Schedule.Compile()
		if wrong, ok := err.(Problems); ok { //nolint:errorlint // Compile returns it bare
			for _, p := range wrong {
				p.Field = strings.TrimSuffix("schedule."+p.Field, ".")
				ps = append(ps, p)
			}
		} else if t.Schedule.Active == nil || *t.Schedule.Active {
			t.plan = plan
		}
	}
	return ps.err()
}

func (t *Task) checkScope(ps *Problems) {
	if len(t.Scope) > maxScopes {
		ps.add("scope", "", "got %d values, want at most %d", len(t.Scope), maxScopes)
	}
	seen := map[string]bool{}
	for _, value := range t.Scope {
		// Case and spaces at the end do not count in every engine's unique keys.
		folded := strings.ToLower(value)
		switch {
		case value == "" || strings.TrimSpace(value) != value || utf8.RuneCountInString(value) > maxScope:
			ps.add("scope", "", "got the value %.60q, want 1 to %d signs and no spaces around them", value, maxScope)
		case seen[folded]:
			ps.add("scope", "", "the value %q is listed twice; upper and lower case count as the same", value)
		}
		seen[folded] = true
	}
}

// checkObject requires a JSON object without the key that the program adds.
func checkObject(ps *Problems, field string, text workqueue.JSONText, reserved string) {
	if text == "" {
		return
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		ps.add(field, "", "want a JSON object: the program adds the key %q to it", reserved)
		return
	}
	if _, taken := object[reserved]; taken {
		ps.add(field, "give it another name", "the key %q is the program's", reserved)
	}
}

const leaveEstimateOut = "leave it out if it is not known"

func wrongEstimate(d workqueue.Duration) string { return fmt.Sprintf("got %v, want more than 0s", d) }
