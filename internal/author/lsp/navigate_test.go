package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp"

	"github.com/google/go-cmp/cmp"
)

// bytes requests positions in bytes, which tests can count.
var bytes = map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-8"}}}

func TestDefinition(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"a step by its name":      {"steps:\n  - {name: load, handler: CSV}\n  - handler: Log\n    if: steps.lo‸ad.output > 1\n", "case.yaml:2:12 load"},
		"a step by its handler":   {"steps:\n  - handler: CSV\n  - handler: Log\n    if: steps.CSV‸.skipped\n", "case.yaml:2:14 CSV"},
		"a step in brackets":      {"steps:\n  - {name: a-b, handler: CSV}\n  - handler: Log\n    with: {message: \"${{ steps['a‸-b'].output }}\"}\n", "case.yaml:2:12 a-b"},
		"the second of a handler": {"steps:\n  - handler: Log\n  - handler: Log\n  - handler: Log\n    if: steps[\"Log-‸2\"].skipped\n", "case.yaml:3:14 Log"},
		"an unknown step":         {"steps:\n  - handler: Log\n    if: steps.unk‸nown.skipped\n", ""},
		"a pipeline with a name":  {"steps:\n  - handler: Enqueue\n    with: {pipeline: hel‸lo}\n", "hello.yaml:1:7 hello"},
		"a pipeline by its file":  {"steps:\n  - handler: Enqueue\n    with: {pipeline: ti‸ck}\n", "tick.yaml:1:1 "},
		"a called pipeline":       {"steps:\n  - steps: [{uses: post-to-‸ledger}]\n", "post.yaml:1:7 post-to-ledger"},
		"a called file":           {"steps:\n  - {name: post, uses: common/po‸st}\n", "post.yaml:1:7 post-to-ledger"},
		"a nested step":           {"steps:\n  - steps:\n      - {name: load, handler: CSV}\n      - {handler: Log, if: steps.lo‸ad.skipped}\n", "case.yaml:3:16 load"},
		"a block without a name":  {"steps:\n  - steps: [{handler: CSV}]\n  - {handler: Log, if: steps.blo‸ck.skipped}\n", "case.yaml:2:5 steps"},
		"the element of a loop":   {"steps:\n  - {handler: Log, foreach: [1], as: line, if: li‸ne > 1}\n", "case.yaml:2:34 as"},
		"an unknown pipeline":     {"steps:\n  - handler: Enqueue\n    with: {pipeline: un‸known}\n", ""},
		"a queue":                 {"steps:\n  - handler: Enqueue\n    with: {queue: invo‸ices}\n", "botwork.yaml:7:3 invoices"},
		"a connection":            {"steps:\n  - handler: SQL\n    with: {connection: \"er‸p\"}\n", "botwork.yaml:2:3 erp"},
		"a secret":                {"steps:\n  - handler: Log\n    if: secrets.api‸Token == \"\"\n", "botwork.yaml:4:3 apiToken"},
		"a value":                 {"steps:\n  - handler: Log\n    if: values.u‸rl == \"\"\n", "botwork.yaml:5:10 url"},
		"a field of the payload":  {"input:\n  properties:\n    a: {properties: {b: {}}}\nsteps:\n  - handler: Log\n    if: payload.a.b‸\n", "case.yaml:3:22 b"},
		"a handler":               {"steps:\n  - handler: Bre‸ak\n", "case.yaml:2:14 Break"},
		"a text":                  {"description: a ‸b\nsteps: [{handler: Log}]\n", ""},
	}
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(bytes)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c.t = t
			uri, plain, cursor := opened(t, c, dir, tt.text)
			var got *lsp.Location
			if code, message := c.call("textDocument/definition", at(uri, cursor), &got); code != 0 {
				t.Fatalf("%d %s", code, message)
			}
			if got := showLocation(t, got, uri, plain); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// showLocation returns a location as file:line:column and the text there.
