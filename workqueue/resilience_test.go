package workqueue

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseResilience(t *testing.T) {
	tenth, none := 0.1, 0.0
	tests := []struct {
		text JSONText
		want Resilience
	}{
		{"", Resilience{}},
		{"{}", Resilience{}},
		{`{"limit": 3, "delay": "30s", "factor": 2, "maxDelay": "1h", "jitter": 0.1, "retryOn": ["error", "timeout"]}`, Resilience{
			Limit: 3, Delay: Duration(30 * time.Second), Factor: 2, MaxDelay: Duration(time.Hour), Jitter: &tenth,
			RetryOn: []ErrorKind{KindError, KindTimeout},
		}},
		{`{"jitter": 0, "retryOn": []}`, Resilience{Jitter: &none, RetryOn: []ErrorKind{}}},
		{` {"limit": 1} ` + "\n", Resilience{Limit: 1}},
		{`{"within": "7d", "maxDelay": "1d"}`, Resilience{Within: Duration(7 * 24 * time.Hour), MaxDelay: Duration(24 * time.Hour)}},
	}
	for _, test := range tests {
		got, err := ParseResilience(test.text)
		if err != nil {
			t.Errorf("ParseResilience(%s): %v", test.text, err)
		} else if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("ParseResilience(%s): -want +got\n%s", test.text, diff)
		}
	}
}

func TestParseResilienceIsStrict(t *testing.T) {
	tests := []struct {
		text JSONText
		want []string
	}{
		{`{"limits": 3}`, []string{"limits"}},
		{`{"limit": 0}`, []string{"limit 0", "1 or more"}},
		{`{"limit": -1}`, []string{"limit -1"}},
		{`{"limit": "3"}`, []string{"limit"}},
		{`{"limit": 2.5}`, []string{"limit"}},
		{`{"delay": 30}`, []string{"delay"}},
		{`{"delay": "30"}`, []string{`duration "30"`, "such as 90s"}},
		{`{"delay": "-1s"}`, []string{"delay and maxDelay"}},
		{`{"delay": "0s"}`, []string{"delay 0"}},
		{`{"maxDelay": "0s"}`, []string{"maxDelay 0"}},
		{`{"maxRetryAfter": "0s"}`, []string{"maxRetryAfter 0"}},
		{`{"maxRetryAfter": "-1h"}`, []string{"maxRetryAfter: want 0 or more"}},
		{`{"factor": 0}`, []string{"factor 0"}},
		{`{"factor": 0.5}`, []string{"factor 0.5", "1 or more"}},
		{`{"jitter": 1.1}`, []string{"jitter 1.1", "0 to 1"}},
		{`{"retryOn": ["panic"]}`, []string{`retryOn "panic"`}},
		{`{"limit": 3} {"limit": 4}`, []string{"nothing after it"}},
		{`{"limit": 3}]`, []string{"nothing after it"}},
		{`[3]`, []string{"array"}},
		{`three`, []string{"resilience three"}},
		{`{"limit": -2, "factor": 0.1, "jitter": -1, "retryOn": ["never"]}`, []string{"limit -2", "factor 0.1", "jitter -1", `"never"`}},
	}
	for _, test := range tests {
		got, err := ParseResilience(test.text)
		if err == nil {
			t.Errorf("ParseResilience(%s) = %+v, want an error", test.text, got)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("ParseResilience(%s): %v, want %q in it", test.text, err, want)
			}
		}
		if diff := cmp.Diff(Resilience{}, got); diff != "" {
			t.Errorf("ParseResilience(%s): a policy in addition to the error:\n%s", test.text, diff)
		}
	}
}

