//go:build unix

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// binary is the program, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "botwork-e2e-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "botwork")
	build := exec.Command("go", "build", "-o", binary, "botwork/cmd/botwork")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		panic(err)
	}
	return m.Run()
}

// readSources touches everything that the binary is made of. The test cache
// knows nothing of what a child process such as go build reads: without this, a
// change of the program would meet the result of the last run.
var readSources = sync.OnceValue(func() error {
	sources := []string{".go", ".mod", ".sum", ".yaml", ".sql", ".csv", ".json", ".md"}
	return filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && strings.Trim(entry.Name(), ".") != "" {
			return fs.SkipDir
		}
		if err == nil && slices.Contains(sources, filepath.Ext(path)) {
			_, err = os.Stat(path)
		}
		return err
	})
})