func showLocation(t *testing.T, l *lsp.Location, open, text string) string {
	if l == nil {
		return ""
	}
	path := strings.TrimPrefix(l.URI, fileURI(""))
	if l.URI != open {
		data, err := os.ReadFile(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	line := strings.Split(text, "\n")[l.Range.Start.Line]
	return fmt.Sprintf("%s:%d:%d %s", filepath.Base(path), l.Range.Start.Line+1, l.Range.Start.Character+1,
		line[l.Range.Start.Character:l.Range.End.Character])
}

func TestSettings(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{SettingsKeys: keydocs.Keys{
		{Name: "secrets", Type: "map of source", Doc: "texts"},
		{Name: "tasks", Type: "map of object", Keys: keydocs.Keys{{Name: "pipeline", Required: true}, {Name: "queue"}}},
		{Name: "worker", Type: "object", Keys: keydocs.Keys{{Name: "queues", Type: "list of string"}}},
	}})
	c.initialize(bytes)
	path := filepath.Join(dir, "botwork.yaml")
	for _, tt := range []struct{ text, want string }{
		{testSettings + "‸", "worker -tasks -secrets"},
		{testSettings + "    ‸", "queue -pipeline"},
		{testSettings + "    queue: ‸", "invoices default"},
		{"worker:\n  queues: [‸]\n", "default"},
		{"tasks:\n  a:\n    pipeline: ‸\n", "case hello -tick"},
		{"secrets:\n  a: {‸}\n", "env file credential value"},
		{"secrets:\n  ‸\n", ""},
		{"secrets:\n  a: ‸\n", ""},
	} {
		before, after, _ := strings.Cut(tt.text, mark)
		lines := strings.Split(before, "\n")
		uri := c.open(path, before+after)
		var got completions
		c.call("textDocument/completion", at(uri, lsp.Position{Line: len(lines) - 1, Character: len(lines[len(lines)-1])}), &got)
		compareLabels(t, got.labels(), tt.want)
	}
	// The file of an environment is a settings file, other files beside it are not.
	for name, want := range map[string]string{"botwork.prod.yaml": "worker", "other.prod.yaml": ""} {
		uri := c.open(filepath.Join(dir, name), "wor")
		var got completions
		c.call("textDocument/completion", at(uri, lsp.Position{Line: 0, Character: 3}), &got)
		if labels := strings.Join(got.labels(), " "); strings.Contains(labels, "worker") != (want != "") {
			t.Errorf("%s: proposals %q, want %q among them", name, labels, want)
		}
	}
	uri := c.open(path, testSettings)
	var got *lsp.Location
	c.call("textDocument/definition", at(uri, lsp.Position{Line: 9, Character: 15}), &got)
	if got := showLocation(t, got, uri, testSettings); got != "hello.yaml:1:7 hello" {
		t.Errorf("a task's pipeline is at %q, want hello.yaml:1:7 hello", got)
	}
}

func TestReferences(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(bytes)
	text := "steps:\n  - {name: a, handler: CSV}\n  - handler: Log\n    if: steps.‸a.skipped and steps['a'].output == steps.Log\n"
	uri, plain, cursor := opened(t, c, dir, text)
	for _, declaration := range []bool{true, false} {
		var got []lsp.Location
		params := at(uri, cursor)
		params["context"] = map[string]any{"includeDeclaration": declaration}
		c.call("textDocument/references", params, &got)
		var shown []string
		for _, l := range got {
			shown = append(shown, showLocation(t, &l, uri, plain))
		}
		want := []string{"case.yaml:4:15 a", "case.yaml:4:35 'a'"}
		if declaration {
			want = append([]string{"case.yaml:2:12 a"}, want...)
		}
		if diff := cmp.Diff(want, shown); diff != "" {
			t.Errorf("declaration %v (-want +got):\n%s", declaration, diff)
		}
	}
}

func TestRename(t *testing.T) {
	tests := map[string]struct{ text, name, want string }{
		"a name": {
			"steps:\n  - name: lo‸ad\n    handler: CSV\n  - handler: Log\n    if: steps.load.output + steps?.load.x > steps['load'].skipped\n    with: {message: \"a ${{ steps.load.output }} steps.load\"}\n",
			"read", "steps:\n  - name: read\n    handler: CSV\n  - handler: Log\n    if: steps.read.output + steps?.read.x > steps.read.skipped\n    with: {message: \"a ${{ steps.read.output }} steps.load\"}\n",
		},
		"to a name with a dash": {
			"steps:\n  - name: load\n    handler: CSV\n  - handler: Log\n    if: steps.lo‸ad.output\n    with: {message: \"a ${{ steps?.load.output }} b\", fields: {x: '${{ steps.load }}', y: ${{ steps.load }}}}\n",
			"load-data", "steps:\n  - name: load-data\n    handler: CSV\n  - handler: Log\n    if: steps[\"load-data\"].output\n    with: {message: \"a ${{ steps?.['load-data'].output }} b\", fields: {x: '${{ steps[\"load-data\"] }}', y: '${{ steps[\"load-data\"] }}'}}\n",
		},
		"back to a name without one": {
			"steps:\n  - name: \"load-‸data\"\n    handler: CSV\n  - handler: Log\n    if: steps[\"load-data\"].output and steps?.[\"load-data\"].skipped\n",
			"load", "steps:\n  - name: \"load\"\n    handler: CSV\n  - handler: Log\n    if: steps.load.output and steps?.load.skipped\n",
		},
		"a step without a name": {
			"steps:\n  - handler: CS‸V\n    with: {op: parse}\n  - handler: Log\n    if: steps.CSV.output\n",
			"load", "steps:\n  - name: load\n    handler: CSV\n    with: {op: parse}\n  - handler: Log\n    if: steps.load.output\n",
		},
		"a step without a name in braces": {
			"steps:\n  - {handler: CSV‸}\n", "load", "steps:\n  - {name: load, handler: CSV}\n",
		},
		"a step without a name, with another line end": {
			"steps:\r\n  - handler: CS‸V\r\n", "load", "steps:\r\n  - name: load\r\n    handler: CSV\r\n",
		},
		"later ones of the same handler": {
			"steps:\n  - handler: Lo‸g\n  - handler: Log\n    if: steps.Log.skipped\n  - handler: CSV\n    if: steps[\"Log-2\"].skipped\n",
			"first", "steps:\n  - name: first\n    handler: Log\n  - handler: Log\n    if: steps.first.skipped\n  - handler: CSV\n    if: steps.Log.skipped\n",
		},
		"a nested step": {
			"steps:\n  - steps:\n      - name: lo‸ad\n        handler: CSV\n      - {handler: Log, foreach: \"${{ steps.load.output }}\"}\n",
			"read", "steps:\n  - steps:\n      - name: read\n        handler: CSV\n      - {handler: Log, foreach: \"${{ steps.read.output }}\"}\n",
		},
		"a block without a name": {
			"steps:\n  - foreach: ${{ payload }}\n    steps: [{handler: CSV}]\n  - handler: Log\n    if: steps.bl‸ock.skipped\n",
			"all", "steps:\n  - name: all\n    foreach: ${{ payload }}\n    steps: [{handler: CSV}]\n  - handler: Log\n    if: steps.all.skipped\n",
		},
		"a name that needs quotes": {
			"steps:\n  - name: lo‸ad\n    handler: CSV\n", "007", "steps:\n  - name: \"007\"\n    handler: CSV\n",
		},
		"a name that some parsers read as true": {
			"steps:\n  - name: lo‸ad\n    handler: CSV\n", "yes", "steps:\n  - name: \"yes\"\n    handler: CSV\n",
		},
		"a name within braces in single quotes": {
			"steps:\n  - name: lo‸ad\n    handler: CSV\n  - {handler: Log, if: steps.load.output == 'a'}\n",
			"a b", "steps:\n  - name: a b\n    handler: CSV\n  - {handler: Log, if: 'steps[\"a b\"].output == ''a'''}\n",
		},
		"the name that it has":   {"steps:\n  - name: lo‸ad\n    handler: CSV\n", "load", "steps:\n  - name: load\n    handler: CSV\n"},
		"a broken text":          {"steps:\n  - name: lo‸ad\n    handler: CSV\n  - handler: Log\n    with: {message: \"${{ steps.load. \n", "x", "steps:\n  - name: x\n    handler: CSV\n  - handler: Log\n    with: {message: \"${{ steps.x. \n"},
		"a name that is taken":   {"steps:\n  - name: lo‸ad\n    handler: CSV\n  - {name: b, handler: Log}\n", "b", `-32803 step 2 already has the name "b"`},
		"a handler's name":       {"steps:\n  - name: lo‸ad\n    handler: CSV\n  - {handler: Log}\n", "Log", `-32803 step 2 already has the name "Log"`},
		"no name":                {"steps:\n  - name: lo‸ad\n    handler: CSV\n", "a/b", `-32803 step name: got "a/b", want letters, digits, spaces, dots, dashes and underscores, a letter or digit first, at most 100`},
		"what cannot be renamed": {"na‸me: x\nsteps: [{handler: Log}]\n", "b", "-32803 only steps can be renamed, and this is not the name of a step"},
	}
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(bytes)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c.t = t
			uri, plain, cursor := opened(t, c, dir, tt.text)
			params := at(uri, cursor)
			params["newName"] = tt.name
			var edit lsp.WorkspaceEdit
			code, message := c.call("textDocument/rename", params, &edit)
			got := applyAll(plain, edit.Changes[uri])
			if code != 0 {
				got = fmt.Sprint(code, " ", message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var prepared *struct {
				Range       lsp.Range
				Placeholder string
			}
			c.call("textDocument/prepareRename", at(uri, cursor), &prepared)
			if (prepared != nil) != !strings.Contains(tt.want, "only steps") {
				t.Errorf("prepareRename = %+v", prepared)
			}
		})
	}
}

