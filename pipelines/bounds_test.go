package pipelines

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"botwork/workqueue"
)

// TestExpressionsAreBounded checks that the bounds apply to all expressions of a step
// together, and that the error names the expression that exceeded them.
func TestExpressionsAreBounded(t *testing.T) {
	const mb = `repeat("abcdefgh", 131072)`
	tests := []struct{ name, step, want string }{
		{"a condition", `if: 'let l = 1..900000; count(l, count(l, # < 0) > 0) > 0'`, "if (test.yaml:"},
		{"a parameter", `with: {value: '${{ join(map(1..1000, ` + mb + `)) }}'}`, "with.value (test.yaml:"},
		{"a text", `with: {value: 'a ${{ ` + mb + ` }} ` + strings.Repeat("${{ "+mb+" }}", 100) + `'}`, "with.value (test.yaml:"},
		{"many parameters", `with: {value: [` + strings.Repeat(`'${{ `+mb+` }}', `, 100) + `1]}`, "with.value."},
		{"many long lists", `with: {value: [` + strings.Repeat(`'${{ 1..900000 }}', `, 100) + `1]}`, "with.value."},
		{"a payload in a text", `with: {value: '` + strings.Repeat("${{ payload.text }}", 100) + `'}`, "with.value (test.yaml:"},
		{"a list that holds itself twice", `with: {value: '${{ reduce(1..60, [#acc, #acc], 1) }}'}`, "with.value (test.yaml:"},
	}
	payload := workqueue.JSONText(`{"text": "` + strings.Repeat("x", 1<<20) + `"}`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := parse(t, testCompiler(nil), "steps:\n  - name: s\n    handler: Echo\n    "+test.step+"\n")
			got := testEngine(nil).Run(t.Context(), p, RunInput{Run: workqueue.NewRun(&workqueue.Item{Payload: payload})})
			if got.Kind != workqueue.KindPermanent || !strings.Contains(got.Error, test.want) || !exceeds(got.Error) {
				t.Errorf("outcome = %v %q %.300s, want a permanent failure that names %q", got.Verdict, got.Kind, got.Error, test.want)
			}
			dry := testEngine(nil).DryRun(p, RunInput{Run: workqueue.NewRun(&workqueue.Item{Payload: payload})})
			if text := fmt.Sprintf("%.100000v", dry); !exceeds(text) {
				t.Errorf("the dry run says %.300s, want that a bound is exceeded", text)
			}
		})
	}
}

// TestExpressionEndsWithItsRun checks that an expression ends with the context of its run,
// and that the verdict of the run follows from the cause.
func TestExpressionEndsWithItsRun(t *testing.T) {
	for name, step := range map[string]string{
		"if":   `if: 'let l = 1..900000; count(l, count(l, # < 0) > 0) > 0'`,
		"with": `with: {value: '${{ let l = 1..900000; count(l, count(l, # < 0) > 0) }}'}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, testCompiler(nil), "steps:\n  - name: s\n    handler: Echo\n    onError: continue\n    "+step+"\n")
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := &endsLater{Context: ctx, left: 3, end: func() { cancel(workqueue.ErrDraining) }}
			got := testEngine(nil).Run(ended, p, RunInput{})
			if got.Verdict != workqueue.Released || got.Step != "s" {
				t.Errorf("outcome = %+v, want released at s", got.Outcome)
			}
		})
	}
}

// endsLater is a context that ends after a number of calls.
type endsLater struct {
	context.Context
	left int
	end  func()
}

func (c *endsLater) Err() error {
	if c.left--; c.left < 0 {
		c.end()
	}
	return c.Context.Err()
}

// exceeds reports whether a text says that a bound is exceeded.
func exceeds(text string) bool {
	return strings.Contains(text, "more than") || strings.Contains(text, "larger than")
}
