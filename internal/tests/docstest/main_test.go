package docstest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/cmd"
)

var update = flag.Bool("update", false, "rewrite what is generated, and the fragments that stand in for a file")

// botwork runs a command line without any settings of this machine.
func botwork(t *testing.T, words ...string) (stdout []byte, code int) {
	t.Helper()
	var out, errors bytes.Buffer
	code = cmd.Run(t.Context(), words, strings.NewReader(""), &out, &errors, nil)
	if errors.Len() > 0 {
		t.Logf("botwork %s: exit code %d\n%s", strings.Join(words, " "), code, &errors)
	}
	return out.Bytes(), code
}

// golden compares a document with the expected text, or rewrites it.
func golden(t *testing.T, path, want string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(path))
	if *update {
		if err := os.WriteFile(full, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date; run go test ./internal/tests/docstest -update (-want +got):\n%s", path, diff)
	}
}

// sameSet reports the differences between two lists.
func sameSet(t *testing.T, what string, documented, real []string) {
	t.Helper()
	sort := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	if diff := cmp.Diff(sort(real), sort(documented)); diff != "" {
		t.Errorf("%s (-code +documents):\n%s", what, diff)
	}
}
