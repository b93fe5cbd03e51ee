package matching

import "strings"

// Missing returns the selectors that a worker with these labels does not
// satisfy, in their order.
func Missing(selectors []Selector, labels Labels) []Selector {
	var missing []Selector
	for _, s := range selectors {
		if !s.Satisfied(labels) {
			missing = append(missing, s)
		}
	}
	return missing
}

// MissingText returns the text for the result of Missing, to follow a worker's name: "lacks
// gpu = true, has ram = 16 of >= 32". It is "" if nothing is missing.
func MissingText(missing []Selector, labels Labels) string {
	texts := make([]string, len(missing))
	for i, s := range missing {
		label, there := labels[s.Key]
		has := "has " + s.Key + " = " + label.String()
		switch {
		case !there && s.Operator == Exists:
			texts[i] = "lacks " + s.Key
		case !there:
			texts[i] = "lacks " + s.String()
		case s.Operator.ordered():
			texts[i] = has + " of " + s.Operator.sign() + " " + s.Value.String()
		default:
			texts[i] = has + " where " + s.String() + " is wanted"
		}
	}
	return strings.Join(texts, ", ")
}
