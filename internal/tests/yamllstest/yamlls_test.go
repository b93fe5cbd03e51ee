package yamllstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/cmd"
	"botwork/pipelines"
)

var root = filepath.Join("..", "..", "..")

// project creates a project with botwork init and returns its folder.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	botwork(t, "init", dir)
	return dir
}

func botwork(t *testing.T, words ...string) {
	t.Helper()
	var out, errors bytes.Buffer
	if code := cmd.Run(t.Context(), words, strings.NewReader(""), &out, &errors, nil); code != 0 {
		t.Fatalf("botwork %s: exit code %d\n%s", strings.Join(words, " "), code, &errors)
	}
}

// defaults returns the settings that an editor sends to the server.
func defaults() map[string]any {
	return map[string]any{"validate": true, "hover": true, "completion": true, "schemaStore": map[string]any{"enable": false}}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// headOf returns the first line of a file in a new project, which names its schema.
func headOf(t *testing.T, dir, file string) string {
	t.Helper()
	line, _, _ := strings.Cut(readText(t, filepath.Join(dir, file)), "\n")
	return line + "\n"
}

// TestValidFilesHaveNoDiagnostics opens every file of a new project, and the files of the
// examples with the first line of the new project's files.
func TestValidFilesHaveNoDiagnostics(t *testing.T) {
	dir := project(t)
	c := start(t, dir, defaults())
	results := map[string]func() []diagnostic{}
	open := func(path, text string) {
		uri, diagnostics := c.open(path, text)
		results[uri] = diagnostics
	}
	for _, pattern := range []string{"botwork.yaml", "pipelines/*.yaml"} {
		for _, file := range glob(t, dir, pattern) {
			text := readText(t, file)
			open(file, text)
			open(file, strings.ReplaceAll(text, "\n", "\r\n"))
		}
	}
	for _, file := range glob(t, root, "examples/*/project/pipelines/*.yaml") {
		if filepath.Base(file) == "greet-guest.yaml" {
			continue // its handler only exists in the example's program
		}
		open(filepath.Join(dir, "pipelines", filepath.Base(file)), headOf(t, dir, "pipelines/hello.yaml")+readText(t, file))
	}
	for _, file := range glob(t, root, "examples/*/project/botwork.yaml") {
		open(filepath.Join(dir, "example.yaml"), headOf(t, dir, "botwork.yaml")+readText(t, file))
	}
	for uri, diagnostics := range results {
		if list := diagnostics(); len(list) > 0 {
			t.Errorf("%s: diagnostics = %v, want none", uri, list)
		}
	}
	if len(results) < 40 {
		t.Errorf("opened %d files, want 40 or more", len(results))
	}
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return slices.DeleteFunc(files, pipelines.IsTestFile)
}

// cursor removes ¦ from a text and returns its position.
func cursor(text string) (string, position) {
	before, after, found := strings.Cut(text, "¦")
	if !found {
		return text, position{}
	}
	return before + after, position{Line: strings.Count(before, "\n"), Character: len(before) - strings.LastIndex(before, "\n") - 1}
}

type completion struct {
	Label         string
	Documentation struct{ Value string }
}

func TestCompletion(t *testing.T) {
	dir := project(t)
	c := start(t, dir, defaults())
	for name, tt := range map[string]struct {
		file, text string
		labels     []string // expected proposals
		without    []string // labels that must not be proposed
		label, doc string   // a proposal and its documentation
	}{
		"the keys of a pipeline": {
			"pipelines/hello.yaml", "name: x\n¦\n", []string{"steps", "trigger", "resilience", "input", "selectors"}, []string{"with", "name"},
			"estimatedDuration", "how long a run takes",
		},
		"the keys of a step": {
			"pipelines/hello.yaml", "steps:\n  - handler: Log\n    ¦\n", []string{"with", "if", "onError", "retry", "timeout"}, []string{"steps"},
			"retry", "retry the step within the same run",
		},
		"the keys of a step that does nothing yet": {
			"pipelines/hello.yaml", "steps:\n  - name: a\n    ¦\n", []string{"handler", "steps", "uses", "with", "foreach"}, []string{"name", "trigger"},
			"uses", "the pipeline that the step calls",
		},
		"the keys of a block": {
			"pipelines/hello.yaml", "steps:\n  - steps:\n      - handler: Log\n    ¦\n", []string{"parallel", "foreach", "if"}, []string{"handler", "uses"},
			"as", "the element",
		},
		"the names of handlers": {
			"pipelines/hello.yaml", "steps:\n  - handler: ¦\n", []string{"HTTP", "SQL", "AssignTasksToWorker", "Enqueue"}, []string{"fail"},
			"Mail", "Send a mail",
		},
		"a handler's parameters": {
			"pipelines/hello.yaml", "steps:\n  - handler: HTTP\n    with:\n      ¦\n", []string{"url", "method", "timeout", "expectStatus", "auth"},
			[]string{"query_", "connection", "program", "message"}, "timeout", "longest time for the whole exchange",
		},
		"another handler's parameters": {
			"pipelines/hello.yaml", "steps:\n  - handler: SQL\n    with:\n      ¦\n", []string{"connection", "query", "exec", "params"}, []string{"url", "auth"},
			"maxRows", "*whole number*, default `10000`",
		},
		"parameters that are missing": {
			"pipelines/hello.yaml", "steps:\n  - handler: Log\n    with:\n      message: x\n      ¦\n", []string{"level", "fields"}, []string{"message"},
			"level", "level of the line",
		},
		"the values of a parameter": {
			"pipelines/hello.yaml", "steps:\n  - handler: HTTP\n    with:\n      url: http://x\n      method: ¦\n", []string{"GET", "DELETE"}, []string{"null"}, "", "",
		},
		"the keys of a parameter": {
			"pipelines/hello.yaml", "steps:\n  - handler: HTTP\n    with:\n      url: http://x\n      auth:\n        ¦\n",
			[]string{"username", "password", "token"}, []string{"url"}, "token", "token for Bearer authentication",
		},
		"the words of a key": {
			"pipelines/hello.yaml", "steps:\n  - handler: Log\n    onError: ¦\n", []string{"fail", "continue", "break"}, []string{"null"},
			"continue", "`steps.NAME.error` has the text",
		},
		"the keys of a trigger": {
			"pipelines/hello.yaml", "trigger:\n  ¦\nsteps: []\n", []string{"cron", "every", "scope", "overlap"}, []string{"steps"}, "catchUp", "missed run",
		},
		"the rules of a scoring": {
			"pipelines/hello.yaml", "distribution:\n  scoring:\n    rule: ¦\nsteps: []\n", []string{"static", "map", "expression", "http"}, nil, "", "",
		},
		"the input's schema": {
			"pipelines/hello.yaml", "input:\n  properties:\n    name:\n      type: ¦\nsteps: []\n", []string{"string", "integer", "object"}, nil, "", "",
		},
		"the keys of the settings": {
			"botwork.yaml", "log:\n  level: info\n¦\n", []string{"database", "worker", "queues", "tasks", "secrets"}, []string{"log", "level"},
			"worker", "this process",
		},
		"the keys of a queue": {
			"botwork.yaml", "queues:\n  invoices:\n    ¦\n", []string{"ttl", "limits", "retry", "keys"}, []string{"pipeline"}, "ttl", "kind `expired`",
		},
		"the keys of a task": {
			"botwork.yaml", "tasks:\n  close-books:\n    ¦\n", []string{"pipeline", "schedule", "scope", "importance"}, []string{"ttl"}, "scope", "one item for each",
		},
		"the words of a task's schedule": {
			"botwork.yaml", "tasks:\n  close-books:\n    pipeline: x\n    schedule:\n      execute: ¦\n", []string{"daily", "weekly", "monthly"}, nil, "", "",
		},
		"a handler in the inline pipeline of a task": {
			"botwork.yaml", "tasks:\n  close-books:\n    pipeline:\n      steps:\n        - handler: Snooze\n          with:\n            ¦\n",
			[]string{"for", "reason"}, []string{"url"}, "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, at := cursor(headOf(t, dir, tt.file) + tt.text)
			uri, _ := c.open(filepath.Join(dir, tt.file), text)
			var got struct{ Items []completion }
			c.call("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at}, &got)
			docs := map[string]string{}
			for _, item := range got.Items {
				docs[item.Label] += item.Documentation.Value
			}
			for _, label := range tt.labels {
				if _, ok := docs[label]; !ok {
					t.Errorf("%q is not proposed", label)
				}
			}
			for _, label := range tt.without {
				if _, ok := docs[label]; ok {
					t.Errorf("%q is proposed", label)
				}
			}
			if !strings.Contains(docs[tt.label], tt.doc) {
				t.Errorf("documentation of %q = %q, want %q", tt.label, docs[tt.label], tt.doc)
			}
		})
	}
}

// UnmarshalJSON also accepts documentation as plain text.
func (c *completion) UnmarshalJSON(data []byte) error {
	var raw struct {
		Label         string
		Documentation json.RawMessage
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	c.Label = raw.Label
	if json.Unmarshal(raw.Documentation, &c.Documentation) != nil {
		_ = json.Unmarshal(raw.Documentation, &c.Documentation.Value) // a text or nothing
	}
	return nil
}

func TestHover(t *testing.T) {
	dir := project(t)
	c := start(t, dir, defaults())
	for _, tt := range []struct {
		file, text string
		want       []string
	}{
		{"pipelines/hello.yaml", "steps:\n  - handler: Log\n    time¦out: 30s\n", []string{"how long one attempt of the step may take", "*duration*"}},
		{"pipelines/hello.yaml", "steps:\n  - handler: HTTP\n    with:\n      url: http://x\n      time¦out: 30s\n", []string{"longest time for the whole exchange", "default `30s`"}},
		{"pipelines/hello.yaml", "steps:\n  - handler: HTTP\n    wi¦th:\n      url: http://x\n", []string{"Sends one HTTP request and returns the response", "Output: {status"}},
		{"pipelines/hello.yaml", "steps:\n  - hand¦ler: HTTP\n", []string{"does the work", "`SQL`: Query or change a database"}},
		{"pipelines/hello.yaml", "res¦ilience: {limit: 2}\nsteps: []\n", []string{"how often an item is tried"}},
		{"botwork.yaml", "worker:\n  capa¦city: 3\n", []string{"how many items run at the same time"}},
		{"botwork.yaml", "queues:\n  x:\n    limits: {ra¦te: 10/1m}\n", []string{"start in any period of this length"}},
	} {
		text, at := cursor(headOf(t, dir, tt.file) + tt.text)
		uri, _ := c.open(filepath.Join(dir, tt.file), text)
		var got struct {
			Contents struct{ Value string }
		}
		c.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at}, &got)
		for _, want := range tt.want {
			if !strings.Contains(got.Contents.Value, want) {
				t.Errorf("%s%s shows\n%s\nwant %q", tt.file, tt.text, got.Contents.Value, want)
			}
		}
	}
}

