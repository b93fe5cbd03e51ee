package lsp_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/lsp"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// client drives a server over the protocol.
type client struct {
	t    *testing.T
	in   io.WriteCloser
	done chan error // what Serve returned

	mu       sync.Mutex
	lastID   int
	waiting  map[int]chan answer
	versions map[string]int

	// incoming are the notifications and requests of the server in order.
	incoming chan incoming
}

type answer struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

type incoming struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// start runs a server in this process.
func start(t *testing.T, opts lsp.Options) *client {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	if opts.Open == nil {
		opts.Open = openProject
	}
	if opts.Debounce == 0 {
		opts.Debounce = time.Millisecond
	}
	opts.Log = t.Output()
	done := make(chan error, 1)
	go func() {
		err := lsp.Serve(t.Context(), inRead, outWrite, opts)
		_ = outWrite.Close()
		_ = inRead.Close()
		done <- err
	}()
	c := newClient(t, inWrite, outRead)
	c.done = done
	return c
}

func newClient(t *testing.T, in io.WriteCloser, out io.Reader) *client {
	c := &client{t: t, in: in, waiting: map[int]chan answer{}, versions: map[string]int{}, incoming: make(chan incoming, 1000)}
	go c.read(out)
	t.Cleanup(func() { _ = in.Close() })
	return c
}

// read dispatches the messages of the server.
func (c *client) read(out io.Reader) {
	r := bufio.NewReader(out)
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for id, ch := range c.waiting {
			close(ch)
			delete(c.waiting, id)
		}
		close(c.incoming)
	}()
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			c.t.Errorf("the server wrote the header %v", header)
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m struct {
			incoming
			answer
		}
		if err := json.Unmarshal(body, &m); err != nil {
			c.t.Errorf("the server wrote %q: %v", body, err)
			return
		}
		if m.Method != "" {
			c.incoming <- m.incoming
			continue
		}
		id, err := strconv.Atoi(string(m.ID))
		if err != nil {
			id = -1 // null: an error without a request
		}
		c.mu.Lock()
		ch := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if ch != nil {
			ch <- m.answer
		}
	}
}

// raw writes a frame.
func (c *client) raw(body string) {
	_, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	if err != nil && !errors.Is(err, io.ErrClosedPipe) {
		c.t.Errorf("write: %v", err)
	}
}

func (c *client) notify(method string, params any) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(string(text))
}

// send sends a request and returns the channel of its answer.
func (c *client) send(method string, params any) (int, <-chan answer) {
	c.mu.Lock()
	c.lastID++
	id, ch := c.lastID, make(chan answer, 1)
	c.waiting[id] = ch
	c.mu.Unlock()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(string(text))
	return id, ch
}

// await waits for an answer.
func (c *client) await(ch <-chan answer) answer {
	c.t.Helper()
	select {
	case a, ok := <-ch:
		if !ok {
			c.t.Fatal("the server ended without an answer")
		}
		return a
	case <-time.After(30 * time.Second):
		c.t.Fatal("no answer after 30s")
	}
	return answer{}
}

// call sends a request and decodes its result into into, which may be nil. It
// returns the code and message of an error, or 0 and "".
func (c *client) call(method string, params, into any) (int, string) {
	c.t.Helper()
	_, ch := c.send(method, params)
	a := c.await(ch)
	if a.Error != nil {
		return a.Error.Code, a.Error.Message
	}
	if into != nil {
		if err := json.Unmarshal(a.Result, into); err != nil {
			c.t.Fatalf("%s answered %s: %v", method, a.Result, err)
		}
	}
	return 0, ""
}

// initialize initializes the connection with the client's capabilities.
func (c *client) initialize(capabilities map[string]any) map[string]any {
	c.t.Helper()
	var result map[string]any
	if code, message := c.call("initialize", map[string]any{"processId": os.Getpid(), "capabilities": capabilities}, &result); code != 0 {
		c.t.Fatalf("initialize: %d %s", code, message)
	}
	c.notify("initialized", map[string]any{})
	return result
}

// shutdown ends the connection with a shutdown request, and returns the result of Serve.
func (c *client) shutdown() error {
	c.t.Helper()
	if code, message := c.call("shutdown", nil, nil); code != 0 {
		c.t.Fatalf("shutdown: %d %s", code, message)
	}
	c.notify("exit", nil)
	select {
	case err := <-c.done:
		return err
	case <-time.After(30 * time.Second):
		c.t.Fatal("the server is still running 30s after exit")
	}
	return nil
}

// open opens a document.
func (c *client) open(path, text string) string {
	uri := fileURI(path)
	c.versions[uri] = 1
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
	return uri
}

// change replaces a document's text.
func (c *client) change(uri string, changes ...map[string]any) int {
	c.versions[uri]++
	c.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": c.versions[uri]}, "contentChanges": changes,
	})
	return c.versions[uri]
}

type diagnostics struct {
	URI         string
	Version     int
	Diagnostics []lsp.Diagnostic
}

// published waits for the diagnostics of a version of a document; 0 means a document that
// is not open.
func (c *client) published(uri string, version int) []lsp.Diagnostic {
	c.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		select {
		case n, ok := <-c.incoming:
			if !ok {
				c.t.Fatal("the server ended")
			}
			var p diagnostics
			if n.Method != "textDocument/publishDiagnostics" {
				continue
			}
			if err := json.Unmarshal(n.Params, &p); err != nil {
				c.t.Fatal(err)
			}
			if p.URI == uri && p.Version == version {
				return p.Diagnostics
			}
		case <-deadline:
			c.t.Fatalf("no diagnostics for version %d of %s", version, uri)
		}
	}
}

func at(uri string, p lsp.Position) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uri}, "position": p}
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return "file://" + strings.ReplaceAll(path, " ", "%20")
}

// project writes the files of a project and returns its folder.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openProject opens a project like the program does, but always with the same settings.
// The function of the program is tested in package cmd.
func openProject(settings string, read func(string) ([]byte, error)) (*lsp.Project, error) {
	connections, err := builtin.NewConnections(map[string]builtin.Connection{"erp": {Driver: "sqlite"}})
	if err != nil {
		return nil, err
	}
	registry := builtin.Registry(builtin.Resources{Connections: connections, Folders: []string{os.TempDir()}})
	registry.MustRegister(queue.Kinds(queue.Services{})...)
	p := &lsp.Project{
		Settings: settings, Registry: registry, Secrets: map[string]bool{"apiToken": true, "unset": false},
		Values: []pipelines.Values{
			{File: "botwork.yaml", Data: map[string]any{"url": "http://dev", "ledger": map[string]any{"retries": 2}, "password": "hunter2", "none": nil}},
			{Environment: "prod", File: "botwork.prod.yaml", Data: map[string]any{"url": "https://prod", "only": []any{1}}},
		},
		Compiler: pipelines.NewCompiler(registry, pipelines.Options{SecretNames: []string{"apiToken", "unset"}}),
	}
	if settings == "" {
		return p, nil
	}
	p.Dir = filepath.Join(filepath.Dir(settings), "pipelines")
	catalogue, found := pipelines.NewCatalogue(p.Compiler), strictyaml.Findings{}
	files, err := pipelines.ReadDir(p.Dir, read)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		p.Files = append(p.Files, lsp.File{Path: file.Path, Text: string(file.Data)})
		found = append(found, catalogue.Add(file.Path, file.Data)...)
	}
	p.Findings = append(found, catalogue.Warnings()...)
	return p, nil
}
