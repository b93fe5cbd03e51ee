//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"botwork/internal/tests/testbuild"
)

// editor talks to `botwork lsp` like an editor.
type editor struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
}

type lspMessage struct {
	ID     *int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

func startEditor(t *testing.T, args ...string) *editor {
	t.Helper()
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"lsp"}, args...)...)
	cmd.Dir = t.TempDir() // the folder in which an editor is started has no meaning
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, in: in, out: bufio.NewReader(out), cmd: cmd}
	// A server that does not answer must not block the test.
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return e
}

func (e *editor) send(id int, method string, params any) {
	e.t.Helper()
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		m["id"] = id
	}
	body, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.t.Fatal(err)
	}
}

// until reads messages up to the wanted one. Anything on standard output
// that is not a message fails the test.
func (e *editor) until(what string, wanted func(lspMessage) bool) lspMessage {
	e.t.Helper()
	for {
		header, err := textproto.NewReader(e.out).ReadMIMEHeader()
		if err != nil {
			e.t.Fatalf("wait for %s: %v", what, err)
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			e.t.Fatalf("the header is %v", header)
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(e.out, body); err != nil {
			e.t.Fatal(err)
		}
		var m lspMessage
		if err := json.Unmarshal(body, &m); err != nil {
			e.t.Fatalf("got %q: %v", body, err)
		}
		if wanted(m) {
			return m
		}
	}
}

func (e *editor) call(id int, method string, params, into any) {
	e.t.Helper()
	e.send(id, method, params)
	m := e.until(method, func(m lspMessage) bool { return m.ID != nil && *m.ID == id && m.Method == "" })
	if m.Error != nil {
		e.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if into != nil {
		if err := json.Unmarshal(m.Result, into); err != nil {
			e.t.Fatal(err)
		}
	}
}

// marks waits for the findings in a version of a document, as code at line:column.
func (e *editor) marks(uri string, version int) string {
	e.t.Helper()
	var p struct {
		URI         string
		Version     int
		Diagnostics []struct {
			Code  string
			Range struct {
				Start struct{ Line, Character int }
			}
		}
	}
	e.until("marks", func(m lspMessage) bool {
		p.Version = 0
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &p) == nil && p.URI == uri && p.Version == version
	})
	var list []string
	for _, d := range p.Diagnostics {
		list = append(list, fmt.Sprintf("%s at %d:%d", d.Code, d.Range.Start.Line+1, d.Range.Start.Character+1))
	}
	return strings.Join(list, ", ")
}

// TestLanguageServer edits a project of `botwork init` with the built program.
func TestLanguageServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a project")
	if out, err := exec.CommandContext(t.Context(), binary, "init", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	uri := func(name string) string { return "file://" + strings.ReplaceAll(filepath.Join(dir, name), " ", "%20") }
	open := func(name, text string) map[string]any {
		return map[string]any{"textDocument": map[string]any{"uri": uri(name), "languageId": "yaml", "version": 1, "text": text}}
	}
	hello, err := os.ReadFile(filepath.Join(dir, "pipelines", "hello.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	settings, err := os.ReadFile(filepath.Join(dir, "botwork.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	e := startEditor(t)
	e.call(1, "initialize", map[string]any{"processId": os.Getpid(), "capabilities": map[string]any{}}, nil)
	e.send(0, "initialized", map[string]any{})
	e.send(0, "textDocument/didOpen", open("pipelines/hello.yaml", string(hello)))
	if got := e.marks(uri("pipelines/hello.yaml"), 1); got != "" {
		t.Errorf("the new project has findings: %s", got)
	}

	// A secret in the settings that is not yet saved on disk.
	text := "steps:\n  - handler: HTTP\n    with: {url: \"https://example.com/\", headers: {x: \"${{ secrets.token }} ${{ secrets.other }}\"}}\n"
	e.send(0, "textDocument/didOpen", open("botwork.yaml", string(settings)+"\nsecrets_: {}\n"))
	if got := e.marks(uri("botwork.yaml"), 1); !strings.HasPrefix(got, "unknown-key at ") {
		t.Errorf("findings of the settings: %q, want unknown-key", got)
	}
	e.send(0, "textDocument/didOpen", open("pipelines/new.yaml", text))
	if got := e.marks(uri("pipelines/new.yaml"), 1); got != "unknown-secret at 3:67, unknown-secret at 3:88" {
		t.Errorf("without secrets: %q", got)
	}
	change := func(version int, text string) map[string]any {
		return map[string]any{
			"textDocument":   map[string]any{"uri": uri("botwork.yaml"), "version": version},
			"contentChanges": []any{map[string]any{"text": text}},
		}
	}
	e.send(0, "textDocument/didChange", change(2, "secrets:\n  token: {value: xxxx}\n"))
	if got := e.marks(uri("pipelines/new.yaml"), 1); got != "unknown-secret at 3:88" {
		t.Errorf("with a secret: %q", got)
	}
	// Settings with a temporary YAML error still contain the secret.
	e.send(0, "textDocument/didChange", change(3, "secrets:\n  token: {value: xxxx\n  other: \"\n"))
	if got := e.marks(uri("pipelines/new.yaml"), 1); got != "" {
		t.Errorf("with broken settings that name both: %q, want nothing", got)
	}

	var items struct {
		Items []struct{ Label string }
	}
	e.call(2, "textDocument/completion", map[string]any{
		"textDocument": map[string]any{"uri": uri("pipelines/new.yaml")}, "position": map[string]any{"line": 2, "character": strings.Index(strings.Split(text, "\n")[2], "token")},
	}, &items)
	if len(items.Items) != 2 || items.Items[0].Label != "other" || items.Items[1].Label != "token" {
		t.Errorf("the completions of secrets are %+v, want other and token", items.Items)
	}
	e.call(3, "shutdown", nil, nil)
	e.send(0, "exit", nil)
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("after shutdown and exit: %v, want exit code 0", err)
	}
}

// TestLanguageServerEndsWithItsEditor closes the input without a message.
func TestLanguageServerEndsWithItsEditor(t *testing.T) {
	e := startEditor(t)
	e.call(1, "initialize", map[string]any{"processId": nil, "capabilities": map[string]any{}}, nil)
	_ = e.in.Close()
	err := e.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Errorf("got %v, want exit code 1", err)
	}
}
