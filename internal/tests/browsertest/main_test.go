//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
)

// artefactsVariable names a folder that keeps the pictures of the pages.
const artefactsVariable = "BOTWORK_TEST_ARTEFACTS"

// binary is the program, built once; chromium is the browser.
var binary, chromium string

func TestMain(m *testing.M) { testgroup.Main(m, testgroup.Browser, buildAndRun) }

func buildAndRun(m *testing.M) int {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" {
		fmt.Fprintln(os.Stderr, "found no chromium in PATH; on Debian: apt-get install chromium")
		return 1
	}
	dir, err := testbuild.Programs("botwork/cmd/botwork")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "botwork")
	return m.Run()
}

// readSources lets a change of the program invalidate the cached result of a test.
func readSources(t *testing.T) {
	t.Helper()
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
}
