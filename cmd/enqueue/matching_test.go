package enqueue_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

// matched holds the labels and selectors of an item.
type matched struct {
	Labels    map[string]any
	Selectors []map[string]any
}

func TestEnqueueLabelsAndSelectors(t *testing.T) {
	clitest.InProject(t)
	it := clitest.Decode[matched](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--label", "language=français", "--label", "size=0.5", "--label", "urgent=true",
		"--label", "zip=0123", "--label", "formula=a=b", "--label", "size=0.5", "--selector", "ram>=32", "--selector", "site in [lisbon, porto]",
		"--selector", `{"key": "Id", "operator": "equal", "value": 7, "expiresAfter": "45s", "expedite": true}`, "-o", "json"))
	want := matched{
		Labels: map[string]any{"language": "français", "size": 0.5, "urgent": true, "zip": "0123", "formula": "a=b"},
		Selectors: []map[string]any{
			{"key": "ram", "operator": "greaterThanOrEqual", "value": 32.0},
			{"key": "site", "operator": "in", "values": []any{"lisbon", "porto"}},
			{"key": "Id", "operator": "equal", "value": 7.0, "expiresAfter": "45s", "expedite": true},
		},
	}
	if diff := cmp.Diff(want, it); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
	quoted := clitest.Decode[matched](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--label", `a="NaN"`, "--label", `b="9007199254740993"`, "--selector", `c = "1e400"`, "-o", "json"))
	want = matched{
		Labels:    map[string]any{"a": "NaN", "b": "9007199254740993"},
		Selectors: []map[string]any{{"key": "c", "operator": "equal", "value": "1e400"}},
	}
	if diff := cmp.Diff(want, quoted); diff != "" {
		t.Errorf("what is quoted (-want +got):\n%s", diff)
	}
	sheet := clitest.Must(t, "items", "show", "1")
	for _, line := range []string{`{"formula":"a=b","language":"français","size":0.5,"urgent":true,"zip":"0123"}`, `[{"key":"ram","operator":"greaterThanOrEqual","value":32}`} {
		if !strings.Contains(sheet, line) {
			t.Errorf("items show does not print %s:\n%s", line, sheet)
		}
	}
}

func TestEnqueueLinesWithLabels(t *testing.T) {
	clitest.InProject(t)
	lines := strings.Join([]string{
		`{"labels": {"a": 1}, "selectors": ["gpu exists"]}`,
		`{"labels": null}`,
		`{"labels": {}, "selectors": []}`,
	}, "\n")
	r := clitest.DoWith(t, lines, nil, "enqueue", "-", "--pipeline", "hello", "--label", "f=g", "--selector", "x = 1", "-o", "json")
	if r.Code != cli.ExitDone {
		t.Fatal(r.Stderr)
	}
	want := []matched{
		{Labels: map[string]any{"a": 1.0}, Selectors: []map[string]any{{"key": "gpu", "operator": "exists"}}},
		{Labels: map[string]any{"f": "g"}, Selectors: []map[string]any{{"key": "x", "operator": "equal", "value": 1.0}}},
		{},
	}
	if diff := cmp.Diff(want, clitest.Decode[[]matched](t, r.Stdout)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

func TestEnqueueRejectsWrongLabels(t *testing.T) {
	clitest.InProject(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--label", "gpu"}, `--label: got "gpu", want KEY=VALUE`},
		{[]string{"--label", "=x"}, `--label: got "=x", want KEY=VALUE`},
		{[]string{"--label", `a="x`}, "must be a valid JSON string"},
		{[]string{"--label", "a=NaN"}, `--label: got "a=NaN": NaN is not a finite number; if it is text, write it in double quotes: "NaN"`},
		{[]string{"--label", "a=1e400"}, `--label: got "a=1e400": 1e400 is too large for a 64-bit number`},
		{[]string{"--label", "a=9007199254740993"}, `9007199254740993 cannot be stored exactly as a 64-bit number; if it is text, write it in double quotes`},
		{[]string{"--selector", "a = 9007199254740993"}, `cannot be stored exactly`},
		{[]string{"--selector", "a in [1, 1e400]"}, `1e400 is too large for a 64-bit number`},
		{[]string{"--label", "a=1", "--label", "a=2"}, "--label: got a=1 and a=2"},
		{[]string{"--label", "a b=1"}, `--label: labels.a b: got the key "a b"`},
		{[]string{"--selector", "gpu"}, `--selector: got "gpu", want a condition such as gpu = true`},
		{[]string{"--selector", `{"key": "ram", "operator": "lessThan", "value": "9"}`}, `--selector: value: got the text "9", want a number after <`},
		{[]string{"--selector", `{"key": "ram"`}, "--selector: not JSON: unexpected end of JSON input"},
	} {
		r := clitest.Do(t, append([]string{"enqueue", "--pipeline", "hello"}, test.args...)...)
		r.WantFailure(t, cli.ExitUsage, test.want)
	}
	lines := `{"labels": {"a": [1], "b c": 2}}` + "\n" + `{"priority": 1, "selectors": ["gpu", {"key": "ram", "operator": "like", "value": 1}]}` + "\n" + `{"labels": "x", "selectors": "ram > 1"}`
	r := clitest.DoWith(t, lines, nil, "enqueue", "-", "--pipeline", "hello")
	r.WantFailure(t, cli.ExitUsage,
		`stdin:1:12: labels: a: got a list, want text, a number, true or false; b c: got the key "b c"`,
		`stdin:2:30: selectors: [0]: got "gpu", want a condition`, `; [1].operator: got "like", want equal (=)`,
		`stdin:3:12: labels: got the text "x", want a mapping from keys to values`,
		`stdin:3:30: selectors: got the text "ram > 1", want a list of selectors, such as ["gpu = true"]`)
	if out := clitest.Must(t, "items", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("a rejected input enqueued items:\n%s", out)
	}
}
