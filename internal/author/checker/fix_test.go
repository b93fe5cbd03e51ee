package checker_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"botwork/config"
	"botwork/handlers/builtin"
	"botwork/internal/author/checker"
	"botwork/internal/savefile"
	"botwork/pipelines"
)

func newChecker(t testing.TB) *checker.Checker {
	t.Helper()
	settings := config.Default()
	settings.Pipelines.Timezone = "UTC"
	c, err := checker.New(&settings, registry(builtin.Resources{}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFix fixes pipelines that begin with the same step. An empty want means that the
// text must not change.
func TestFix(t *testing.T) {
	const head = "steps:\n  - handler: Log\n    with: {message: x}\n"
	c := newChecker(t)
	for from, want := range map[string]string{
		"    tiemout: 5min # while\n":                               "    timeout: 5m # while\n",
		"    tiemout: 5min\r\n    # a comment\r\n":                  "    timeout: 5m\r\n    # a comment\r\n",
		"    if: {{ payload.x == 1 }}\n":                            "    if: \"${{ payload.x == 1 }}\"\n",
		"    if: {{ payload.x == \"a\" }} # why\n":                  "    if: '${{ payload.x == \"a\" }}' # why\n",
		"    if: ${{ payload.x ? true : false }}\n":                 "    if: \"${{ payload.x ? true : false }}\"\n",
		"    if: ${{ payload.x # y }}\n":                            "",
		"\ttimeout: 5m\n":                                           "    timeout: 5m\n",
		"    timeout: 5\n":                                          "", // the unit is unknown
		"    tiemout: 5m\n    timeout: 6m\n":                        "", // it would be a duplicate key
		"    retry: {atempts: \"3\", dealy: 2 seconds}\n":           "    retry: {attempts: 3, delay: 2s}\n",
		"    nmae: 007\n":                                           "    name: \"007\"\n",
		"    retry: {attempts: 1_000}\nresilience: {limit: 1}\n":    "    retry: {attempts: 1000}\nresilience: {limit: 1}\n",
		"    onEror: contniue\n":                                    "", // the user must decide what happens on a failure
		"  - handler: Template\n    with: {text: {{ .payload }}}\n": "  - handler: Template\n    with: {text: \"{{ .payload }}\"}\n",
		"  - handler: Log\n    with: {message: [}\n":                "",
	} {
		t.Run(from, func(t *testing.T) {
			for _, mark := range []string{"", "\ufeff"} {
				text := []byte(mark + head + from)
				fixed, resolved := c.FixPipeline(pipelines.File{Path: "f.yaml", Data: text})
				wanted := mark + head + want
				if want == "" {
					wanted = string(text)
				}
				if string(fixed) != wanted {
					t.Fatalf("got\n%q\nwant\n%q", fixed, wanted)
				}
				if (want == "") != (len(resolved) == 0) {
					t.Errorf("resolved = %v", resolved)
				}
				if _, left := c.Compiler().Parse("f.yaml", fixed); want != "" && len(left) > 0 {
					t.Errorf("findings that remain: %v", left)
				}
			}
		})
	}
}

func TestFixSettings(t *testing.T) {
	text := "worker: {capcity: \"4\", heartbeat: 20 sec}\nqueues: {mail: {tll: 5 days}} # keep\nsecrets: {pin: {value: 0815}}\n"
	want := "worker: {capacity: 4, heartbeat: 20s}\nqueues: {mail: {ttl: 5d}} # keep\nsecrets: {pin: {value: \"0815\"}}\n"
	fixed, resolved := checker.FixSettings("botwork.yaml", []byte(text))
	if string(fixed) != want || len(resolved) != 4 {
		t.Errorf("got\n%s\nwant\n%s\nresolved: %v", fixed, want, resolved)
	}
	if strings.Contains(resolved.Error(), "0815") {
		t.Errorf("the resolved findings contain a secret: %v", resolved)
	}
}

// FuzzFix checks that fixing never panics, that the remaining findings are a part of the
// original ones, and that the number of lines and the comments do not change.
func FuzzFix(f *testing.F) {
	for _, pattern := range []string{"../../../pipelines/testdata/lint/*.yaml", "../../../pipelines/shipped/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s (error %v)", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	c := newChecker(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, before := c.Compiler().Parse("f.yaml", data)
		fixed, resolved := c.FixPipeline(pipelines.File{Path: "f.yaml", Data: data})
		_, after := c.Compiler().Parse("f.yaml", fixed)
		if p == nil && len(after) != len(before)-len(resolved) || len(resolved) == 0 && !bytes.Equal(fixed, data) {
			t.Errorf("%d mistakes, %d resolved, %d remaining in\n%s", len(before), len(resolved), len(after), fixed)
		}
		if bytes.Count(fixed, []byte("\n")) != bytes.Count(data, []byte("\n")) {
			t.Errorf("the number of lines changed:\n%q\n%q", data, fixed)
		}
		if bytes.Count(fixed, []byte(" #")) < bytes.Count(data, []byte(" #")) {
			t.Errorf("a comment was lost:\n%q\n%q", data, fixed)
		}
	})
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(path, []byte("one"), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink(path, link); err != nil {
		link = path // on Windows, creating links needs a privilege
	}
	if err := checker.Replace(link, []byte("one"), []byte("two")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "two" {
		t.Errorf("content of the file = %q, %v, want two", got, err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v, want 0640", info.Mode(), err)
	}
	if err := checker.Replace(path, []byte("one"), []byte("three")); err == nil || !strings.Contains(err.Error(), "changed the file meanwhile") {
		t.Errorf("Replace of a changed file = %v", err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, 0o600) }) // Windows does not remove it otherwise
	if err := checker.Replace(path, []byte("two"), []byte("three")); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("Replace of a read-only file = %v", err)
	}
	if err := checker.Replace(filepath.Join(dir, "none"), nil, []byte("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Replace without a file = %v, want ErrNotExist", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 2 {
		t.Errorf("files in the folder = %v, %v, want no temporary file", entries, err)
	}
}

// A fix that begins while a server saves the file waits, and then overwrites nothing.
func TestReplaceWaitsForAServer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(path, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		server, end := &savefile.Folder{Path: dir}, make(chan error)
		err := server.Save(savefile.Change{Name: "a.yaml", Text: []byte("one"), Hash: savefile.Hash([]byte("one")), Record: func() error {
			go func() { end <- checker.Replace(path, []byte("one"), []byte("two")) }()
			synctest.Wait()
			if text, _ := os.ReadFile(path); string(text) != "one" {
				t.Errorf("the file has %q before the save ends", text)
			}
			return nil
		}})
		if err = errors.Join(err, <-end); err != nil {
			t.Error(err)
		}
	})
	if text, _ := os.ReadFile(path); string(text) != "two" {
		t.Errorf("the file has %q, want two", text)
	}
}