// applyAll applies edits, the last one first.
func applyAll(text string, edits []lsp.TextEdit) string {
	sort.SliceStable(edits, func(i, j int) bool {
		a, b := edits[i].Range.Start, edits[j].Range.Start
		return a.Line > b.Line || a.Line == b.Line && a.Character > b.Character
	})
	for _, e := range edits {
		text = applyEdit(text, e)
	}
	return text
}

func TestHover(t *testing.T) {
	head := "input: {properties: {id: {type: integer, description: the invoice's number}}}\nsteps:\n  - name: load\n    handler: HTTP\n"
	tests := map[string]struct{ text, want string }{
		"a handler":              {"steps:\n  - handler: HT‸TP\n", "# HTTP\n\nSend an HTTP request"},
		"a key of a step":        {"steps:\n  - hand‸ler: HTTP\n", "**handler**\n\nThe handler that does the work. A step has `handler`, `steps` or `uses`."},
		"a key of a pipeline":    {"resil‸ience: {}\nsteps: [{handler: Log}]\n", "**resilience** (object)\n\nHow often an item is tried, how long it waits between attempts, and how long a run may take."},
		"a parameter":            {"steps:\n  - handler: HTTP\n    with: {ur‸l: x}\n", "**url** (string)\n\nAbsolute http or https address.\n\nRequired."},
		"a parameter below":      {"steps:\n  - handler: HTTP\n    with: {auth: {tok‸en: x}}\n", "**token** (string)\n\nToken for Bearer authentication."},
		"a word":                 {"steps:\n  - handler: HTTP\n    onError: bre‸ak\n", "**break**: the run ends here, successfully"},
		"a pipeline":             {"steps:\n  - handler: Enqueue\n    with: {pipeline: hel‸lo}\n", "**hello** (pipeline, hello.yaml)\n\nSay hello"},
		"a queue":                {"steps:\n  - handler: Enqueue\n    with: {queue: invo‸ices}\n", "**invoices** (queue, botwork.yaml line 7)\n\nInvoices of our suppliers"},
		"a called pipeline":      {"steps:\n  - uses: common/po‸st\n", "**post-to-ledger** (pipeline, post.yaml)\n\nPost a line"},
		"a field of a call":      {"steps:\n  - {uses: common/post, with: {mo‸de: fast}}\n", "**mode**\n\nHow fast."},
		"a nested step":          {"steps:\n  - steps:\n      - {name: load, handler: HTTP}\n      - {handler: Log, if: steps.lo‸ad.output == 1}\n", "**load** (HTTP)\n\nStep 2, handler `HTTP`"},
		"a block":                {"steps:\n  - name: post\n    steps: [{handler: Log}]\n  - {handler: Log, if: steps.po‸st.output == 1}\n", "**post** (block)\n\nStep 1.\n\nOutput: that of its last step"},
		"an element":             {"steps:\n  - {name: all, handler: Log, foreach: [1], as: line, if: li‸ne == 1}\n", "**line**\n\nThe element of the loop `all`"},
		"an index":               {"steps:\n  - {name: all, handler: Log, foreach: [1], if: each.ind‸ex == 1}\n", "**index** (number)\n\nThe number of the element, from 0"},
		"a connection":           {"steps:\n  - handler: SQL\n    with: {connection: er‸p}\n", "**erp** (connection, botwork.yaml line 2)\n\nsqlite"},
		"a step":                 {head + "  - handler: Log\n    if: steps.lo‸ad.output\n", "**load** (HTTP)\n\nStep 1, handler `HTTP`: Send an HTTP request"},
		"the output of a step":   {head + "  - handler: Log\n    if: steps.load.out‸put\n", "**output** (map)\n\n{status, headers, body, encoding, url}:"},
		"a field of the payload": {head + "    if: payload.i‸d > 1\n", "**id** (whole number)\n\nThe invoice's number"},
		"a field of the item":    {head + "    if: item.atte‸mpt > 1\n", "**attempt** (number)\n\n1 for the first attempt"},
		"a secret":               {head + "    if: secrets.apiT‸oken != \"\"\n", "**apiToken** (text)\n\nA secret of the settings; it has a value here"},
		"a secret that is unset": {head + "    if: secrets.uns‸et != \"\"\n", "**unset** (text)\n\nA secret of the settings; it has no value here"},
		"a value":                {head + "    if: values.ur‸l != \"\"\n", "**url** (text)\n\nA value of the settings:\n\n- botwork.yaml: `\"http://dev\"`\n- botwork.prod.yaml: `\"https://prod\"`"},
		"a value below":          {head + "    if: values.ledger.retr‸ies > 1\n", "**retries** (number)\n\nA value of the settings:\n\n- botwork.yaml: `2`\n- botwork.prod.yaml: not set"},
		"a value like a secret":  {head + "    if: values.pass‸word != \"\"\n", "**password** (text)\n\nA value of the settings:\n\n- botwork.yaml: `<secret>`\n- botwork.prod.yaml: not set"},
		"a function":             {head + "    if: le‸n(payload) > 1\n", "`len(value) number`\n\nThe number of elements"},
		"an unknown name":        {head + "    if: foo‸\n", ""},
		"a text":                 {head + "    with: {body: foo‸}\n", ""},
	}
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(bytes)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c.t = t
			uri, _, cursor := opened(t, c, dir, tt.text)
			var got struct{ Contents struct{ Kind, Value string } }
			if code, message := c.call("textDocument/hover", at(uri, cursor), &got); code != 0 {
				t.Fatalf("%d %s", code, message)
			}
			if value := got.Contents.Value; !strings.HasPrefix(value, tt.want) || (value == "") != (tt.want == "") {
				t.Errorf("got %q, want %q…", value, tt.want)
			}
		})
	}
}

