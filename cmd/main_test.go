package cmd

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/cmd/internal/cli"
	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
)

var update = flag.Bool("update", false, "rewrite the files of testdata/golden")

// result is what one command line came to.
type result struct {
	code           int
	stdout, stderr string
}

// botwork carries out a command line in the working folder, with no environment.
func botwork(t *testing.T, args ...string) result {
	t.Helper()
	return botworkWith(t, "", nil, args...)
}

func botworkWith(t *testing.T, stdin string, environ []string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr, environ)
	return result{code, stdout.String(), stderr.String()}
}

// mustDo is botwork for a command line that has to succeed.
func mustDo(t *testing.T, args ...string) string {
	t.Helper()
	r := botwork(t, args...)
	if r.code != cli.ExitDone {
		t.Fatalf("botwork %s: exit code %d, want 0\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// wantFailure checks the exit code and that standard error holds each text.
func (r result) wantFailure(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; it said:\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.stderr, text) {
			t.Errorf("standard error lacks %q:\n%s", text, r.stderr)
		}
	}
}

// inProject makes a new project and works in it.
func inProject(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	mustDo(t, "init", dir)
	t.Chdir(dir)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// openQueue opens the project's database beside the program.
func openQueue(t *testing.T) *sqlstore.Store {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // the clean-up outlives the test's context
	testdb.Prepare(t, database.SQLite, "botwork.db")
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: database.SQLite, DSN: "botwork.db"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return store
}

// instants are times as the contract writes them: RFC 3339, UTC, milliseconds
// at most. What is not in this form stays and so fails the comparison.
var instants = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z"`)

// randomKeys are idempotency keys, as SQLite makes them.
var randomKeys = regexp.MustCompile(`"idempotencyKey": "[0-9a-f]{32}"|idempotencyKey: [0-9a-f]{32}|idempotencyKey: "[0-9a-f]{32}"`)

// packageFolder is where the tests start; one may move to another folder.
var packageFolder, _ = os.Getwd()

// golden compares output, its times and random keys replaced, with a file of testdata/golden.
func golden(t *testing.T, name, output string) {
	t.Helper()
	path := filepath.Join(packageFolder, "testdata", "golden", name)
	got := instants.ReplaceAllString(output, `"(time)"`)
	got = randomKeys.ReplaceAllString(got, `"idempotencyKey": "(random)"`)
	if *update {
		writeFile(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s: -want +got\n%s", name, diff)
	}
}
