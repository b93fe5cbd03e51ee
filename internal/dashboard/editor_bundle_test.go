package dashboard

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botwork/internal/testgroup"
)

// The start of codemirror.js.gz names the versions of the lock file, so that a new lock file without a new
// bundle is found. BOTWORK_TEST_GROUPS=npm also makes the bundle again and compares it; that needs Node.js,
// and `npm ci --ignore-scripts` in the folder editor.
func TestEditorBundle(t *testing.T) {
	read := func(path string) []byte {
		t.Helper()
		zipped, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		script, err := unzip(zipped) // compared as text: the versions of Node.js compress differently
		if err != nil {
			t.Fatal(err)
		}
		return script
	}
	bundle := read("assets/codemirror.js.gz")
	text, err := os.ReadFile("editor/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(bundle), "*/")
	versions := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^(@?[a-z][a-z0-9/-]+) ([0-9.]+)$`).FindAllStringSubmatch(head, -1) {
		versions[match[1]] = match[2]
	}
	if len(versions) < 10 || !strings.Contains(head, "Permission is hereby granted") {
		t.Errorf("the start of the bundle lacks packages or their licences: %v", versions)
	}
	for path, p := range lock.Packages {
		name := strings.TrimPrefix(path, "node_modules/")
		if got := versions[name]; path != "" && !p.Dev && got != p.Version {
			t.Errorf("the bundle has %s %s, the lock file %s: run make editor", name, got, p.Version)
		}
	}
	if !testgroup.Asked(testgroup.Npm) {
		return
	}
	again := filepath.Join(t.TempDir(), "codemirror.js.gz")
	if out, err := exec.Command("node", "editor/build.mjs", again).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !bytes.Equal(read(again), bundle) {
		t.Error("the bundle is not what the lock file's versions make: run make editor")
	}
}

// The first load of a page stays small: below 150 kB compressed, and below 500 kB with the editor.
func TestAssetsAreSmall(t *testing.T) {
	files, err := loadAssets()
	if err != nil {
		t.Fatal(err)
	}
	const most, mostWithEditor = 150_000, 500_000
	usual, all := 0, 0
	for name, one := range files.byFile {
		all += len(one.zip)
		if name != "codemirror.js" && name != "editor.js" && name != "editor.css" {
			usual += len(one.zip)
		}
	}
	if usual > most || all > mostWithEditor {
		t.Errorf("the files have %d bytes, with the editor %d; want at most %d and %d", usual, all, most, mostWithEditor)
	}
}
