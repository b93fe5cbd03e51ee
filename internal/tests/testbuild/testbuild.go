// Package testbuild builds programs of this module for tests that run them as processes.
package testbuild

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Programs builds packages of programs into a new folder, each under the last part of its
// path, and returns the folder. They are built without the race detector: tests watch
// their own concurrency, and the programs need the cores.
func Programs(packages ...string) (dir string, err error) {
	dir, err = os.MkdirTemp("", "botwork-build-")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", append([]string{"build", "-o", dir + string(filepath.Separator)}, packages...)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return "", fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	return dir, nil
}

// ReadSources looks at all files that programs of this module are made of. The test cache
// knows nothing of what go build reads: without this, a change of a program would meet the
// result of the last run. The test's package is three folders below the module.
var ReadSources = sync.OnceValue(func() error {
	sources := []string{".go", ".mod", ".sum", ".yaml", ".sql", ".csv", ".json", ".md"}
	return filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && strings.Trim(entry.Name(), ".") != "" {
			return fs.SkipDir
		}
		if err == nil && slices.Contains(sources, filepath.Ext(path)) {
			_, err = os.Stat(path)
		}
		return err
	})
})
