package workqueue

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// FuzzParseResilience checks that an accepted policy is valid, can be written and read
// again, and never returns a wait below zero or above its maximum, nor an attempt above
// its limit; and that a refused one has an error with a reason.
func FuzzParseResilience(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"limit":3,"delay":"30s","factor":2,"maxDelay":"1h","jitter":0.1,"retryOn":["error","timeout"],"timeout":"10m","within":"24h"}`,
		`{"limit":0}`, `{"limit":-1}`, `{"limit":1e9}`, `{"delay":"0s"}`, `{"delay":"-1s"}`, `{"delay":30}`, `{"delay":"2562047h"}`, `{"factor":1e308,"delay":"1h"}`,
		`{"factor":0.5}`, `{"jitter":0}`, `{"jitter":1}`, `{"jitter":1.1}`, `{"retryOn":[]}`, `{"retryOn":["business"]}`, `{"retryOn":["poison"]}`, `{"retryOn":null}`,
		`{"timeout":"1ns"}`, `{"within":""}`, `{"Limit":2}`, `{"limit":1,"limit":0}`, `{"limits":3}`, `{} {}`, `null`, `[]`, `"x"`, `{"limit":`,
	} {
		f.Add(text, 3, 0.5)
	}
	f.Fuzz(func(t *testing.T, text string, failures int, random float64) {
		r, err := ParseResilience(JSONText(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "resilience ") || !reflect.DeepEqual(r, Resilience{}) {
				t.Fatalf("ParseResilience(%q) = %+v, %v", text, r, err)
			}
			return
		}
		if err := r.Validate(); err != nil {
			t.Fatalf("ParseResilience(%q) accepted an invalid policy: %v", text, err)
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParseResilience(JSONText(written)); err != nil || len(r.RetryOn) > 0 && !reflect.DeepEqual(again, r) {
			t.Fatalf("%q was written as %s, which reads as %+v, %v", text, written, again, err)
		}
		full := r.Or(DefaultResilience())
		if err := full.Validate(); err != nil || full.Limit < 1 || full.Jitter == nil || full.RetryOn == nil || full.Factor < 1 {
			t.Fatalf("%q over the default is %+v, %v", text, full, err)
		}
		if r.Or(full).Limit != full.Limit || r.MaxDelay == 0 && full.MaxDelay < r.Delay {
			t.Fatalf("%q over the default is %+v", text, full)
		}
		if !(random >= 0 && random < 1) {
			random = 0.5
		}
		wait := full.Backoff(failures, random)
		if most := 2 * float64(full.MaxDelay); wait < 0 || float64(wait) > most {
			t.Fatalf("%q waits %s after failure %d, want at most twice %s", text, wait, failures, time.Duration(full.MaxDelay))
		}
		for _, kind := range []ErrorKind{KindError, KindBusiness, KindTimeout, KindPanic} {
			if full.Retries(kind, max(failures, full.Limit)) {
				t.Fatalf("%q retries %s after %d failures", text, kind, max(failures, full.Limit))
			}
		}
	})
}
