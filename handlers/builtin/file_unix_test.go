//go:build unix

package builtin

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"botwork/handlers"
)

// Opening a named pipe blocks until its other end is opened. A socket and a device have no
// content either.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	type params = map[string]any
	for name, c := range map[string]struct {
		kind func(Resources) handlers.Kind
		with params
	}{
		"read a pipe":             {fileKind, params{"op": "read", "path": "pipe"}},
		"read a link to a pipe":   {fileKind, params{"op": "read", "path": "link"}},
		"read a socket":           {fileKind, params{"op": "read", "path": "socket"}},
		"append to a pipe":        {fileKind, params{"op": "append", "path": "pipe", "content": "x"}},
		"append to a link":        {fileKind, params{"op": "append", "path": "link", "content": "x"}},
		"write over a pipe":       {fileKind, params{"op": "write", "path": "pipe", "content": "x"}},
		"write over a socket":     {fileKind, params{"op": "write", "path": "socket", "content": "x"}},
		"copy a pipe":             {fileKind, params{"op": "copy", "path": "pipe", "to": "b.txt"}},
		"copy over a pipe":        {fileKind, params{"op": "copy", "path": "OTHER/a.txt", "to": "pipe"}},
		"move a pipe across":      {fileKind, params{"op": "move", "path": "pipe", "to": "OTHER/b.txt"}},
		"move over a pipe":        {fileKind, params{"op": "move", "path": "a.txt", "to": "pipe"}},
		"move over a pipe across": {fileKind, params{"op": "move", "path": "OTHER/a.txt", "to": "pipe"}},
		"list a pipe":             {fileKind, params{"op": "list", "path": "pipe"}},
		"read csv from a pipe":    {csvKind, params{"op": "parse", "path": "pipe"}},
		"write csv over a pipe":   {csvKind, params{"op": "format", "rows": []any{params{"a": 1}}, "to": "pipe"}},
		"a template in a pipe":    {templateKind, params{"path": "pipe"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder, other := withPipe(t), tempFolder(t, map[string]string{"a.txt": "x"})
			for key, value := range c.with {
				if text, ok := value.(string); ok {
					c.with[key] = strings.ReplaceAll(text, "OTHER", other)
				}
			}
			within(t, func() {
				_, err := run(t, c.kind(Resources{Folders: []string{folder, other}}), c.with, nil)
				wantError(t, err, "permanent", "want a")
			})
		})
	}
}

// Operations that do not open the file are allowed, and list skips the pipe.
func TestMoveAndDeletePipe(t *testing.T) {
	file := fileIn(withPipe(t))
	within(t, func() {
		for pattern, want := range map[string]int{"*": 1, "*/*": 0} {
			out, err := run(t, file, map[string]any{"op": "list", "path": ".", "pattern": pattern}, nil)
			if err != nil || out.(map[string]any)["count"] != want {
				t.Errorf("list %s = %v, %v, want %d files", pattern, out, err, want)
			}
		}
		for _, with := range []map[string]any{{"op": "move", "path": "pipe", "to": "moved"}, {"op": "delete", "path": "moved"}} {
			if _, err := run(t, file, with, nil); err != nil {
				t.Errorf("%v: %v", with, err)
			}
		}
	})
}

// withPipe returns a folder that holds a named pipe, a link to it and a socket.
func withPipe(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder) // the path of a socket is short
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return folder
}

// within fails if do does not return.
func within(t *testing.T, do func()) {
	t.Helper()
	done := make(chan bool)
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("it hangs")
	}
}
