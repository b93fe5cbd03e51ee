package matching

import "math"

// Score returns how well a worker suits an item, in [0, 1]: the mean over all
// criteria, which are the item's labels and its selectors.
//
//   - A label of the item counts 1 if the worker has the same label, else 0.
//   - Equal, NotEqual, In and Exists count 1 if they are satisfied, else 0.
//   - The operators of order count 1/(1+e^−x), where x is how far the label is
//     on the required side, relative to the selector's value:
//     (label − value)/|value| for GreaterThan and GreaterThanOrEqual,
//     (value − label)/|value| for LessThan and LessThanOrEqual. If the value is 0,
//     x is the difference itself. A label that is
//     missing or not a number counts 0.
//
// Without criteria the score is 0. Selectors that have expired do not count: the
// caller removes them (Active).
//
// The formula is the one of Azure Communication Services Job Router, which
// divides by the value. Here it is the absolute value, so that more is better for
// "greater than −10", too. Worked row: language = french, sales ≥ 10 and
// cost ≤ 10 of a worker with french, 15 and 10 give (1 + 0.622459 + 0.5)/3 =
// 0.707486.
func Score(job Labels, selectors []Selector, worker Labels) float64 {
	criteria := len(job) + len(selectors)
	if criteria == 0 {
		return 0
	}
	sum := 0.0
	for key, value := range job {
		if has, there := worker[key]; there && has == value {
			sum++
		}
	}
	for i := range selectors {
		sum += selectors[i].score(worker)
	}
	return sum / float64(criteria)
}

func (s *Selector) score(worker Labels) float64 {
	if !s.Operator.ordered() {
		if s.Satisfied(worker) {
			return 1
		}
		return 0
	}
	has, ok := worker[s.Key].Float()
	wants, numeric := s.Value.Float()
	if !ok || !numeric {
		return 0
	}
	x := has - wants
	if s.Operator == LessThan || s.Operator == LessThanOrEqual {
		x = -x
	}
	if wants != 0 {
		x /= math.Abs(wants)
	}
	return 1 / (1 + math.Exp(-x)) // of an infinite x, too: 0 or 1
}
