package lsp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/author/lsp"
)

// positionRequests are the requests for a position, with their additional parameters.
var positionRequests = map[string]map[string]any{
	"textDocument/completion": nil, "textDocument/hover": nil, "textDocument/definition": nil, "textDocument/prepareRename": nil,
	"textDocument/rename":         {"newName": "other-name"},
	"textDocument/references":     {"context": map[string]any{"includeDeclaration": true}},
	"textDocument/codeAction":     {"context": map[string]any{"diagnostics": []any{}}, "range": lsp.Range{End: lsp.Position{Line: 1000}}},
	"textDocument/documentSymbol": nil,
}

// requestAll sends all requests for a position. A request can fail regularly, but not
// with an internal error.
func requestAll(c *client, uri string, p lsp.Position) {
	c.t.Helper()
	for method, more := range positionRequests {
		params := at(uri, p)
		maps.Copy(params, more)
		if code, message := c.call(method, params, nil); code != 0 && code != -32803 {
			c.t.Fatalf("%s at %v: %d %s", method, p, code, message)
		}
	}
}

// TestTyping types a pipeline character by character, and sends all requests after each.
func TestTyping(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(nil)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "cmd", "setup", "project", "hello.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var typed strings.Builder
	uri := c.open(filepath.Join(dir, "pipelines/case.yaml"), "")
	line, character := 0, 0
	const blocks = "  - foreach: ${{ payload.a }}\n    as: line\n    steps:\n      - {handler: Log, if: line.b, with: {message: a}}\n" +
		"      - parallel: true\n        steps: [{uses: common/post, with: {order: {id: 1}}}, {handler: Log, with: {message: b}}]\n  - handler: Log\n    if: len(steps.block.output) > 1\n    with: {message: c}\n"
	for written := range strings.SplitAfterSeq(string(text)+blocks, "\n") {
		if strings.HasPrefix(strings.TrimSpace(written), "#") {
			continue
		}
		for _, r := range written {
			here := lsp.Position{Line: line, Character: character}
			c.change(uri, map[string]any{"range": lsp.Range{Start: here, End: here}, "text": string(r)})
			typed.WriteRune(r)
			if character++; r == '\n' {
				line, character = line+1, 0
			}
			requestAll(c, uri, lsp.Position{Line: line, Character: character})
		}
	}
	if got := c.published(uri, c.versions[uri]); len(got) != 0 {
		t.Errorf("diagnostics of the complete text = %+v, want none", got)
	}
	if version := c.change(uri, map[string]any{"text": typed.String() + "x"}); len(c.published(uri, version)) == 0 {
		t.Error("no diagnostics of the text with a mistake")
	}
}

