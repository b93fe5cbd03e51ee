//go:build unix

package e2e

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"
)

// mostPrepared is the maximum number of bytes that a package of this program may allocate
// before main: every command pays for it. A pattern that repeats a class of all letters a
// hundred times allocates four million.
const mostPrepared = 200_000

// TestPackagesAllocateLittleAtStart checks what can be counted at the start. The duration is
// measured, see docs/benchmarks.md, because a test must not depend on time.
func TestPackagesAllocateLittleAtStart(t *testing.T) {
	cmd := command(t, t.TempDir(), []string{"GODEBUG=inittrace=1"}, "version")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("version: %v\n%s", err, trace.Bytes())
	}
	ours := regexp.MustCompile(`(?m)^init (botwork/\S+) .* (\d+) bytes,`).FindAllStringSubmatch(trace.String(), -1)
	if len(ours) < 10 {
		t.Fatalf("the trace has %d packages of this program, want 10 or more:\n%s", len(ours), trace.Bytes())
	}
	for _, p := range ours {
		if bytes, err := strconv.Atoi(p[2]); err != nil || bytes > mostPrepared {
			t.Errorf("package %s allocates %s bytes before the program begins, want at most %d: create large values at their first use (sync.OnceValue)", p[1], p[2], mostPrepared)
		}
	}
}
