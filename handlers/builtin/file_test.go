package builtin

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

func fileIn(folders ...string) handlers.Kind { return fileKind(Resources{Folders: folders}) }

func TestFileList(t *testing.T) {
	folder := tempFolder(t, map[string]string{"in/b.csv": "22", "in/a.csv": "1", "in/c.txt": "", "in/sub/d.csv": "", "in/a.csv.d/x": ""})
	old := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{"a.csv", "b.csv"} {
		if err := os.Chtimes(filepath.Join(folder, "in", name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	file := func(path, name string, size int) map[string]any {
		return map[string]any{"path": path, "name": name, "size": size, "modifiedAt": old}
	}
	out, err := run(t, fileIn(folder), map[string]any{"op": "list", "path": "in", "pattern": "*.csv"}, nil)
	want := map[string]any{"files": []any{file("in/a.csv", "a.csv", 1), file("in/b.csv", "b.csv", 2)}, "count": 2}
	if diff := cmp.Diff(any(want), out); diff != "" || err != nil {
		t.Error(err, diff)
	}
	out, err = run(t, fileIn(folder), map[string]any{"op": "list", "path": filepath.Join(folder, "in"), "pattern": "*/*.csv"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := out.(map[string]any)["files"].([]any)
	if want := filepath.ToSlash(folder) + "/in/sub/d.csv"; len(found) != 1 || found[0].(map[string]any)["path"] != want {
		t.Errorf("files = %v, want %s: an absolute path stays absolute", found, want)
	}
	out, err = run(t, fileIn(folder), map[string]any{"op": "list", "path": "in", "olderThan": "1h"}, nil)
	if err != nil || out.(map[string]any)["count"] != 2 {
		t.Errorf("olderThan: %v, %v, want the two old files", out, err)
	}
	_, err = run(t, fileIn(folder), map[string]any{"op": "list", "path": "in/a.csv"}, nil)
	wantError(t, err, "permanent", "it is a file")
	_, err = run(t, fileIn(folder), map[string]any{"op": "list", "path": "none"}, nil)
	wantError(t, err, "error", `list "none"`)
}

func TestFileRead(t *testing.T) {
	folder := tempFolder(t, map[string]string{"a.txt": "olá", "a.json": `{"n": 1}`, "bad.json": `{`, "raw": "\xff"})
	for _, c := range []struct {
		path, as string
		want     any
		outcome  string
	}{
		{"a.txt", "text", "olá", "success"},
		{"a.json", "json", map[string]any{"n": 1}, "success"},
		{"raw", "base64", "/w==", "success"},
		{"raw", "text", nil, "business"},
		{"bad.json", "json", nil, "business"},
		{"none", "text", nil, "error"},
	} {
		out, err := run(t, fileIn(folder), map[string]any{"op": "read", "path": c.path, "as": c.as}, nil)
		if got := outcome(err); got != c.outcome {
			t.Errorf("read %s as %s: %s (%v), want %s", c.path, c.as, got, err, c.outcome)
		} else if err == nil && !cmp.Equal(out.(map[string]any)["content"], c.want) {
			t.Errorf("read %s as %s = %v, want %v", c.path, c.as, out, c.want)
		}
	}
}

func TestFileWriteAndAppend(t *testing.T) {
	folder := t.TempDir()
	do := func(with map[string]any, input any) (any, error) {
		t.Helper()
		return run(t, fileIn(folder), with, &handlers.Call{Input: input})
	}
	out, err := do(map[string]any{"op": "write", "path": "a/b.txt", "content": "one"}, nil)
	if diff := cmp.Diff(any(map[string]any{"path": "a/b.txt", "size": 3}), out); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if _, err := do(map[string]any{"op": "append", "path": "a/b.txt"}, "two"); err != nil {
		t.Error(err)
	}
	if got := readFile(t, folder, "a", "b.txt"); got != "onetwo" {
		t.Errorf("b.txt = %q, want onetwo", got)
	}
	if _, err := do(map[string]any{"op": "write", "path": "v.json", "as": "json"}, map[string]any{"n": 1}); err != nil {
		t.Error(err)
	}
	if got := readFile(t, folder, "v.json"); got != "{\n  \"n\": 1\n}\n" {
		t.Errorf("v.json = %q", got)
	}
	if _, err := do(map[string]any{"op": "write", "path": "raw", "as": "base64", "content": "/w=="}, nil); err != nil {
		t.Error(err)
	}
	if got := readFile(t, folder, "raw"); got != "\xff" {
		t.Errorf("raw = %q", got)
	}
	_, err = do(map[string]any{"op": "write", "path": "raw", "as": "base64", "content": "!"}, nil)
	wantError(t, err, "business", "base64")
	_, err = do(map[string]any{"op": "write", "path": "x"}, 5)
	wantError(t, err, "permanent", "the number 5", "as: json")
	_, err = do(map[string]any{"op": "write", "path": "raw", "content": "x", "overwrite": false}, nil)
	wantError(t, err, "business", "exists already")
	_, err = do(map[string]any{"op": "write", "path": "no/such/x", "content": "x", "createFolders": false}, nil)
	wantError(t, err, "error")
	_, err = do(map[string]any{"op": "write", "path": "a", "content": "x"}, nil)
	wantError(t, err, "permanent", "it is a folder")
}

func TestFileMoveCopyDelete(t *testing.T) {
	folder, other := tempFolder(t, map[string]string{"a.txt": "A", "b.txt": "B"}), t.TempDir()
	do := func(with map[string]any) (any, error) {
		t.Helper()
		return run(t, fileIn(folder, other), with, nil)
	}
	move := map[string]any{"op": "move", "path": "a.txt", "to": "done/a.txt"}
	for _, try := range []string{"first", "second, after a crash"} {
		if out, err := do(move); err != nil || !cmp.Equal(out, any(map[string]any{"path": "done/a.txt"})) {
			t.Errorf("%s move = %v, %v", try, out, err)
		}
	}
	if got := readFile(t, folder, "done", "a.txt"); got != "A" {
		t.Errorf("done/a.txt = %q", got)
	}
	_, err := do(map[string]any{"op": "move", "path": "none", "to": "none2"})
	wantError(t, err, "error", `move "none"`)
	_, err = do(map[string]any{"op": "move", "path": "done", "to": "gone"})
	wantError(t, err, "permanent", "it is a folder")
	_, err = do(map[string]any{"op": "move", "path": "b.txt", "to": "done/a.txt", "overwrite": false})
	wantError(t, err, "business", "exists already")
	if _, err := do(map[string]any{"op": "copy", "path": "b.txt", "to": "c.txt"}); err != nil {
		t.Error(err)
	}
	if _, err := do(map[string]any{"op": "move", "path": "b.txt", "to": filepath.Join(other, "sub", "b.txt")}); err != nil {
		t.Error(err)
	}
	if got := readFile(t, folder, "c.txt") + readFile(t, other, "sub", "b.txt"); got != "BB" {
		t.Errorf("contents = %q, want BB", got)
	}
	if _, err := os.Stat(filepath.Join(folder, "b.txt")); err == nil {
		t.Error("the source of a move between folders is still there")
	}
	for _, deleted := range []bool{true, false} {
		out, err := do(map[string]any{"op": "delete", "path": "c.txt"})
		if err != nil || out.(map[string]any)["deleted"] != deleted {
			t.Errorf("delete = %v, %v, want deleted %v", out, err, deleted)
		}
	}
	_, err = do(map[string]any{"op": "delete", "path": "done"})
	wantError(t, err, "permanent", "it is a folder")
	_, err = do(map[string]any{"op": "copy", "path": "done", "to": "x"})
	wantError(t, err, "permanent", "it is a folder")
}

func TestFileValidate(t *testing.T) {
	kind := fileIn(t.TempDir())
	for _, c := range []struct {
		with map[string]any
		want string
	}{
		{map[string]any{"op": "move", "path": "a"}, "to: want the new path"},
		{map[string]any{"op": "read", "path": "a", "to": "b"}, "to: want the new path for move and copy, and nothing for read"},
		{map[string]any{"op": "read", "path": "a", "content": "b"}, "content: goes with write and append"},
		{map[string]any{"op": "read", "path": "../a"}, "outside the allowed folders"},
		{map[string]any{"op": "copy", "path": "a", "to": "/etc/x"}, "to: path \"/etc/x\" is outside"},
		{map[string]any{"op": "list", "path": "a", "pattern": "["}, "is no pattern"},
		{map[string]any{"op": "list", "path": "a", "pattern": "../*"}, "without .. and **"},
		{map[string]any{"op": "list", "path": "a", "pattern": "**/*.csv"}, "without .. and **"},
	} {
		wantInvalid(t, kind, c.with, c.want)
	}
}

// Two allowed folders may be the same folder: the file must not be lost.
func TestFileMoveOntoItself(t *testing.T) {
	folder := tempFolder(t, map[string]string{"a.txt": "olá"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err) // Windows does not allow every user to create links
	}
	with := map[string]any{"op": "move", "path": filepath.Join(folder, "a.txt"), "to": filepath.Join(link, "a.txt")}
	if _, err := run(t, fileIn(folder, link), with, nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "a.txt")); err != nil || string(text) != "olá" {
		t.Errorf("the file holds %q, %v, want what it held", text, err)
	}
}

// A large file takes some time.
func TestFileCopyStopsWithItsContext(t *testing.T) {
	folder := tempFolder(t, map[string]string{"a.txt": "A"})
	h, err := fileIn(folder).Build(map[string]any{"op": "copy", "path": "a.txt", "to": "b.txt"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = h.Handle(ctx, &handlers.Call{})
	wantError(t, err, "error", "context canceled")
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v, want a.txt only", entries, err)
	}
}
