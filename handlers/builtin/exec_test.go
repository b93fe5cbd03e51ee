package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

// The test binary is also the program that the Exec tests run: TestMain calls helperProgram if
// this variable is set.
const helperVariable = "EXEC_TEST_HELPER"

func helperProgram(args []string) int {
	switch args[0] {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "args":
		json.NewEncoder(os.Stdout).Encode(args[1:])
	case "env":
		for _, name := range args[1:] {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	case "has":
		_, has := os.LookupEnv(args[1])
		fmt.Print(has)
	case "exit":
		code, _ := strconv.Atoi(args[1])
		fmt.Fprintln(os.Stderr, "some trouble")
		return code
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 4096)); err != nil {
				return 1
			}
		}
	case "hang":
		// The runtime reports an empty select as a deadlock, but not this.
		signals := make(chan os.Signal, 1)
		signal.Notify(signals)
		<-signals
	}
	return 0
}

// helper returns the parameters that run the helper program.
func helper(t *testing.T, with map[string]any, args ...any) map[string]any {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"program": program, "args": args, "env": map[string]any{helperVariable: "1"}}
	for name, value := range with {
		if name == "env" {
			value.(map[string]any)[helperVariable] = "1"
		}
		all[name] = value
	}
	return all
}

func TestExecInputAndOutput(t *testing.T) {
	for _, c := range []struct {
		name string
		with map[string]any
		args []any
		want any
	}{
		{"text", map[string]any{"stdin": "text"}, []any{"echo"}, "in\nput"},
		{"lines", map[string]any{"stdin": "text", "stdout": "lines"}, []any{"echo"}, []any{"in", "put"}},
		{"json", map[string]any{"stdin": "json", "stdout": "json", "input": map[string]any{"a": 1}}, []any{"echo"}, map[string]any{"a": 1}},
		{"lines in", map[string]any{"stdin": "lines", "input": []any{"a", 1}}, []any{"echo"}, "a\n1\n"},
		{"no input", map[string]any{}, []any{"echo"}, ""},
		{"no shell", map[string]any{"stdout": "json"}, []any{"args", "$HOME; rm *", "a b", ""}, []any{"$HOME; rm *", "a b", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := run(t, execKind(Resources{}), helper(t, c.with, c.args...), &handlers.Call{Input: "in\nput"})
			if diff := cmp.Diff(any(map[string]any{"exitCode": 0, "output": c.want, "stderr": ""}), out); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
	_, err := run(t, execKind(Resources{}), helper(t, map[string]any{"stdin": "text"}, "echo"), &handlers.Call{Input: 5})
	wantError(t, err, "permanent", "the number 5", "stdin: json")
	_, err = run(t, execKind(Resources{}), helper(t, map[string]any{"stdin": "lines"}, "echo"), &handlers.Call{Input: "x"})
	wantError(t, err, "permanent", "want a list")
	_, err = run(t, execKind(Resources{}), helper(t, map[string]any{"stdin": "text", "stdout": "json"}, "echo"), &handlers.Call{Input: "{"})
	wantError(t, err, "error", "json ends too early")
}

func TestExecEnvironmentAndFolder(t *testing.T) {
	t.Setenv("BOTWORK_DATABASE_DSN", "hunter2")
	t.Setenv("KEPT", "yes")
	call := &handlers.Call{Pipeline: "p", Step: "s", ItemID: 7, Attempt: 2, Fence: 5}
	out, err := run(t, execKind(Resources{}), helper(t, map[string]any{"env": map[string]any{"MORE": "m"}}, "env",
		"BOTWORK_DATABASE_DSN", "KEPT", "MORE", "BOTWORK_PIPELINE", "BOTWORK_STEP", "BOTWORK_ITEM_ID", "BOTWORK_ATTEMPT", "BOTWORK_FENCE", "BOTWORK_IDEMPOTENCY_KEY"), call)
	if err != nil {
		t.Fatal(err)
	}
	want := "BOTWORK_DATABASE_DSN=\nKEPT=yes\nMORE=m\nBOTWORK_PIPELINE=p\nBOTWORK_STEP=s\nBOTWORK_ITEM_ID=7\nBOTWORK_ATTEMPT=2\nBOTWORK_FENCE=5\n" +
		"BOTWORK_IDEMPOTENCY_KEY=" + idempotencyKey(call) + "\n"
	if got := out.(map[string]any)["output"]; got != want {
		t.Errorf("environment =\n%s\nwant\n%s", got, want)
	}
	if out, err = run(t, execKind(Resources{}), helper(t, nil, "has", "BOTWORK_IDEMPOTENCY_KEY"), &handlers.Call{}); err != nil || out.(map[string]any)["output"] != "false" {
		t.Errorf("a run without an item has an idempotency key: %v, %v, want that the variable is not set", out, err)
	}
	_, err = run(t, execKind(Resources{}), helper(t, map[string]any{"dir": "no/such/folder"}, "echo"), nil)
	wantError(t, err, "permanent", "no/such/folder")
}

func TestExecOutcomes(t *testing.T) {
	with := func() map[string]any {
		return map[string]any{"success": []any{0, 3}, "business": 4, "permanent": []any{5}}
	}
	for code, want := range map[string]string{"0": "success", "3": "success", "4": "business", "5": "permanent", "6": "error"} {
		_, err := run(t, execKind(Resources{}), helper(t, with(), "exit", code), nil)
		wantError(t, err, want)
		if want != "success" {
			wantError(t, err, want, "exit code "+code+"; standard error: some trouble")
		}
	}
	_, err := run(t, execKind(Resources{}), map[string]any{"program": "botwork-no-such-program"}, nil)
	wantError(t, err, "permanent", "botwork-no-such-program", "not found")
	_, err = run(t, execKind(Resources{}), helper(t, map[string]any{"maxOutput": "10KB"}, "flood"), nil)
	wantError(t, err, "permanent", "wrote more than 10KB", "maxOutput")
	out, err := run(t, execKind(Resources{}), helper(t, map[string]any{"maxOutput": 8, "stdin": "text"}, "echo"), &handlers.Call{Input: "12345678"})
	if err != nil || out.(map[string]any)["output"] != "12345678" {
		t.Errorf("as much output as allowed = %v, %v", out, err)
	}
	_, err = run(t, execKind(Resources{}), helper(t, map[string]any{"maxOutput": 7, "stdin": "text"}, "echo"), &handlers.Call{Input: "12345678"})
	wantError(t, err, "permanent", "wrote more than 7B")
	_, err = run(t, execKind(Resources{}), helper(t, map[string]any{"timeout": "50ms"}, "hang"), nil)
	wantError(t, err, "error", "no end within 50ms; it was killed")
}

func TestExecStopsWithItsContext(t *testing.T) {
	h, err := execKind(Resources{}).Build(helper(t, nil, "hang"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = h.Handle(ctx, &handlers.Call{})
	wantError(t, err, "error", "context canceled")
}

func TestExecValidate(t *testing.T) {
	wantInvalid(t, execKind(Resources{}), map[string]any{"program": "", "timeout": "0s", "success": []any{}},
		"program: want a name", "timeout: want more than 0s", "success: want at least one")
	wantInvalid(t, execKind(Resources{}), map[string]any{"program": "x", "business": 0}, "the exit code 0 is in two")
	wantInvalid(t, execKind(Resources{}), map[string]any{"program": "x", "business": 1, "permanent": 1}, "the exit code 1 is in two")
}

func TestTailBuffer(t *testing.T) {
	b := &tailBuffer{limit: 5}
	for _, text := range []string{"abc", "", "defg", strings.Repeat("x", 3) + "é"} {
		b.Write([]byte(text))
	}
	if got := b.String(); got != "…xxxé" {
		t.Errorf("tail = %q, want …xxxé", got)
	}
}
