package spans_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"botwork/internal/spans"
	"botwork/internal/testgroup"
)

// TestPattern compares Pattern, which editors use, with Parse, for texts of the
// characters that durations consist of. Texts that are out of range match the pattern.
func TestPattern(t *testing.T) {
	form := regexp.MustCompile("^" + spans.Pattern + "$")
	good := 0
	testgroup.Check(t, 25, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`([0-9]{0,3}(\.[0-9]{0,2})?(ns|us|µs|ms|s|m|h|d|x)){0,3}`), rapid.StringMatching(`[0-9.dhms]{0,5}`),
		).Draw(t, "text")
		_, err := spans.Parse(text)
		if err == nil {
			good++
		}
		if got := form.MatchString(text); got != (err == nil) {
			t.Fatalf("%q has the form = %v, and Parse says %v", text, got, err)
		}
	})
	if good == 0 {
		t.Error("no text was a duration")
	}
}