// FuzzAnyDocument sends all requests for any position in any text.
func FuzzAnyDocument(f *testing.F) {
	for _, text := range []string{
		"", "\ufeffsteps:\n- handler: HTTP\n  with: {auth: {", "steps: [{handler: Log, if: steps[\"a\n", "steps:\n  - - -\n  - handler:\n      if: |\n   ${{ a.b[",
		"steps:\r\n  - {handler: SQL, with: {query: '${{ x ''}}'}}\r", "input: {$ref: '#'}\nsteps: [{handler: Log, if: payload.a.b}]", "steps: &a [*a]\n? b",
		"steps: {handler: x}\nname: [\"", "trigger:\nsteps:\n- if: \"\\\"\n  handler: Log", "steps:\n- handler: Log\n  with:\n    message: >-\n     ${{ é.😀 ",
	} {
		f.Add(text, 0)
		f.Add(text, len(text))
		f.Add(text, len(text)/2)
	}
	f.Fuzz(func(t *testing.T, text string, offset int) {
		c := start(t, lsp.Options{Debounce: time.Hour})
		c.initialize(nil)
		uri := c.open(filepath.Join(t.TempDir(), "x.yaml"), text+"\nsteps: [{handler: Log}]\n")
		for _, suffix := range []string{"", "\nsteps: [{handler: Log}]\n"} {
			c.change(uri, map[string]any{"text": text + suffix})
			lines := strings.Split(text, "\n")
			line := 0
			for offset > 0 && line < len(lines)-1 && offset > len(lines[line]) {
				offset -= len(lines[line]) + 1
				line++
			}
			requestAll(c, uri, lsp.Position{Line: line, Character: offset})
		}
		if err := c.shutdown(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestManyConcurrentRequests(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(nil)
	uri := c.open(filepath.Join(dir, "pipelines/case.yaml"), "steps:\n  - handler: \n")
	var answers []<-chan answer
	for i := range 300 {
		_, ch := c.send("textDocument/completion", at(uri, lsp.Position{Line: 1, Character: 13}))
		answers = append(answers, ch)
		if i%10 == 0 {
			c.change(uri, map[string]any{"text": fmt.Sprintf("# %d\nsteps:\n  - handler: \n", i)})
		}
	}
	for i, ch := range answers {
		if a := c.await(ch); a.Error != nil {
			t.Errorf("request %d: %+v", i, a.Error)
		}
	}
}

func TestPanicFailsOneRequest(t *testing.T) {
	dir := testProject(t)
	var once sync.Once
	c := start(t, lsp.Options{Debounce: time.Hour, Open: func(settings string, read func(string) ([]byte, error)) (*lsp.Project, error) {
		once.Do(func() { panic("on purpose") })
		return openProject(settings, read)
	}})
	c.initialize(nil)
	uri := c.open(filepath.Join(dir, "pipelines/case.yaml"), "steps:\n  - handler: \n")
	position := at(uri, lsp.Position{Line: 1, Character: 13})
	if code, message := c.call("textDocument/completion", position, nil); code != -32603 || !strings.Contains(message, "on purpose") {
		t.Errorf("the panic: %d %s, want -32603", code, message)
	}
	var got completions
	if code, _ := c.call("textDocument/completion", position, &got); code != 0 || len(got.Items) == 0 {
		t.Errorf("after the panic: code %d and %d proposals", code, len(got.Items))
	}
}

func TestUnrelatedFiles(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(nil)
	big := "steps:\n  - handler: Log\n    if: unknown\n" + strings.Repeat("# a long comment that fills the file\n", 80_000)
	for name, tt := range map[string]struct {
		path, text string
		proposals  bool
		marked     bool
	}{
		"another program's file":        {"compose.yaml", "services: {a: {image: x}}\n\n", false, false},
		"steps of another program":      {".github/workflows/ci.yaml", "steps:\n  - uses: x\n\n", false, false},
		"a pipeline outside the folder": {"drafts/a.yaml", "steps:\n  - handler: Lgo\n\n", true, true},
		"an unsaved pipeline":           {"pipelines/new.yaml", "steps: []\n\n", true, true},
		"a hidden file":                 {"pipelines/.a.yaml", "a: 1\n\n", false, false},
		"a file that is too large":      {"pipelines/big.yaml", big, false, true},
		"a test of a pipeline":          {"pipelines/case_test.yaml", "steps:\n  - handler: Lgo\n\n", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.t = t
			uri := c.open(filepath.Join(dir, filepath.FromSlash(tt.path)), tt.text)
			var got *completions
			c.call("textDocument/completion", at(uri, lsp.Position{Line: strings.Count(tt.text, "\n"), Character: 0}), &got)
			if (got != nil) != tt.proposals {
				t.Errorf("completion = %+v", got)
			}
			if tt.marked {
				if len(c.published(uri, 1)) == 0 {
					t.Error("no diagnostics")
				}
			} else {
				// The diagnostics of another file show that the check has ended.
				probe := c.open(filepath.Join(dir, "pipelines", "probe of "+name+".yaml"), "steps:\n  - handler: Lgo\n")
				for p := (diagnostics{}); p.URI != probe; {
					n := <-c.incoming
					if err := json.Unmarshal(n.Params, &p); err != nil {
						t.Fatal(err)
					}
					if p.URI == uri && len(p.Diagnostics) > 0 {
						t.Errorf("diagnostics = %+v, want none", p.Diagnostics)
					}
				}
				c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": probe}})
			}
			c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
		})
	}
}

func TestTextWithoutFile(t *testing.T) {
	c := start(t, lsp.Options{})
	c.initialize(nil)
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:Untitled-1", "version": 1, "text": "steps:\n  - handler: Lgo\n"}})
	if got := c.published("untitled:Untitled-1", 1); len(got) != 1 || got[0].Code != "unknown-handler" {
		t.Errorf("got %+v, want unknown-handler", got)
	}
}

// TestChecksWaitForAPause types fast in virtual time.
func TestChecksWaitForAPause(t *testing.T) {
	dir := testProject(t)
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		c := start(t, lsp.Options{Debounce: 200 * time.Millisecond, Open: func(settings string, read func(string) ([]byte, error)) (*lsp.Project, error) {
			opened++
			return openProject(settings, read)
		}})
		c.initialize(nil)
		uri := c.open(filepath.Join(dir, "pipelines/case.yaml"), "")
		for i := range 20 {
			c.change(uri, map[string]any{"text": fmt.Sprintf("steps: []\n# %d\n", i)})
			time.Sleep(100 * time.Millisecond)
		}
		if got := c.published(uri, 21); len(got) != 1 || opened != 1 {
			t.Errorf("%d checks with %d findings in the end, want one and one", opened, len(got))
		}
		if err := c.shutdown(); err != nil {
			t.Error(err)
		}
	})
}

// TestClientProcessEnds has a client whose process ends while its pipe stays open.
func TestClientProcessEnds(t *testing.T) {
	ended := exec.CommandContext(t.Context(), "go", "version")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		c := start(t, lsp.Options{})
		c.call("initialize", map[string]any{"processId": ended.Process.Pid, "capabilities": map[string]any{}}, nil)
		if err := <-c.done; err == nil {
			t.Error("Serve = nil, want ErrNoShutdown")
		}
		_ = c.in.Close()
	})
}

