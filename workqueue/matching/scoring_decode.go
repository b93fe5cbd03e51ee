package matching

import (
	"maps"
	"slices"
)

const (
	maxBatch = 1000
	maxCases = 100
)

// scoringKeyRules are the keys that belong only to some rules.
var scoringKeyRules = []struct {
	key   string
	rules []RuleKind
}{
	{"score", []RuleKind{StaticRule, MapRule}},
	{"cases", []RuleKind{StaticRule}},
	{"label", []RuleKind{MapRule}},
	{"scores", []RuleKind{MapRule}},
	{"expression", []RuleKind{ExpressionRule}},
	{"http", []RuleKind{HTTPRule}},
	{"batch", []RuleKind{ExpressionRule, HTTPRule}},
	{"batchSize", []RuleKind{ExpressionRule, HTTPRule}},
}

// DecodeScoring reads a scoring from decoded JSON or YAML; nil is none. The error
// contains every fault, as Faults.
func DecodeScoring(v any) (*Scoring, error) {
	var c collector
	s := c.scoring(nil, v)
	if err := c.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Validate checks a scoring that was not decoded. It returns all faults at once, as
// Faults.
func (s Scoring) Validate() error {
	v, err := parseJSON(canonical(s))
	if err != nil {
		return err
	}
	_, err = DecodeScoring(v)
	return err
}

func (c *collector) scoring(path []string, v any) *Scoring {
	if v == nil {
		return nil
	}
	o, ok := v.(map[string]any)
	if !ok {
		c.add(path, "got %s, want {rule: default, static, map, expression or http, …}", kindOf(v))
		return nil
	}
	c.known(path, o, scoringKeys)
	s := &Scoring{Rule: oneOf(c, path, o, "rule", ruleKinds)}
	if o["rule"] == nil || s.Rule != "" {
		c.foreignKeys(path, o, s.Kind())
	}
	if o["score"] != nil {
		s.Score = c.number(under(path, "score"), o["score"])
	}
	s.Cases = c.cases(under(path, "cases"), o["cases"])
	if s.Label = c.text(path, o, "label"); s.Label != "" && !goodKey(s.Label) {
		c.add(under(path, "label"), "got %.40q, want %s", s.Label, wantedKey)
	}
	s.Scores = c.scores(under(path, "scores"), o["scores"])
	s.Expression = c.text(path, o, "expression")
	s.HTTP = c.http(under(path, "http"), o["http"])
	s.Batch = c.bool(path, o, "batch")
	if o["batchSize"] != nil {
		s.BatchSize = c.batchSize(under(path, "batchSize"), o["batchSize"])
		if o["batch"] == nil || o["batch"] == false {
			c.add(under(path, "batchSize"), "only valid with batch: true")
		}
	}
	s.Ascending = o["descending"] != nil && !c.bool(path, o, "descending")
	c.send(under(path, "send"), o["send"], s)
	c.needs(path, o, s.Rule)
	return s
}

// foreignKeys reports the keys that belong to other rules than the given one: they
// would have no effect.
func (c *collector) foreignKeys(path []string, o map[string]any, rule RuleKind) {
	for _, k := range scoringKeyRules {
		if o[k.key] != nil && !slices.Contains(k.rules, rule) {
			c.add(under(path, k.key), "the rule %s has no key %s, want it with rule: %s", rule, k.key, k.rules[0])
		}
	}
}

// needs reports the missing keys that a rule requires.
func (c *collector) needs(path []string, o map[string]any, rule RuleKind) {
	need := func(keys ...string) {
		for _, key := range keys {
			if o[key] == nil {
				c.add(path, "the key %q is missing; the rule %s needs it", key, rule)
			}
		}
	}
	switch rule {
	case StaticRule:
		if o["cases"] == nil {
			need("score")
		}
	case MapRule:
		need("label", "scores")
	case ExpressionRule:
		need("expression")
	case HTTPRule:
		need("http")
	}
}

func (c *collector) number(path []string, v any) float64 {
	value, err := ValueOf(v)
	f, ok := value.Float()
	if err != nil || !ok {
		c.add(path, "got %s, want a finite number", kindOf(v))
	}
	return f
}

func (c *collector) batchSize(path []string, v any) int {
	value, _ := ValueOf(v)
	f, ok := value.Float()
	n := int(f)
	if !ok || float64(n) != f || n < 1 || n > maxBatch {
		c.add(path, "got %s, want 1 to %d", kindOf(v), maxBatch)
		return 0
	}
	return n
}

func (c *collector) cases(path []string, v any) []ScoreCase {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 || len(list) > maxCases {
		c.add(path, "got %s, want a list of 1 to %d cases {when, score}", kindOf(v), maxCases)
		return nil
	}
	cases := make([]ScoreCase, len(list))
	for i, element := range list {
		o, ok := element.(map[string]any)
		if !ok {
			c.add(at(path, i), "got %s, want {when, score}", kindOf(element))
			continue
		}
		here := at(path, i)
		c.known(here, o, caseKeys)
		cases[i].When = c.selectors(under(here, "when"), o["when"])
		for j, s := range cases[i].When {
			if s.ExpiresAfter > 0 || s.Expedite {
				c.add(at(under(here, "when"), j), "a case has no expiresAfter and no expedite")
			}
		}
		if o["when"] == nil {
			c.add(here, "the key %q is missing", "when")
		}
		cases[i].Score = c.number(under(here, "score"), o["score"])
	}
	return cases
}

func (c *collector) scores(path []string, v any) map[string]float64 {
	if v == nil {
		return nil
	}
	o, ok := v.(map[string]any)
	if !ok || len(o) == 0 || len(o) > maxValues {
		c.add(path, "got %s, want a mapping from 1 to %d values of the label to scores", kindOf(v), maxValues)
		return nil
	}
	scores := make(map[string]float64, len(o))
	for _, key := range slices.Sorted(maps.Keys(o)) {
		scores[key] = c.number(under(path, key), o[key])
	}
	return scores
}

func (c *collector) send(path []string, v any, s *Scoring) {
	if v == nil {
		return
	}
	list, ok := v.([]any)
	if !ok {
		c.add(path, "got %s, want a list of %s and %s", kindOf(v), sendLabels, sendSelectors)
		return
	}
	s.WithoutLabels, s.WithoutSelectors = true, true
	for i, part := range list {
		switch part {
		case sendLabels:
			s.WithoutLabels = false
		case sendSelectors:
			s.WithoutSelectors = false
		default:
			c.add(at(path, i), "got %s, want %s or %s", kindOf(part), sendLabels, sendSelectors)
		}
	}
}
