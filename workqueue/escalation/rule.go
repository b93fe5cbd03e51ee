package escalation

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"botwork/internal/spans"
	"botwork/workqueue/matching"
)

// Rule is one rule of a queue or a pipeline. It has exactly one action.
type Rule struct {
	// Name identifies the rule among those of its queue or pipeline.
	Name string

	// After is how long an item has to wait, from its due time. HasAfter is set if the rule
	// defines it, even as 0.
	After    time.Duration
	HasAfter bool

	// When is a condition on the figures of the queue or pipeline; "": always. See Condition.
	When string

	Raise  *Raise
	MoveTo string // the queue that the items move to
	Relax  *Relax
	Cancel bool
	Notify bool

	// Keep is how many items of the queue, the first in its order, MoveTo and Cancel leave
	// where they are.
	Keep int
}

// Raise raises the priority of an item.
type Raise struct {
	// By is added at each step; 0: the priority becomes To at once.
	By int

	// To is the highest priority that the rule gives; nil: no bound. It never lowers one.
	To *int

	// Every is the time between two steps; 0: there is one step.
	Every time.Duration
}

// Relax removes selectors of an item.
type Relax struct {
	// Keys are the keys of the selectors; All is set if one of them means all selectors.
	Keys []string
	All  bool
}

// Left returns the selectors that are left.
func (r *Relax) Left(all []matching.Selector) []matching.Selector {
	return slices.DeleteFunc(slices.Clone(all), func(s matching.Selector) bool { return r.All || slices.Contains(r.Keys, s.Key) })
}

// Action is what a rule does, in one word: the key of the action.
type Action string

// The actions.
const (
	ActionRaise  Action = "raise"
	ActionMove   Action = "moveTo"
	ActionRelax  Action = "relax"
	ActionCancel Action = "cancel"
	ActionNotify Action = "notify"
)

// actions are all actions, in the order of the documentation.
var actions = []Action{ActionRaise, ActionMove, ActionRelax, ActionCancel, ActionNotify}

// Action returns the rule's action.
func (r *Rule) Action() Action {
	switch {
	case r.Raise != nil:
		return ActionRaise
	case r.MoveTo != "":
		return ActionMove
	case r.Relax != nil:
		return ActionRelax
	case r.Cancel:
		return ActionCancel
	default:
		return ActionNotify
	}
}

// Announces reports whether the rule only reports that its condition became true, without naming
// items.
func (r *Rule) Announces() bool { return r.Notify && !r.HasAfter }

// ruleJSON is a rule as the database stores it.
type ruleJSON struct {
	Name   string     `json:"name"`
	After  string     `json:"after,omitempty"`
	When   string     `json:"when,omitempty"`
	Raise  *raiseJSON `json:"raise,omitempty"`
	MoveTo string     `json:"moveTo,omitempty"`
	Relax  []string   `json:"relax,omitempty"`
	Cancel bool       `json:"cancel,omitempty"`
	Notify bool       `json:"notify,omitempty"`
	Keep   int        `json:"keep,omitempty"`
}

type raiseJSON struct {
	By    int    `json:"by,omitempty"`
	To    *int   `json:"to,omitempty"`
	Every string `json:"every,omitempty"`
}

// MarshalJSON writes the keys that are set, with the names of the file.
func (r Rule) MarshalJSON() ([]byte, error) {
	j := ruleJSON{Name: r.Name, When: r.When, MoveTo: r.MoveTo, Cancel: r.Cancel, Notify: r.Notify, Keep: r.Keep}
	if r.HasAfter {
		j.After = spans.Text(r.After)
	}
	if r.Raise != nil {
		j.Raise = &raiseJSON{By: r.Raise.By, To: r.Raise.To}
		if r.Raise.Every > 0 {
			j.Raise.Every = spans.Text(r.Raise.Every)
		}
	}
	if r.Relax != nil {
		j.Relax = r.Relax.Keys
	}
	return plain(j)
}

// JSON returns rules as the database stores them; "" for none. Equal rules give equal texts.
func JSON(rules []Rule) string {
	if len(rules) == 0 {
		return ""
	}
	text, err := plain(rules)
	if err != nil {
		panic(err) // unreachable: all fields can be encoded
	}
	return string(text)
}

// plain encodes a value without escaping < and >, which conditions contain.
func plain(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
