//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"botwork/internal/tests/testbuild"
)

// requireVariable is "1" where the tests must run. Elsewhere they are skipped if there is no browser.
const requireVariable = "BOTWORK_REQUIRE_CHROMIUM"

// artefactsVariable names a folder that keeps the pictures of the pages.
const artefactsVariable = "BOTWORK_TEST_ARTEFACTS"

// binary is the program, built once; chromium is the browser, "" if there is none.
var binary, chromium string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	if chromium == "" && os.Getenv(requireVariable) != "1" {
		return m.Run() // each test says why it is skipped
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

// needBrowser skips the test if the machine has no browser.
func needBrowser(t *testing.T) {
	t.Helper()
	switch {
	case chromium != "":
	case os.Getenv(requireVariable) == "1":
		t.Fatalf("found no chromium in PATH, which %s=1 demands; on Debian: apt-get install chromium", requireVariable)
	default:
		t.Skip("found no chromium in PATH; on Debian: apt-get install chromium")
	}
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
}