func TestMistakesHaveDiagnostics(t *testing.T) {
	dir := project(t)
	c := start(t, dir, defaults())
	const http = "steps:\n  - handler: HTTP\n    with:\n      url: http://x\n      "
	tests := []struct {
		file, text string
		want       string // line:column of the text and the message, "" for none
		marked     func() []diagnostic
	}{
		{"pipelines/hello.yaml", "step: []\nsteps: [{handler: Log, with: {message: x}}]\n", "1:1: Property step is not allowed.", nil},
		{"pipelines/hello.yaml", "name: x\n", `1:1: Missing property "steps".`, nil},
		{"pipelines/hello.yaml", "steps: [{handler: HTPP}]\n", `1:19: Value is not accepted. Valid values: "AssignTasksToWorker"`, nil},
		{"pipelines/hello.yaml", http + "tiemout: 30s\n", "5:7: Property tiemout is not allowed.", nil},
		{"pipelines/hello.yaml", http + "timeout: 30\n", "5:16: want a duration such as 90s, 15m, 1h30m or 7d, or an expression ${{ … }}", nil},
		{"pipelines/hello.yaml", http + "timeout: 30 s\n", "5:16: want a duration", nil},
		{"pipelines/hello.yaml", http + "timeout: \"${{ payload.t }}\"\n", "", nil},
		{"pipelines/hello.yaml", http + "redirects: many\n", "5:18: want same-origin, follow, refuse or a number of redirects, or an expression ${{ … }}", nil},
		{"pipelines/hello.yaml", http + "redirects: ${{ payload.many }}\n", "", nil},
		{"pipelines/hello.yaml", http + "retryStatus: [201, 7xx]\n", "5:26: want a number from 100 to 599, or a class such as 2xx", nil},
		{"pipelines/hello.yaml", http + "retryStatus: 5xx\n", "", nil},
		{"pipelines/hello.yaml", http + "method: FETCH\n", `5:15: Value is not accepted. Valid values: "GET"`, nil},
		{"pipelines/hello.yaml", http + "method: ${{ payload.m }}\n", "", nil},
		{"pipelines/hello.yaml", http + "headers: ${{ payload.h }}\n", "", nil},
		{"pipelines/hello.yaml", http + "auth: {tokn: x}\n", "5:14: Property tokn is not allowed.", nil},
		{"pipelines/hello.yaml", "steps:\n  - handler: HTTP\n    timeout: \"${{ payload.t }}\"\n    with: {url: http://x}\n", "3:14: want a duration such as", nil},
		{"pipelines/hello.yaml", "steps: [{handler: HTTP}]\n", `1:9: Missing property "with".`, nil},
		{"pipelines/hello.yaml", "steps: [{handler: HTTP, with: {}}]\n", `1:25: Missing property "url".`, nil},
		{"pipelines/hello.yaml", "steps: [{handler: SQL, with: {connection: x, query: \"select ${{ payload.x }}\"}}]\n", "1:53: want a text without ${{ }}", nil},
		{"pipelines/hello.yaml", "trigger: {every: 5m, scope: all}\nsteps: [{handler: Log, with: {message: x}}]\n", `1:29: Value is not accepted. Valid values: "once", "each-worker".`, nil},
		{"botwork.yaml", "worker: {capacty: 3}\n", "1:10: Property capacty is not allowed.", nil},
		{"botwork.yaml", "worker: {lease: 60}\n", "1:17: want a duration such as", nil},
		{"botwork.yaml", "database: {driver: mysql}\n", `1:20: Value is not accepted. Valid values: "sqlite"`, nil},
		{"botwork.yaml", "secrets: {a: {evn: X}}\n", "1:15: Property evn is not allowed.", nil},
		{"botwork.yaml", "queues: {a: {limits: {rate: 10}}}\n", "1:29: want a number and a period", nil},
		{"botwork.yaml", "tasks: {a: {pipeline: x, schedule: {execute: yearly}}}\n", `1:46: Value is not accepted. Valid values: "daily"`, nil},
		{"botwork.yaml", "tasks: {a: {}}\n", `1:9: Missing property "pipeline".`, nil},
	}
	for i, tt := range tests {
		_, tests[i].marked = c.open(filepath.Join(dir, tt.file), headOf(t, dir, tt.file)+tt.text)
	}
	for _, tt := range tests {
		marked := tt.marked()
		texts := make([]string, len(marked))
		for i, m := range marked {
			m.Range.Start.Line-- // the line of headOf
			texts[i] = m.String()
		}
		found := slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, tt.want) })
		if tt.want == "" && len(marked) > 0 || tt.want != "" && !found {
			t.Errorf("%s\n%sdiagnostics = %q, want %q", tt.file, tt.text, texts, tt.want)
		}
	}
}

