package clitest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of cmd/testdata/golden")

// instants matches times in the format of the contract: RFC 3339, UTC, at most milliseconds.
// Times in another format are not replaced and fail the comparison.
var instants = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z"`)

// randomKeys matches idempotency keys that SQLite generates.
var randomKeys = regexp.MustCompile(`"idempotencyKey": "[0-9a-f]{32}"|idempotencyKey: [0-9a-f]{32}|idempotencyKey: "[0-9a-f]{32}"`)

// PackageFolder is the folder in which the tests start; a test may change the working folder.
var PackageFolder, _ = os.Getwd()

// Golden compares output, its times and random keys replaced, with a file of
// cmd/testdata/golden.
func Golden(t *testing.T, name, output string) {
	t.Helper()
	path := filepath.Join(moduleFolder(t), "cmd", "testdata", "golden", name)
	got := instants.ReplaceAllString(output, `"(time)"`)
	got = randomKeys.ReplaceAllString(got, `"idempotencyKey": "(random)"`)
	if *update {
		WriteFile(t, path, got)
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

// moduleFolder returns the folder of the module that PackageFolder is in.
func moduleFolder(t *testing.T) string {
	t.Helper()
	for dir := PackageFolder; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			t.Fatalf("no go.mod above %s: %v", PackageFolder, err)
		}
	}
}
