//go:build linux

package winetest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// build builds a program of this module for Windows; nil if it cannot.
func build(t *testing.T, pkg string) []byte {
	t.Helper()
	to := filepath.Join(t.TempDir(), "program.exe")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", to, pkg)
	cmd.Env = windowsEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go build %s: %v\n%s", pkg, err, out)
		return nil
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Error(err)
	}
	return data
}

// windowsEnv lets the go command make programs for Windows, with the flags that the
// Makefile has, so that compiled packages are shared.
func windowsEnv() []string {
	return append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false")
}

// readSources touches everything that the program is made of: the test cache knows
// nothing of what a child process such as go build reads.
func readSources(t *testing.T) {
	t.Helper()
	sources := []string{".go", ".mod", ".sum", ".yaml", ".sql", ".csv", ".json", ".md"}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && strings.Trim(entry.Name(), ".") != "" {
			return fs.SkipDir
		}
		if err == nil && slices.Contains(sources, filepath.Ext(path)) {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
