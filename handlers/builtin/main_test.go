package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"botwork/handlers"
)

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" {
		os.Exit(helperProgram(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// run builds a kind of the built-in list and handles one call.
func run(t *testing.T, kind handlers.Kind, with map[string]any, call *handlers.Call) (any, error) {
	t.Helper()
	h, err := kind.Build(with)
	if err != nil {
		t.Fatalf("build %s: %v", kind.Name, err)
	}
	if call == nil {
		call = &handlers.Call{}
	}
	out, err := h.Handle(context.Background(), call)
	checkShape(t, kind, with, out, err)
	return out, err
}

// checkShape compares the declared shape of a kind's output with the real output. All tests
// that run a handler call it.
func checkShape(t *testing.T, kind handlers.Kind, with map[string]any, out any, err error) {
	t.Helper()
	if err != nil {
		return
	}
	if err := kind.Shape(with).Check(out); err != nil {
		t.Errorf("the output of %s does not match its shape: %v", kind.Name, err)
	}
}

// outcome names the sort of error as the package doc does.
func outcome(err error) string {
	var permanent *handlers.PermanentError
	var business *handlers.BusinessError
	var later *handlers.RetryAfterError
	var snoozed *handlers.SnoozeError
	var ended *handlers.BreakError
	var dropped *handlers.DropError
	switch {
	case err == nil:
		return "success"
	case errors.As(err, &permanent):
		return "permanent"
	case errors.As(err, &business):
		return "business"
	case errors.As(err, &later):
		return fmt.Sprintf("retry after %s", later.After)
	case errors.As(err, &snoozed):
		return "snooze"
	case errors.As(err, &ended):
		return "break"
	case errors.As(err, &dropped):
		return "drop"
	default:
		return "error"
	}
}

// wantError fails unless err has the outcome and contains the words.
func wantError(t *testing.T, err error, kind string, words ...string) {
	t.Helper()
	if got := outcome(err); got != kind {
		t.Errorf("outcome = %s (%v), want %s", got, err, kind)
	}
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("err = %v, want it to say %q", err, word)
		}
	}
}

// wantInvalid fails unless the error of Build contains all words.
func wantInvalid(t *testing.T, kind handlers.Kind, with map[string]any, words ...string) {
	t.Helper()
	_, err := kind.Build(with)
	for _, word := range words {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("Build(%v): err = %v, want it to say %q", with, err, word)
		}
	}
}

// tempFolder returns a folder that holds the given files.
func tempFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// readFile returns a file's content.
func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
