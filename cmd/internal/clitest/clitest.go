// Package clitest runs command lines of Botwork in tests: in a temporary project, with the
// program's whole command line, and with golden files. Tests that use it are in external test
// packages, because it imports the packages of all commands.
package clitest

import (
	"bytes"
	"strings"
	"testing"

	"botwork/cmd"
	"botwork/cmd/internal/cli"
)

// Result is the outcome of one command line.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Do runs a command line in the working folder, with an empty environment.
func Do(t *testing.T, args ...string) Result {
	t.Helper()
	return DoWith(t, "", nil, args...)
}

// DoWith is Do with this standard input and environment.
func DoWith(t *testing.T, stdin string, environ []string, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := cmd.Run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr, environ)
	return Result{code, stdout.String(), stderr.String()}
}

// Must is Do for a command line that has to succeed. It returns the standard output.
func Must(t *testing.T, args ...string) string {
	t.Helper()
	r := Do(t, args...)
	if r.Code != cli.ExitDone {
		t.Fatalf("botwork %s: exit code %d, want 0\n%s", strings.Join(args, " "), r.Code, r.Stderr)
	}
	return r.Stdout
}

// WantFailure checks the exit code and that standard error holds each text.
func (r Result) WantFailure(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.Code != code {
		t.Errorf("exit code %d, want %d; it printed:\n%s%s", r.Code, code, r.Stdout, r.Stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.Stderr, text) {
			t.Errorf("standard error lacks %q:\n%s", text, r.Stderr)
		}
	}
}
