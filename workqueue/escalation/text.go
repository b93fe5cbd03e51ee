package escalation

import (
	"fmt"
	"strings"

	"botwork/internal/spans"
)

// Trigger describes when the rule acts: "waiting 10m", "length > 500".
func (r *Rule) Trigger() string {
	var parts []string
	if r.HasAfter {
		parts = append(parts, "waiting "+spans.Text(r.After))
	}
	if r.When != "" {
		parts = append(parts, r.When)
	}
	return strings.Join(parts, ", while ")
}

// Does describes the action: "priority + 100, at most 1500, every 10m".
func (r *Rule) Does() string {
	switch r.Action() {
	case ActionRaise:
		return r.Raise.String()
	case ActionMove:
		return "move to " + r.MoveTo + r.kept()
	case ActionRelax:
		if r.Relax.All {
			return "remove all selectors"
		}
		if len(r.Relax.Keys) == 1 {
			return "remove the selector " + r.Relax.Keys[0]
		}
		return "remove the selectors " + strings.Join(r.Relax.Keys, ", ")
	case ActionCancel:
		return "cancel" + r.kept()
	default:
		return "notify"
	}
}

func (r *Rule) kept() string {
	if r.Keep == 0 {
		return ""
	}
	return fmt.Sprintf(", except the first %d", r.Keep)
}

// String describes the raise.
func (r *Raise) String() string {
	var parts []string
	switch {
	case r.By == 0:
		return fmt.Sprintf("priority %d", *r.To)
	case r.To == nil:
		parts = append(parts, fmt.Sprintf("priority + %d", r.By))
	default:
		parts = append(parts, fmt.Sprintf("priority + %d", r.By), fmt.Sprintf("at most %d", *r.To))
	}
	if r.Every > 0 {
		parts = append(parts, "every "+spans.Text(r.Every))
	}
	return strings.Join(parts, ", ")
}

// String describes the rule in one line: "late: waiting 10m: priority + 100".
func (r *Rule) String() string { return r.Name + ": " + r.Trigger() + ": " + r.Does() }
