package escalation_test

import (
	"testing"
	"time"

	"botwork/workqueue/escalation"
)

func rule(t *testing.T, text string) *escalation.Rule {
	t.Helper()
	rules, err := escalation.Parse(`[{"name":"r",` + text + `}]`)
	if err != nil {
		t.Fatal(err)
	}
	return &rules[0]
}

func TestStep(t *testing.T) {
	due := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	steps := `"after":"10m","raise":{"by":100,"to":1500,"every":"5m"}`
	for _, test := range []struct {
		rule           string
		active, waited time.Duration // active -1: the rule has no condition
		want           int
	}{
		{steps, -1, 0, 0},
		{steps, -1, 10*time.Minute - 1, 0},
		{steps, -1, 10 * time.Minute, 1},
		{steps, -1, 15*time.Minute - 1, 1},
		{steps, -1, 20 * time.Minute, 3},
		{steps, 30 * time.Minute, 20 * time.Minute, 0}, // the condition begins later
		{steps, 30 * time.Minute, 34 * time.Minute, 1},
		{steps, time.Minute, 15 * time.Minute, 2},
		{`"after":"10m","cancel":true`, -1, 9 * time.Minute, 0},
		{`"after":"10m","cancel":true`, -1, 9 * time.Hour, 1},
	} {
		var active time.Time
		if test.active >= 0 {
			active = due.Add(test.active)
		}
		if got := rule(t, test.rule).Step(due, active, due.Add(test.waited)); got != test.want {
			t.Errorf("%s, condition since %v, waited %v: step %d, want %d", test.rule, test.active, test.waited, got, test.want)
		}
	}
}

func TestRaised(t *testing.T) {
	for _, test := range []struct {
		raise                 string
		priority, steps, want int
	}{
		{`"by":100,"to":1250`, 1000, 0, 1000},
		{`"by":100,"to":1250`, 1000, 1, 1100},
		{`"by":100,"to":1250`, 1000, 3, 1250},
		{`"by":100,"to":1250`, 1300, 1, 1300}, // never lower
		{`"to":1250`, 7, 1, 1250},
		{`"by":100`, 2_147_483_600, 1, 2_147_483_647},
		{`"by":2147483647`, 2_147_483_600, 2_147_483_647, 2_147_483_647},
		{`"by":100,"to":-5`, -200, 1, -100},
	} {
		if got := rule(t, `"after":"1m","raise":{`+test.raise+`}`).Raise.Raised(test.priority, test.steps); got != test.want {
			t.Errorf("{%s}: %d after %d steps is %d, want %d", test.raise, test.priority, test.steps, got, test.want)
		}
	}
}

func TestNext(t *testing.T) {
	due := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	steps := `"after":"10m","raise":{"by":100,"to":700,"every":"10m"}`
	for _, test := range []struct {
		rule           string
		waited         time.Duration
		priority, done int
		want           *escalation.Next
	}{
		{steps, 0, 500, 0, &escalation.Next{At: due.Add(10 * time.Minute), Step: 1, Priority: 600}},
		{steps, 11 * time.Minute, 600, 1, &escalation.Next{At: due.Add(20 * time.Minute), Step: 2, Priority: 700}},
		{steps, 35 * time.Minute, 500, 0, &escalation.Next{At: due.Add(35 * time.Minute), Step: 3, Priority: 700}}, // three are late
		{steps, 21 * time.Minute, 700, 2, nil}, // the bound is reached
		{`"after":"1h","cancel":true`, time.Minute, 5, 0, &escalation.Next{At: due.Add(time.Hour), Step: 1, Priority: 5}},
		{`"after":"1h","notify":true`, 2 * time.Hour, 5, 1, nil},
		{`"when":"length > 5","notify":true`, 2 * time.Hour, 5, 0, nil}, // it is not about an item
	} {
		got, ok := rule(t, test.rule).Next(due, time.Time{}, due.Add(test.waited), test.priority, test.done)
		if ok != (test.want != nil) || ok && got != *test.want {
			t.Errorf("%s, waited %v, priority %d, %d steps done: %+v, %v, want %+v", test.rule, test.waited, test.priority, test.done, got, ok, test.want)
		}
	}
}

func TestConditions(t *testing.T) {
	f := escalation.Figures{Length: 501, Oldest: 45 * time.Minute, Assigned: 2, Running: 3}
	for text, want := range map[string]bool{
		"length > 500":             true,
		"length > 501":             false,
		"oldest > 30m":             true,
		"oldest > 1h30m":           false,
		"oldest>44m59s&&oldest<7d": true,
		`running + assigned == 5 and "1m" != "2m"`: true,
		"length > 500 ? oldest > 2h : true":        false,
	} {
		c, err := escalation.NewCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := c.Holds(t.Context(), f); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		`"after":"10m","raise":{"by":100,"to":1500,"every":"10m"}`: "r: waiting 10m: priority + 100, at most 1500, every 10m",
		`"after":"10m","when":"length > 5","raise":{"to":1200}`:    "r: waiting 10m, while length > 5: priority 1200",
		`"when":"length > 500","moveTo":"overflow","keep":500`:     "r: length > 500: move to overflow, except the first 500",
		`"after":"1h","relax":["gpu","ram"]`:                       "r: waiting 1h: remove the selectors gpu, ram",
		`"after":"1h","relax":["*"]`:                               "r: waiting 1h: remove all selectors",
		`"after":"1d","cancel":true`:                               "r: waiting 1d: cancel",
		`"when":"oldest > 1h","notify":true`:                       "r: oldest > 1h: notify",
	} {
		if got := rule(t, text).String(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