// TestSettingsOfVSCode opens files without the line of headOf. The server must find the
// schema by the settings that init writes for VS Code.
func TestSettingsOfVSCode(t *testing.T) {
	dir := project(t)
	settings := defaults()
	var code map[string]any
	if err := json.Unmarshal([]byte(readText(t, filepath.Join(dir, ".vscode", "settings.json"))), &code); err != nil {
		t.Fatal(err)
	}
	settings["schemas"] = code["yaml.schemas"]
	c := start(t, dir, settings)
	tests := []struct {
		file, want string
		marked     func() []diagnostic
	}{
		{"pipelines/a.yaml", "Property nonsense is not allowed.", nil},
		{"pipelines/deeper/a.yml", "Property nonsense is not allowed.", nil},
		{"botwork.yaml", "Property nonsense is not allowed.", nil},
		{"pipelines/a_test.yaml", "", nil},
		{"elsewhere.yaml", "", nil},
	}
	for i, tt := range tests {
		_, tests[i].marked = c.openAs(filepath.Join(dir, tt.file), "nonsense: 1\n")
	}
	for _, tt := range tests {
		marked := tt.marked()
		if found := strings.Contains(fmt.Sprint(marked), tt.want); tt.want == "" && len(marked) > 0 || !found {
			t.Errorf("%s: diagnostics = %v, want %q", tt.file, marked, tt.want)
		}
	}
}
