//go:build unix

package e2e

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"
)

// mostPrepared bounds, in bytes, what a package of this program may allocate before the
// program begins: each start pays for that, whatever it is for. A pattern that repeats
// a class of all letters a hundred times comes to four million.
const mostPrepared = 200_000

// TestNoPackagePreparesMuch holds the start to what can be counted. How long it takes is
// measured, see docs/benchmarks.md, since a clock makes no good test.
func TestNoPackagePreparesMuch(t *testing.T) {
	cmd := command(t, t.TempDir(), []string{"GODEBUG=inittrace=1"}, "version")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("version: %v\n%s", err, trace.Bytes())
	}
	ours := regexp.MustCompile(`(?m)^init (botwork/\S+) .* (\d+) bytes,`).FindAllStringSubmatch(trace.String(), -1)
	if len(ours) < 10 {
		t.Fatalf("the trace tells of %d packages of this program, want 10 or more:\n%s", len(ours), trace.Bytes())
	}
	for _, p := range ours {
		if bytes, err := strconv.Atoi(p[2]); err != nil || bytes > mostPrepared {
			t.Errorf("package %s allocates %s bytes before the program begins, want at most %d: make what is dear at its first use (sync.OnceValue)", p[1], p[2], mostPrepared)
		}
	}
}
