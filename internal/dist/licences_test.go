package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNotices checks that notices are found in a module's root folder and next to
// packages that were copied from elsewhere.
func TestNotices(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"LICENSE": "MIT\r\nyes", "NOTICE.txt": "made by us", "internal/theirs/COPYING": "BSD", "other/LICENSE": "of what is not linked",
		"license.go": "package x", "licensed/x.txt": "", "LICENSES.json": "{}", "README.md": "",
	} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	text, err := join([]part{{name: "example.com/a v1", root: root, dirs: map[string]bool{
		filepath.Join(root, "internal", "theirs", "deep"): true, root: true,
	}}})
	if err == nil {
		t.Errorf("a package in a missing folder: want an error, got %s", text)
	}
	write(t, filepath.Join(root, "internal/theirs/deep/x.go"), "")
	text, err = join([]part{{name: "example.com/a v1", root: root, dirs: map[string]bool{
		filepath.Join(root, "internal", "theirs", "deep"): true, root: true,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  example.com/a v1\n", "a v1: LICENSE\n", "MIT\nyes\n", "a v1: NOTICE.txt\n", "a v1: internal/theirs/COPYING\n", "BSD\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the notices lack %q:\n%s", want, text)
		}
	}
	for _, no := range []string{"not linked", "package x", "{}"} {
		if strings.Contains(string(text), no) {
			t.Errorf("the notices hold %q:\n%s", no, text)
		}
	}
}

func TestAModuleWithoutALicenceIsRefused(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "README.md"), "ours, ours alone")
	_, err := join([]part{{name: "example.com/a v1", root: root, dirs: map[string]bool{root: true}}})
	if err == nil || !strings.Contains(err.Error(), "example.com/a v1 has no licence") {
		t.Errorf("got %v", err)
	}
}