func TestOutline(t *testing.T) {
	dir := testProject(t)
	text := "name: x‸\nsteps:\n  - {name: a, handler: CSV}\n  - handler: Log\n  - {}\n  -\n"
	for _, hierarchical := range []bool{true, false} {
		c := start(t, lsp.Options{})
		c.initialize(map[string]any{"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": hierarchical}}})
		uri, _, _ := opened(t, c, dir, text)
		var got []lsp.DocumentSymbol
		c.call("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uri}}, &got)
		if hierarchical && len(got) == 2 {
			got = append(got, got[1].Children...)
		}
		var names []string
		for _, s := range got {
			names = append(names, strings.TrimSpace(s.Name+" "+s.Detail))
		}
		want := []string{"name", "steps", "a CSV", "Log Log", "step 3"}
		if !hierarchical {
			want = []string{"name", "steps", "a", "Log", "step 3"}
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("hierarchical %v (-want +got):\n%s", hierarchical, diff)
		}
	}
}

func TestQuickFix(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(bytes)
	uri, plain, _ := opened(t, c, dir, "steps:\n  - handlr: Log\n    tiemout: 5s\n    with: {message: 12}‸\n")
	c.published(uri, 1)
	ask := func(only ...string) []lsp.CodeAction {
		var got []lsp.CodeAction
		c.call("textDocument/codeAction", map[string]any{
			"textDocument": map[string]any{"uri": uri}, "context": map[string]any{"diagnostics": []any{}, "only": only},
			"range": lsp.Range{Start: lsp.Position{Line: 2}, End: lsp.Position{Line: 2, Character: 8}},
		}, &got)
		return got
	}
	got := ask()
	if len(got) != 2 || got[0].Title != "Change tiemout to timeout" || got[0].Kind != "quickfix" || len(got[0].Diagnostics) != 1 {
		t.Fatalf("actions = %+v, want the one of the line and all safe ones", got)
	}
	if text := applyAll(plain, got[0].Edit.Changes[uri]); !strings.Contains(text, "\n    timeout: 5s\n") || !strings.Contains(text, "handlr") {
		t.Errorf("text after the fix = %q", text)
	}
	all := ask("source.fixAll")
	if len(all) != 1 || all[0].Kind != "source.fixAll.botwork" {
		t.Fatalf("actions = %+v, want the one that fixes everything", all)
	}
	text := applyAll(plain, all[0].Edit.Changes[uri])
	if want := "steps:\n  - handler: Log\n    timeout: 5s\n"; !strings.HasPrefix(text, want) {
		t.Errorf("text after all fixes = %q, want %q…", text, want)
	}
	version := c.change(uri, map[string]any{"text": text})
	if left := ask(); len(left) > 0 && left[0].Edit.Changes[uri][0].Range.Start.Line < 3 {
		t.Errorf("actions before the new text is checked = %+v, want none", left)
	}
	c.published(uri, version)
}

// Nested steps are entries below their block.
func TestNestedOutline(t *testing.T) {
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(map[string]any{"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}}})
	uri, _, _ := opened(t, c, dir, "steps:\n  - name: both\n    parallel: true\n    steps:\n      - steps: [{name: a, handler: CSV}]\n      - uses: common/post\n  - handler: Log‸\n")
	var got []lsp.DocumentSymbol
	c.call("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uri}}, &got)
	var lines []string
	var add func(list []lsp.DocumentSymbol, indent string)
	add = func(list []lsp.DocumentSymbol, indent string) {
		for _, s := range list {
			lines = append(lines, strings.TrimRight(indent+s.Name+" "+s.Detail, " "))
			add(s.Children, indent+"  ")
		}
	}
	add(got, "")
	want := []string{"steps", "  both parallel", "    block block", "      a CSV", "    post uses common/post", "  Log Log"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
