package matching

import (
	"slices"
	"strings"
	"time"

	"botwork/internal/spans"
)

// Selector is one condition of an item on its worker's labels.
type Selector struct {
	Key      string
	Operator Operator

	// Value is what the label is compared with; a number for the operators of order.
	// Exists has none.
	Value Value

	// Values is the list for In; nil for every other operator.
	Values []Value

	// ExpiresAfter is how long after the item became due the selector applies; 0:
	// always.
	ExpiresAfter time.Duration

	// Expedite puts the item before all others that wait while the selector applies.
	Expedite bool
}

// Satisfied reports whether a worker with these labels satisfies the selector.
//
//   - A label that is missing satisfies only NotEqual.
//   - A label of another type than the selector's value is not equal to it:
//     Equal and In are false, NotEqual is true.
//   - Only numbers have an order: a label that is not a number satisfies none of
//     the operators of order. Zero and negative numbers are ordinary numbers.
//   - Exists is satisfied by a label of any type, false included.
//
// No worker satisfies a selector with an unknown operator.
func (s *Selector) Satisfied(labels Labels) bool {
	label, there := labels[s.Key]
	switch s.Operator {
	case NotEqual:
		return !there || label != s.Value
	case Equal:
		return there && label == s.Value
	case In:
		return there && slices.Contains(s.Values, label)
	case Exists:
		return there
	}
	has, ok := label.Float()
	wants, numeric := s.Value.Float()
	if !there || !ok || !numeric {
		return false
	}
	switch s.Operator {
	case LessThan:
		return has < wants
	case LessThanOrEqual:
		return has <= wants
	case GreaterThan:
		return has > wants
	case GreaterThanOrEqual:
		return has >= wants
	}
	return false
}

// Expired reports whether the selector no longer applies when the item has been due
// for the given time: it neither filters nor expedites nor scores.
func (s *Selector) Expired(waited time.Duration) bool {
	return s.ExpiresAfter > 0 && waited >= s.ExpiresAfter
}

// Active returns the selectors that have not expired, in their order: the same slice
// if none has.
func Active(selectors []Selector, waited time.Duration) []Selector {
	expired := func(s Selector) bool { return s.Expired(waited) }
	if !slices.ContainsFunc(selectors, expired) {
		return selectors
	}
	return slices.DeleteFunc(slices.Clone(selectors), expired)
}

// Expedites reports whether one of the selectors puts the item before others.
func Expedites(selectors []Selector) bool {
	return slices.ContainsFunc(selectors, func(s Selector) bool { return s.Expedite })
}

// Satisfied reports whether a worker satisfies all of the selectors.
func Satisfied(selectors []Selector, labels Labels) bool {
	for i := range selectors {
		if !selectors[i].Satisfied(labels) {
			return false
		}
	}
	return true
}

// String returns the condition as ParseSelector reads it: gpu = true, ram >= 32, site
// in [lisbon, porto], gpu exists. This form does not contain ExpiresAfter and
// Expedite.
func (s Selector) String() string {
	switch s.Operator {
	case Exists:
		return s.Key + " exists"
	case In:
		texts := make([]string, len(s.Values))
		for i, v := range s.Values {
			texts[i] = v.String()
		}
		return s.Key + " in [" + strings.Join(texts, ", ") + "]"
	}
	return s.Key + " " + s.Operator.sign() + " " + s.Value.String()
}

// selectorJSON is a selector as the database stores it.
type selectorJSON struct {
	Key          string   `json:"key"`
	Operator     Operator `json:"operator"`
	Value        *Value   `json:"value,omitempty"`
	Values       []Value  `json:"values,omitempty"`
	ExpiresAfter string   `json:"expiresAfter,omitempty"`
	Expedite     bool     `json:"expedite,omitempty"`
}

// MarshalJSON writes the object form, with the operator's full name.
func (s Selector) MarshalJSON() ([]byte, error) {
	out := selectorJSON{Key: s.Key, Operator: s.Operator, Values: s.Values, Expedite: s.Expedite}
	if !s.Value.IsZero() {
		out.Value = &s.Value
	}
	if s.ExpiresAfter > 0 {
		out.ExpiresAfter = spans.Text(s.ExpiresAfter)
	}
	return []byte(canonical(out)), nil
}

// SelectorsJSON returns a list of selectors as the database stores it; "" if there
// are none. Equal lists give equal texts.
func SelectorsJSON(selectors []Selector) string {
	if len(selectors) == 0 {
		return ""
	}
	return canonical(selectors)
}

// Any returns the selector as plain Go values, in the form of its JSON.
func (s Selector) Any() map[string]any {
	plain := map[string]any{"key": s.Key, "operator": string(s.Operator), "expedite": s.Expedite}
	if !s.Value.IsZero() {
		plain["value"] = s.Value.Any()
	}
	if s.Values != nil {
		values := make([]any, len(s.Values))
		for i, v := range s.Values {
			values[i] = v.Any()
		}
		plain["values"] = values
	}
	if s.ExpiresAfter > 0 {
		plain["expiresAfter"] = spans.Text(s.ExpiresAfter)
	}
	return plain
}
