//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
)

// binary is the program, built once.
var binary string

func TestMain(m *testing.M) { testgroup.Main(m, testgroup.Processes, buildAndRun) }

func buildAndRun(m *testing.M) int {
	dir, err := testbuild.Programs("botwork/cmd/botwork")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "botwork")
	return m.Run()
}