func TestSeveralProjects(t *testing.T) {
	dir := project(t, map[string]string{
		"a/botwork.yaml": "", "a/pipelines/one.yaml": "name: x\nsteps: []\n",
		"b/botwork.yaml": "", "b/pipelines/one.yaml": "name: y\nsteps: []\n", "b/pipelines/two.yaml": "name: y\nsteps: []\n",
	})
	c := start(t, lsp.Options{})
	c.initialize(nil)
	good := "name: x\nsteps: [{handler: Log, with: {message: a}}]\n"
	a := c.open(filepath.Join(dir, "a/pipelines/one.yaml"), good)
	if got := c.published(a, 1); len(got) != 0 {
		t.Errorf("diagnostics of a = %+v, want none", got)
	}
	c.open(filepath.Join(dir, "b/pipelines/one.yaml"), good)
	if got := c.published(fileURI(filepath.Join(dir, "b/pipelines/two.yaml")), 0); len(got) != 1 {
		t.Errorf("diagnostics of b's other file = %+v, want one", got)
	}
	var items completions
	c.change(a, map[string]any{"text": "steps:\n  - {handler: Enqueue, with: {pipeline: }}\n"})
	c.call("textDocument/completion", at(a, lsp.Position{Line: 1, Character: len("  - {handler: Enqueue, with: {pipeline: ")}), &items)
	compareLabels(t, items.labels(), "one -y")
}

// The elements of many loops in one another are found once each, not once for each way that leads to them.
func TestDeepLoops(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(bytes)
	text, indent := "input: {type: array, items: {type: array}}\nsteps:\n", "  "
	for i := range 40 {
		text += fmt.Sprintf("%s- foreach: ${{ input }}\n%s  as: e%d\n%s  steps:\n", indent, indent, i, indent)
		indent += "    "
	}
	uri, _, cursor := opened(t, c, dir, text+indent+"- {handler: Log, if: ‸}\n")
	var got completions
	c.call("textDocument/completion", at(uri, cursor), &got)
	compareLabels(t, got.labels(), "batch e0 +each +e39 +input")
}
