package lsp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/author/lsp"

	"github.com/google/go-cmp/cmp"
)

func TestDiagnosticsFollowChanges(t *testing.T) {
	dir := project(t, map[string]string{
		"botwork.yaml":         "",
		"pipelines/other.yaml": "steps: []\n",
		"pipelines/a.yaml":     "",
	})
	c := start(t, lsp.Options{})
	c.initialize(nil)
	other := fileURI(filepath.Join(dir, "pipelines/other.yaml"))
	uri := c.open(filepath.Join(dir, "pipelines/a.yaml"), "steps:\r\n  - handler: Log\r\n    with: {message: \"😀 ${{ paylod.x }}\"}\r\n")
	want := []lsp.Diagnostic{{
		Range:    lsp.Range{Start: lsp.Position{Line: 2, Character: 28}, End: lsp.Position{Line: 2, Character: 34}},
		Severity: 1, Code: "unknown-variable", Source: "botwork", Message: `unknown name "paylod"; did you mean "payload"?`,
	}}
	if diff := cmp.Diff(want, c.published(uri, 1)); diff != "" {
		t.Errorf("diagnostics of the open file (-want +got):\n%s", diff)
	}
	if got := c.published(other, 0); len(got) != 1 || got[0].Code != "no-steps" {
		t.Errorf("diagnostics of the file that is not open = %+v, want no-steps", got)
	}

	version := c.change(uri, map[string]any{"range": lsp.Range{Start: want[0].Range.Start, End: want[0].Range.End}, "text": "payload"})
	if got := c.published(uri, version); len(got) != 0 {
		t.Errorf("diagnostics of the fixed file = %+v, want none", got)
	}
	// The other file is fixed on the disk.
	if err := os.WriteFile(filepath.Join(dir, "pipelines/other.yaml"), []byte("steps: [{handler: Log, with: {message: a}}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": other, "type": 2}}})
	if got := c.published(other, 0); len(got) != 0 {
		t.Errorf("diagnostics of the file that was fixed on the disk = %+v, want none", got)
	}
	if err := c.shutdown(); err != nil {
		t.Errorf("Serve = %v after shutdown and exit, want nil", err)
	}
}

func TestOrderOfTheConnection(t *testing.T) {
	c := start(t, lsp.Options{Version: "1.2.3"})
	if code, _ := c.call("textDocument/completion", nil, nil); code != -32002 {
		t.Errorf("a request before initialize: code %d, want -32002", code)
	}
	result := c.initialize(map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-32", "utf-8", "utf-16"}}})
	if got := result["capabilities"].(map[string]any)["positionEncoding"]; got != "utf-8" {
		t.Errorf("positionEncoding = %v, want utf-8", got)
	}
	if diff := cmp.Diff(map[string]any{"name": "botwork", "version": "1.2.3"}, result["serverInfo"]); diff != "" {
		t.Errorf("serverInfo (-want +got):\n%s", diff)
	}
	if code, _ := c.call("initialize", map[string]any{}, nil); code != -32600 {
		t.Errorf("a second initialize: code %d, want -32600", code)
	}
	if code, message := c.call("textDocument/frobnicate", nil, nil); code != -32601 || !strings.Contains(message, "frobnicate") {
		t.Errorf("an unknown method: %d %s", code, message)
	}
	if code, _ := c.call("textDocument/completion", []int{1}, nil); code != -32602 {
		t.Errorf("wrong parameters: code %d, want -32602", code)
	}
	c.raw("{")
	c.raw(`[{"jsonrpc": "2.0", "id": 1, "method": "x"}]`)
	c.raw(`{"jsonrpc": "1.0", "id": 1, "method": "x"}`)
	if _, err := c.in.Write([]byte("rubbish\r\n\r\nContent-Length: many\r\n\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if code, _ := c.call("shutdown", nil, nil); code != 0 {
		t.Errorf("shutdown after malformed frames: code %d, want 0", code)
	}
	if code, _ := c.call("textDocument/completion", nil, nil); code != -32600 {
		t.Errorf("a request after shutdown: code %d, want -32600", code)
	}
	c.notify("exit", nil)
	if err := <-c.done; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	t.Run("exit", func(t *testing.T) {
		c := start(t, lsp.Options{})
		c.initialize(nil)
		c.notify("exit", nil)
		if err := <-c.done; !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("Serve = %v, want ErrNoShutdown", err)
		}
	})
	t.Run("the end of the input", func(t *testing.T) {
		c := start(t, lsp.Options{})
		c.initialize(nil)
		_ = c.in.Close()
		if err := <-c.done; !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("Serve = %v, want ErrNoShutdown", err)
		}
	})
}
