package builtin

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"botwork/handlers"
)

func TestOutputTail(t *testing.T) {
	changes := 0
	tail := &outputTail{changed: func() { changes++ }}
	out, err := tail.stream(0), tail.stream(1)
	fmt.Fprint(out, "one\r\ntwo")
	fmt.Fprint(err, "trouble\xff\n")
	fmt.Fprint(out, "three\n")
	if got, want := tail.String(), "one\ntwo\ntrouble\uFFFD\nthree\n"; got != want || changes != 3 {
		t.Errorf("text = %q after %d changes, want %q after 3", got, changes, want)
	}
}

// A program that writes much to one output keeps what it wrote to the other.
func TestOutputTailIsBounded(t *testing.T) {
	tail := &outputTail{changed: func() {}}
	out, err := tail.stream(0), tail.stream(1)
	fmt.Fprint(err, "the reason\n")
	for i := range 10_000 {
		fmt.Fprintf(out, "line %d of many\n", i)
	}
	fmt.Fprint(out, strings.Repeat("x", 3*tailSize)+"\n")
	for i := range 10 {
		fmt.Fprintf(out, "end %d\n", i)
	}
	text := tail.String()
	if !strings.HasPrefix(text, "…") || !strings.Contains(text, "the reason\n") || !strings.HasSuffix(text, "end 9\n") || strings.Contains(text, "line 9999") {
		t.Errorf("text = %.30q … %q, want the end of both outputs", text, text[len(text)-20:])
	}
	if tail.sizes[0] != tailSize || len(text) > tailSize+30 {
		t.Errorf("%d bytes of standard output, %d in all, want %d", tail.sizes[0], len(text), tailSize)
	}
}

func TestExecPrintsWhileItRuns(t *testing.T) {
	var text func() string
	var changes atomic.Int32
	call := &handlers.Call{Input: "hello\n", OnPrint: func(f func() string) func() {
		text = f
		return func() { changes.Add(1) }
	}}
	if _, err := run(t, execKind(Resources{}), helper(t, map[string]any{"stdin": "text"}, "echo"), call); err != nil || text() != "hello\n" || changes.Load() == 0 {
		t.Errorf("log = %q after %d changes, %v, want the output", text(), changes.Load(), err)
	}
	_, err := run(t, execKind(Resources{}), helper(t, nil, "exit", "1"), call)
	if wantError(t, err, "error"); text() != "some trouble\n" {
		t.Errorf("log = %q, want the errors of a program that failed", text())
	}
	_, err = run(t, execKind(Resources{}), helper(t, map[string]any{"maxOutput": "10KB"}, "flood"), call)
	if wantError(t, err, "permanent"); len(text()) < 10<<10 {
		t.Errorf("log has %d bytes of a program that wrote too much, want its end", len(text()))
	}
}

func TestExecInputNeedsStdin(t *testing.T) {
	wantInvalid(t, execKind(Resources{}), map[string]any{"program": "x", "input": "a"}, "input: has no effect without stdin")
	wantInvalid(t, execKind(Resources{}), map[string]any{"program": "x", "input": "a", "stdin": "none"}, "input: has no effect without stdin")
	expression := func(path []string) bool { return path[0] == "input" }
	if got := execKind(Resources{}).CheckLiteral(map[string]any{"program": "x", "input": nil}, expression); len(got) != 1 || got[0].Path[0] != "input" || got[0].Hint != "give stdin, too" {
		t.Errorf("findings of an expression for input without stdin: %v, want one at input", got)
	}
	if got := execKind(Resources{}).CheckLiteral(map[string]any{"program": "x", "input": nil, "stdin": "json"}, expression); len(got) > 0 {
		t.Errorf("findings with stdin: %v, want none", got)
	}
	for _, with := range []map[string]any{{"program": "x", "input": "a", "stdin": "text"}, {"program": "x", "stdin": "text"}, {"program": "x"}} {
		if _, err := execKind(Resources{}).Build(with); err != nil {
			t.Errorf("%v: %v, want it accepted", with, err)
		}
	}
}