func TestResilienceSurvivesJSON(t *testing.T) {
	want := DefaultResilience()
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseResilience(JSONText(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", text, diff)
	}
}

func TestResilienceOr(t *testing.T) {
	zero, half := 0.0, 0.5
	full := Resilience{Limit: 9, Delay: 9, Factor: 9, MaxDelay: 90, Jitter: &half, RetryOn: []ErrorKind{KindBusiness}, MaxRetryAfter: 7}
	tests := []struct {
		name     string
		r, other Resilience
		want     Resilience
	}{
		{"no fields set: all are from the other", Resilience{}, full, full},
		{"all fields set: none is from the other", full, DefaultResilience(), full},
		{"nothing to fall back on", full, Resilience{}, full},
		{"a jitter of 0 counts as set", Resilience{Jitter: &zero}, Resilience{Jitter: &half}, Resilience{Jitter: &zero}},
		{"an empty retryOn counts as set", Resilience{RetryOn: []ErrorKind{}}, full, Resilience{
			Limit: 9, Delay: 9, Factor: 9, MaxDelay: 90, Jitter: &half, RetryOn: []ErrorKind{}, MaxRetryAfter: 7,
		}},
		{"each field is merged separately", Resilience{Limit: 2}, Resilience{Limit: 3, Delay: 4}, Resilience{Limit: 2, Delay: 4}},
		{"the other's maxDelay does not limit a delay", Resilience{Delay: 120}, Resilience{Delay: 1, MaxDelay: 60}, Resilience{Delay: 120, MaxDelay: 120}},
		{"the same policy's maxDelay does", Resilience{Delay: 120, MaxDelay: 60}, full, Resilience{
			Limit: 9, Delay: 120, Factor: 9, MaxDelay: 60, Jitter: &half, RetryOn: []ErrorKind{KindBusiness}, MaxRetryAfter: 7,
		}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, test.r.Or(test.other)); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}

func TestRetries(t *testing.T) {
	three := DefaultResilience()
	business := Resilience{Limit: 2, RetryOn: []ErrorKind{KindBusiness}}
	tests := []struct {
		policy   Resilience
		kind     ErrorKind
		failures int
		want     bool
	}{
		{three, KindError, 1, true},
		{three, KindError, 2, true},
		{three, KindError, 3, false}, // limit 3: three attempts in total
		{three, KindError, 4, false},
		{three, KindTimeout, 2, true},
		{three, KindPanic, 1, true},
		{three, KindPanic, 3, false},
		{three, KindBusiness, 1, false},
		{three, KindPermanent, 1, false},
		{three, KindPoison, 1, false},
		{three, KindCancelled, 1, false},
		{business, KindBusiness, 1, true},
		{business, KindBusiness, 2, false},
		{business, KindError, 1, false},
		{business, KindPanic, 1, false},
		{Resilience{Limit: 1, RetryOn: three.RetryOn}, KindError, 1, false},
		{Resilience{Limit: 5, RetryOn: []ErrorKind{}}, KindError, 1, false},
		{Resilience{Limit: 5, RetryOn: []ErrorKind{KindPermanent}}, KindPermanent, 1, false},
	}
	for _, test := range tests {
		if got := test.policy.Retries(test.kind, test.failures); got != test.want {
			t.Errorf("limit %d on %v: Retries(%s, %d) = %v, want %v",
				test.policy.Limit, test.policy.RetryOn, test.kind, test.failures, got, test.want)
		}
	}
}

func TestBackoffBeforeJitter(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	tests := []struct {
		delay, maxDelay time.Duration
		factor          float64
		failures        int
		want            time.Duration
	}{
		{30 * s, h, 2, 1, 30 * s}, {30 * s, h, 2, 2, m}, {30 * s, h, 2, 3, 2 * m}, {30 * s, h, 2, 8, h},
		{30 * s, h, 2, 0, 30 * s},
		{30 * s, h, 1, 8, 30 * s},
		{30 * s, h, 0, 8, 30 * s},
		{30 * s, 0, 2, 3, 2 * m},
		{2 * h, h, 2, 1, h},
		{30 * s, 0, 2, 5000, math.MaxInt64},
		{30 * s, h, 2, 5000, h},
		{0, 0, 2, 5000, 0},
	}
	for _, test := range tests {
		r := Resilience{Delay: Duration(test.delay), MaxDelay: Duration(test.maxDelay), Factor: test.factor}
		if got := r.Backoff(test.failures, 0); got != test.want {
			t.Errorf("delay %s, factor %v, maxDelay %s: Backoff(%d) = %s, want %s",
				test.delay, test.factor, test.maxDelay, test.failures, got, test.want)
		}
	}
}

func TestBackoffJitter(t *testing.T) {
	r := DefaultResilience()
	for _, test := range []struct {
		random   float64
		failures int
		want     time.Duration
	}{
		{0, 1, 27 * time.Second}, {0.5, 1, 30 * time.Second}, {0.75, 1, 31500 * time.Millisecond},
		{0, 8, 54 * time.Minute}, {0.75, 8, 63 * time.Minute}, // jitter applies to the maximum as well
	} {
		if got := r.Backoff(test.failures, test.random).Round(time.Millisecond); got != test.want {
			t.Errorf("Backoff(%d, %v) = %s, want %s", test.failures, test.random, got, test.want)
		}
	}
}
