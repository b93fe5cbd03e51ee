package yamllstest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/internal/testgroup"
)

// answerTimeout is the maximum time for an answer of the server.
const answerTimeout = 30 * time.Second

// client is connected to a language server over its standard input and output.
type client struct {
	t        *testing.T
	in       io.WriteCloser
	lines    *bufio.Reader
	settings map[string]any
	ended    chan struct{} // closed when the server's output ends

	mu          sync.Mutex
	next        int
	opened      int
	answers     map[int]chan message
	diagnostics map[string]chan []diagnostic // by the URI of the file
}

type message struct {
	ID     *json.RawMessage `json:"id,omitempty"`
	Method string           `json:"method,omitempty"`
	Params json.RawMessage  `json:"params,omitempty"`
	Result json.RawMessage  `json:"result,omitempty"`
	Error  json.RawMessage  `json:"error,omitempty"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type diagnostic struct {
	Range struct {
		Start, End position
	} `json:"range"`
	Message string `json:"message"`
}

func (d diagnostic) String() string {
	return fmt.Sprintf("%d:%d: %s", d.Range.Start.Line+1, d.Range.Start.Character+1, d.Message)
}

// start starts the server for a project with the settings of an editor.
func start(t *testing.T, dir string, settings map[string]any) *client {
	t.Helper()
	testgroup.Need(t, testgroup.Npm)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is not installed: " + err.Error())
	}
	server := filepath.Join("node_modules", "yaml-language-server", "bin", "yaml-language-server")
	if _, err := os.Stat(server); err != nil {
		t.Fatal("the server is not installed: run npm ci in internal/tests/yamllstest")
	}
	// The context of the test ends before its clean-up, which shuts the server down.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), node, server, "--stdio")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &client{
		t: t, in: in, lines: bufio.NewReader(out), settings: settings, ended: make(chan struct{}),
		answers: map[int]chan message{}, diagnostics: map[string]chan []diagnostic{},
	}
	go func() { defer close(c.ended); c.listen() }()
	t.Cleanup(func() {
		c.call("shutdown", nil, nil)
		c.notify("exit", nil)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		<-c.ended
	})
	c.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": address(dir), "workspaceFolders": []any{map[string]any{"uri": address(dir), "name": "project"}},
		"capabilities": map[string]any{
			"workspace": map[string]any{"configuration": true},
			"textDocument": map[string]any{
				"hover":      map[string]any{"contentFormat": []string{"markdown"}},
				"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true, "documentationFormat": []string{"markdown"}}},
			},
		},
	}, nil)
	c.notify("initialized", map[string]any{})
	c.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
	return c
}

// listen handles the messages of the server until it ends.
func (c *client) listen() {
	for {
		m, err := c.read()
		if err != nil {
			return
		}
		switch {
		case m.Method == "textDocument/publishDiagnostics":
			var p struct {
				URI         string       `json:"uri"`
				Diagnostics []diagnostic `json:"diagnostics"`
			}
			if json.Unmarshal(m.Params, &p) == nil {
				c.diagnosticsOf(p.URI) <- p.Diagnostics
			}
		case m.Method == "workspace/configuration": // the server requests four sections, the first one for itself
			c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": []any{c.settings, nil, nil, nil}})
		case m.Method != "" && m.ID != nil: // another request of the server, which accepts null
			c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
		case m.ID != nil:
			id, err := strconv.Atoi(string(*m.ID))
			if err != nil {
				continue
			}
			c.mu.Lock()
			answer := c.answers[id]
			delete(c.answers, id)
			c.mu.Unlock()
			if answer != nil {
				answer <- m
			}
		}
	}
}

func (c *client) read() (m message, err error) {
	length := 0
	for {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(value); err != nil {
				return m, err
			}
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.lines, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (c *client) send(value any) {
	body, err := json.Marshal(value)
	if err != nil {
		c.t.Error(err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		c.t.Errorf("write to the server: %v", err)
	}
}

func (c *client) notify(method string, params any) {
	c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// call sends a request and decodes the answer; into may be nil.
func (c *client) call(method string, params, into any) {
	c.t.Helper()
	answer := make(chan message, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.answers[id] = answer
	c.mu.Unlock()
	c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	select {
	case m := <-answer:
		if len(m.Error) > 0 {
			c.t.Fatalf("%s: %s", method, m.Error)
		}
		if into != nil {
			if err := json.Unmarshal(m.Result, into); err != nil {
				c.t.Fatalf("%s: %v in %s", method, err, m.Result)
			}
		}
	case <-c.ended:
		c.t.Fatalf("%s: the server has ended", method)
	case <-time.After(answerTimeout):
		c.t.Fatalf("%s: no answer within %s", method, answerTimeout)
	}
}

// diagnosticsOf returns the channel of a file's diagnostics.
func (c *client) diagnosticsOf(uri string) chan []diagnostic {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.diagnostics[uri] == nil {
		c.diagnostics[uri] = make(chan []diagnostic, 100)
	}
	return c.diagnostics[uri]
}

// address returns the URI of a file with an absolute path.
func address(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// open opens a file with the text of an editor. It returns the URI and a function that
// waits for the diagnostics. The server delays its checks, so tests open several files
// first. open adds a number to the file name, because the server keeps the state of a
// name that was opened before.
func (c *client) open(path, text string) (uri string, marked func() []diagnostic) {
	c.mu.Lock()
	c.opened++
	path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, filepath.Ext(path)), c.opened, filepath.Ext(path))
	c.mu.Unlock()
	return c.openAs(path, text)
}

// openAs opens a file under a name that was not opened before; see open.
func (c *client) openAs(path, text string) (uri string, marked func() []diagnostic) {
	uri = address(path)
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
	return uri, func() []diagnostic {
		c.t.Helper()
		select {
		case list := <-c.diagnosticsOf(uri):
			return list
		case <-c.ended:
			c.t.Fatalf("%s: the server has ended", path)
			return nil
		case <-time.After(answerTimeout):
			c.t.Fatalf("%s: no diagnostics within %s", path, answerTimeout)
			return nil
		}
	}
}
