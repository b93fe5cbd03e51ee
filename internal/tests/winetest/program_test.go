//go:build linux

package winetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// build builds a program of this module for Windows; nil if it fails.
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

// windowsEnv lets the go command build programs for Windows, with the flags of the
// Makefile, so that compiled packages are shared.
func windowsEnv() []string {
	return append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false")
}
