package pipelines

import (
	"fmt"
	"strings"
	"testing"

	"botwork/workqueue"
)

// A dry run shows the steps of blocks, the first iteration of loops, and the steps of called pipelines.
func TestDryRunOfBlocks(t *testing.T) {
	k := projectOf(t, nil, map[string]string{
		"callee": "input: {required: [n], properties: {n: {type: integer}}}\nvars: {twice: \"${{ payload.n }}\"}\nsteps: [{name: sign, handler: Echo, with: {value: \"${{ vars.twice }}\"}}]",
		"caller": `
vars: {base: "${{ payload.n + 1 }}"}
steps:
  - {name: open, handler: Echo, with: {value: "${{ vars.base }}"}}
  - name: lines
    foreach: ${{ payload.lines }}
    as: line
    steps:
      - {name: check, handler: Echo, with: {text: "${{ line.id }}-${{ each.index }}"}}
      - {name: more, handler: Echo, if: line.id == 2, with: {value: "${{ steps.check.output }}"}}
  - {name: later, foreach: "${{ steps.open.output }}", handler: Echo, with: {value: "${{ each }}"}}
  - {name: none, foreach: "${{ [] }}", steps: [{name: never, handler: Echo}]}
  - {name: skipped, if: payload.n > 5, steps: [{name: not, handler: Echo}]}
  - name: both
    parallel: true
    steps: [{name: one, handler: Echo, with: {value: "${{ input }}"}}, {name: two, handler: Echo}]
  - {name: post, uses: callee, with: {n: "${{ payload.n }}"}}
  - {name: post later, uses: callee, with: {n: "${{ steps.open.output }}"}}
onSuccess: [{name: praise, handler: Echo}]
onFailure: [{name: blame, handler: Echo, with: {text: "${{ error.text }}"}}]
finally: [{name: close, handler: Echo, with: {value: "${{ [attempt, error?.text] }}"}}]
`})
	p, _ := k.Get("caller")
	dry := func(payload string) string {
		run := workqueue.NewRun(&workqueue.Item{ID: 1, Payload: workqueue.JSONText(payload)})
		got := NewEngine(EngineOptions{}).DryRun(p, RunInput{Run: run})
		lines := []string{string(got.Outcome) + " " + got.Step + " " + got.Error}
		for _, s := range got.Steps {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s %v %s", s.Path, s.Action, s.Parameters, s.Reason)))
		}
		return strings.Join(lines, "\n")
	}
	want := `would succeed
open: call map[value:2]
lines: call map[] for each of 2 elements; shown for the first
lines / check: call map[text:7-0]
lines / more: skip map[] its condition is false
later: call map[value:<unknown: open>] for each element of the list, which depends on the result of step "open"
none: call map[] the list is empty
none / never: not reached map[] the list is empty
skipped: skip map[] its condition is false
skipped / not: skip map[]
both: call map[]
both / one: call map[value:[]]
both / two: call map[]
post: call map[n:1]
post / sign: call map[value:1]
post later: call map[n:<unknown: open>]
post later / sign: call map[value:<unknown: open>]
onSuccess / praise: call map[]
onFailure / blame: not reached map[] it runs only after a failure
finally / close: call map[value:[1 <nil>]]`
	if got := dry(`{"n": 1, "lines": [{"id": 7}, {"id": 2}]}`); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := dry(`{"n": 1, "lines": "x"}`); !strings.Contains(got, `would fail lines step "lines" (block): foreach: got a text, want a list or a map`) ||
		!strings.Contains(got, "blame: call map[text:step") || !strings.Contains(got, "praise: not reached") {
		t.Errorf("a list that is none:\n%s", got)
	}
}
