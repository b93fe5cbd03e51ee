package lsp_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/internal/author/lsp"
)

// mark is the position of the cursor in a test's text.
const mark = "‸"

const testSettings = `connections:
  erp: {driver: sqlite, dsn: erp.db}
secrets:
  apiToken: {env: API_TOKEN}
values: {url: x}
queues:
  invoices: {description: Invoices of our suppliers}
tasks:
  close:
    pipeline: hello
`

// testProject creates a project for the text with the cursor.
func testProject(t *testing.T) string {
	return project(t, map[string]string{
		"botwork.yaml":         testSettings,
		"pipelines/hello.yaml": "name: hello\ndescription: Say hello\nsteps: [{handler: Log, with: {message: a}}]\n",
		"pipelines/tick.yaml":  "trigger: {every: 1m}\nsteps: [{handler: Log, with: {message: a}}]\n",
		"pipelines/case.yaml":  "steps: [{handler: Log, with: {message: a}}]\n",
		"pipelines/common/post.yaml": "name: post-to-ledger\ndescription: Post a line\ninput:\n  required: [order]\n  properties:\n    mode: {enum: [fast, slow], description: How fast}\n" +
			"    order: {properties: {id: {type: integer}}}\n    lines: {type: array, items: {$ref: '#/properties/order'}}\nsteps: [{handler: Log, with: {message: a}}]\n",
	})
}

// opened opens a text with a cursor mark as pipelines/case.yaml.
func opened(t *testing.T, c *client, dir, text string) (uri, plain string, cursor lsp.Position) {
	t.Helper()
	before, after, ok := strings.Cut(text, mark)
	if !ok {
		t.Fatal("no cursor in the text")
	}
	lines := strings.Split(before, "\n")
	last := lines[len(lines)-1]
	cursor = lsp.Position{Line: len(lines) - 1, Character: len(last)} // the text before it is ASCII
	return c.open(filepath.Join(dir, "pipelines/case.yaml"), before+after), before + after, cursor
}

type completions struct{ Items []lsp.CompletionItem }

func (cs completions) labels() []string {
	items := slices.Clone(cs.Items)
	slices.SortStableFunc(items, func(a, b lsp.CompletionItem) int { return strings.Compare(a.SortText, b.SortText) })
	var labels []string
	for _, item := range items {
		labels = append(labels, item.Label)
	}
	return labels
}

func TestCompletion(t *testing.T) {
	steps := "input:\n  properties:\n    id: {type: integer, description: The number}\n    lines: {type: array, items: {properties: {sku: {type: string}}}}\n" +
		"steps:\n  - name: load-data\n    handler: HTTP\n    with: {url: \"https://x/\"}\n  - handler: CSV\n    with: {op: parse, path: a.csv}\n"
	type test struct {
		text string

		// want are the expected labels; see compareLabels. apply is the line of the
		// cursor after the first proposal is applied.
		want  string
		apply string
	}
	tests := map[string]test{
		"keys of an empty file":         {"‸", "steps name description trigger -handler", "steps: "},
		"keys of a pipeline":            {"name: a\n‸\nsteps: []\n", "description trigger -name -steps", "description: "},
		"keys of a step":                {"steps:\n  - handler: Log\n    ‸\n", "name if timeout retry onError with -handler -steps -uses", "    name: "},
		"keys of an empty step":         {"steps:\n  - name: a\n    ‸\n", "handler if timeout retry onError with steps uses", "    handler: "},
		"keys of a block":               {"steps:\n  - steps: [{handler: Log}]\n    ‸\n", "name if timeout retry onError -handler -uses", "    name: "},
		"the first key of a step":       {"steps:\n  - ‸\n", "handler name if", "  - handler: "},
		"a key that is begun":           {"steps:\n  - ha‸\n    name: a\n", "handler if -name", "  - handler: "},
		"a key that has its value":      {"steps:\n  - nam‸: a\n    handler: Log\n", "name if -handler", "  - name: a"},
		"keys of a retry":               {"steps:\n  - handler: Log\n    retry:\n      ‸\n", "attempts delay factor maxDelay jitter", "      attempts: "},
		"keys in braces":                {"steps:\n  - handler: Log\n    retry: {attempts: 3, ‸}\n", "delay factor -attempts", "    retry: {attempts: 3, delay: }"},
		"keys in open braces":           {"steps:\n  - handler: Log\n    retry: {‸\n  - handler: Log\n", "attempts delay", "    retry: {attempts: "},
		"keys of a trigger":             {"trigger:\n  ‸\nsteps:\n", "cron every atStart wake timezone", "  cron: "},
		"keys of resilience":            {"resilience: {‸}\n", "limit delay", "resilience: {limit: }"},
		"handlers":                      {"steps:\n  - handler: ‸\n", "AssignTasksToWorker Break", "  - handler: AssignTasksToWorker"},
		"handlers without a space":      {"steps:\n  - name: a\n    handler:‸\n", "AssignTasksToWorker", "    handler: AssignTasksToWorker"},
		"handlers in braces":            {"steps:\n  - {handler: ‸}\n", "AssignTasksToWorker", "  - {handler: AssignTasksToWorker}"},
		"handlers in quotes":            {"steps:\n  - handler: \"‸\"\n", "AssignTasksToWorker", "  - handler: \"AssignTasksToWorker\""},
		"parameters":                    {"steps:\n  - handler: HTTP\n    with:\n      ‸\n", "url method query headers", "      url: "},
		"parameters that are missing":   {"steps:\n  - handler: HTTP\n    with:\n      url: x\n      m‸\n", "method query -url", "      method: "},
		"parameters before the handler": {"steps:\n  - with: {‸}\n    handler: SQL\n", "connection query exec", "  - with: {connection: }"},
		"parameters below":              {"steps:\n  - handler: HTTP\n    with:\n      auth: {‸}\n", "username password token", "      auth: {username: }"},
		"words":                         {"steps:\n  - handler: HTTP\n    with:\n      method: ‸\n", "GET HEAD POST", "      method: GET"},
		"words of a step":               {"steps:\n  - handler: HTTP\n    onError: ‸\n", "fail continue break", "    onError: fail"},
		"words of a list":               {"resilience:\n  retryOn:\n    - ‸\n", "error timeout business", "    - error"},
		"true and false":                {"trigger: {atStart: ‸}\n", "true false", "trigger: {atStart: true}"},
		"pipelines":                     {"steps:\n  - handler: Enqueue\n    with: {pipeline: ‸}\n", "case hello -tick", "    with: {pipeline: case}"},
		"queues":                        {"steps:\n  - handler: Enqueue\n    with: {queue: ‸}\n", "invoices default", "    with: {queue: invoices}"},
		"connections":                   {"steps:\n  - handler: SQL\n    with:\n      connection: e‸\n", "erp", "      connection: erp"},

		"variables":                    {steps + "  - handler: Log\n    with: {message: \"${{ ‸ }}\"}\n", "batch env input item now payload secrets steps values worker", "    with: {message: \"${{ batch }}\"}"},
		"variables of a condition":     {steps + "  - handler: Log\n    if: ‸\n", "batch env input item", "    if: batch"},
		"variables of an open one":     {steps + "  - handler: Log\n    with:\n      message: a ${{ pay‸\n", "batch env input item now payload", "      message: a ${{ batch"},
		"functions":                    {steps + "  - handler: Log\n    if: le‸\n", "+len", ""},
		"no item in a system pipeline": {"trigger: {every: 1m}\nsteps:\n  - handler: Log\n    if: ‸\n", "env input now -item", "    if: env"},
		"fields of the payload":        {steps + "  - handler: Log\n    if: payload.‸\n", "id lines -sku", "    if: payload.id"},
		"fields of an element":         {steps + "  - handler: Log\n    if: payload.lines[0].s‸ == 1\n", "sku", "    if: payload.lines[0].sku == 1"},
		"steps before":                 {steps + "  - handler: Log\n    if: steps.‸\n", "CSV load-data -Log", "    if: steps.CSV"},
		"a step with a dash":           {steps + "  - handler: Log\n    if: len(steps.loa‸)\n", "+load-data", ""},
		"a step in brackets":           {steps + "  - handler: Log\n    if: steps[\"‸\n", "CSV load-data", "    if: steps[\"CSV\"]"},
		"a step in closed brackets":    {steps + "  - handler: Log\n    if: steps[\"x‸\"].output\n", "CSV load-data", "    if: steps[\"CSV\"].output"},
		"fields of a step":             {steps + "  - handler: Log\n    if: steps[\"load-data\"].‸\n", "error output skipped", "    if: steps[\"load-data\"].error"},
		"output of a step":             {steps + "  - handler: Log\n    if: steps[\"load-data\"].output.‸\n", "body encoding headers status url", "    if: steps[\"load-data\"].output.body"},
		"output of an operation":       {steps + "  - handler: Log\n    if: steps.CSV.output.‸\n", "count errors rows", "    if: steps.CSV.output.count"},
		"elements of an output":        {steps + "  - handler: Log\n    if: steps.CSV.output.errors[0].‸\n", "column message row", "    if: steps.CSV.output.errors[0].column"},
		"the input":                    {steps + "  - handler: Log\n    if: input.‸\n", "count errors rows", "    if: input.count"},
		"an input that is passed on":   {steps + "  - handler: Log\n    with: {message: a}\n  - handler: Log\n    if: input.‸\n", "count errors rows", "    if: input.count"},
		"the first input":              {"input: {properties: {id: {}}}\nsteps:\n  - handler: Log\n    if: input.‸\n", "id", "    if: input.id"},
		"after a question mark":        {steps + "  - handler: Log\n    if: steps.CSV?.‸\n", "error output skipped", "    if: steps.CSV?.error"},
		"in a block of text":           {steps + "  - handler: Log\n    with:\n      message: |\n        a\n        ${{ item.‸ }}\n", "attempt availableAt createdAt", "        ${{ item.attempt }}"},
		"in quotes with escapes":       {steps + "  - handler: Log\n    with: {message: \"${{ steps[\\\"‸\\\"].output }}\"}\n", "CSV load-data", `    with: {message: "${{ steps[\"CSV\"].output }}"}`},
		"values":                       {steps + "  - handler: Log\n    if: values.‸\n", "ledger only password url -none", "    if: values.ledger"},
		"values below one":             {steps + "  - handler: Log\n    if: values.ledger.‸\n", "retries", "    if: values.ledger.retries"},
		"secrets":                      {steps + "  - handler: Log\n    if: secrets.‸\n", "apiToken unset", "    if: secrets.apiToken"},
		"the worker":                   {steps + "  - handler: Log\n    if: worker.‸\n", "name", "    if: worker.name"},
		"nothing in a text":            {steps + "  - handler: Log\n    with: {message: \"a ‸ b\"}\n", "", ""},
		"nothing in a comment":         {"# ‸\nsteps: []\n", "", ""},
		"nothing after an unknown":     {steps + "  - handler: Log\n    if: foo.‸\n", "", ""},
		"nothing in a predicate":       {steps + "  - handler: Log\n    if: any(payload.lines, .‸)\n", "", ""},
		"nothing in a number":          {steps + "  - handler: Log\n    if: payload.id > 1‸\n", "", ""},
		"nothing below input":          {"input:\n  ‸\nsteps: []\n", "", ""},
	}
	loop := steps + "  - name: each-line\n    foreach: ${{ payload.lines }}\n    as: line\n    steps:\n      - {name: sign, handler: CSV, with: {op: parse, path: a.csv}}\n"
	branches := steps + "  - name: both\n    parallel: true\n    steps:\n      - {name: one, handler: HTTP, with: {url: x}}\n      - name: two\n        steps:\n          - {name: three, handler: Log}\n"
	maps.Copy(tests, map[string]test{
		"keys of a nested step":             {"steps:\n  - name: a\n    steps:\n      - handler: Log\n        ‸\n", "name if timeout +foreach +parallel -handler", "        name: "},
		"the first key of a nested step":    {"steps:\n  - steps:\n      - steps:\n          - ‸\n", "handler name if +uses", "          - handler: "},
		"a nested handler":                  {"steps:\n  - steps: [{handler: ‸}]\n", "AssignTasksToWorker", "  - steps: [{handler: AssignTasksToWorker}]"},
		"parameters of a nested step":       {"steps:\n  - steps:\n      - handler: HTTP\n        with:\n          ‸\n", "url method query headers", "          url: "},
		"steps of a block":                  {loop + "      - handler: Log\n        if: steps.‸\n", "CSV load-data sign -each-line -Log", "        if: steps.CSV"},
		"steps outside of a block":          {loop + "  - handler: Log\n    if: steps.‸\n", "CSV each-line load-data -sign", "    if: steps.CSV"},
		"steps of the list of a loop":       {steps + "  - foreach: ${{ steps.‸ }}\n    steps: [{name: a, handler: Log}]\n", "CSV load-data -a -block", "  - foreach: ${{ steps.CSV }}"},
		"steps of branches":                 {branches + "          - handler: Log\n            if: steps.‸\n", "CSV load-data three -one -two -both", "            if: steps.CSV"},
		"steps of another branch":           {branches + "      - handler: Log\n        if: steps.‸\n", "CSV load-data -three -one -two -both", "        if: steps.CSV"},
		"the output of branches":            {branches + "  - handler: Log\n    if: steps.both.output.‸\n", "one two", "    if: steps.both.output.one"},
		"the output of a branch":            {branches + "  - handler: Log\n    if: input.one.‸\n", "body encoding", "    if: input.one.body"},
		"the output of a loop":              {loop + "  - handler: Log\n    if: steps[\"each-line\"].output[0].‸\n", "count errors rows", "    if: steps[\"each-line\"].output[0].count"},
		"the errors of a loop":              {loop + "  - handler: Log\n    if: steps[\"each-line\"].‸\n", "error errors output skipped", "    if: steps[\"each-line\"].error"},
		"variables of a loop":               {loop + "      - handler: Log\n        if: ‸\n", "batch each env input item line", "        if: batch"},
		"variables of a loop's list":        {steps + "  - {handler: Log, foreach: \"${{ ‸ }}\", as: line}\n", "batch env input -line -each", "  - {handler: Log, foreach: \"${{ batch }}\", as: line}"},
		"variables of a looped step":        {steps + "  - {handler: Log, foreach: \"${{ payload.lines }}\", as: line, if: line.‸}\n", "sku", "  - {handler: Log, foreach: \"${{ payload.lines }}\", as: line, if: line.sku}"},
		"no element after a loop":           {loop + "  - handler: Log\n    if: ‸\n", "batch env -each -line", "    if: batch"},
		"fields of the element":             {loop + "      - handler: Log\n        if: line.‸\n", "sku", "        if: line.sku"},
		"each and its index":                {loop + "      - handler: Log\n        if: each.‸\n", "index sku", "        if: each.index"},
		"the input of a loop":               {strings.Replace(loop, "{name: sign", "{if: input.‸, name: sign", 1), "sku", "      - {if: input.sku, name: sign, handler: CSV, with: {op: parse, path: a.csv}}"},
		"the element of an outer loop":      {loop + "      - {handler: Log, foreach: [1, 2], if: line.‸}\n", "sku", "      - {handler: Log, foreach: [1, 2], if: line.sku}"},
		"a block passes on its input":       {steps + "  - steps:\n      - handler: Log\n        if: input.‸\n", "count errors rows", "        if: input.count"},
		"keys of a step of finally":         {"steps: [{handler: Log}]\nfinally:\n  - handler: Log\n    ‸\n", "name if timeout -handler", "    name: "},
		"steps seen by finally":             {"steps:\n  - {name: main, handler: Log}\nonFailure: [{name: blame, handler: Log}]\nfinally:\n  - {name: first, handler: Log}\n  - handler: Log\n    if: steps.‸\n", "first main -blame", "    if: steps.first"},
		"how the run has failed":            {"steps: [{handler: Log}]\nonFailure:\n  - handler: Log\n    if: error.‸\n", "final kind step text", "    if: error.final"},
		"values of vars":                    {"vars: {total: 1}\nsteps:\n  - handler: Log\n    if: vars.‸\n", "total", "    if: vars.total"},
		"pipelines to call":                 {"steps:\n  - uses: ‸\n", "hello post-to-ledger -case -tick", "  - uses: hello"},
		"the payload of a call":             {"steps:\n  - uses: post-to-ledger\n    with:\n      ‸\n", "order mode lines", "      order: "},
		"the payload of a nested call":      {"steps:\n  - steps:\n      - uses: common/post\n        with: {order: {‸}}\n", "id", "        with: {order: {id: }}"},
		"an element of a call's payload":    {"steps:\n  - uses: common/post\n    with:\n      lines:\n        - ‸\n", "id", "        - id: "},
		"words of a call's payload":         {"steps:\n  - {uses: post-to-ledger, with: {mode: ‸}}\n", "fast slow", "  - {uses: post-to-ledger, with: {mode: fast}}"},
		"an expression in a call's payload": {steps + "  - {uses: post-to-ledger, with: {order: \"${{ payload.‸ }}\"}}\n", "id lines", "  - {uses: post-to-ledger, with: {order: \"${{ payload.id }}\"}}"},
	})
	dir := testProject(t)
	c := start(t, lsp.Options{})
	c.initialize(map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-8"}}})
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c.t = t
			uri, plain, cursor := opened(t, c, dir, tt.text)
			var got completions
			if code, message := c.call("textDocument/completion", at(uri, cursor), &got); code != 0 {
				t.Fatalf("%d %s", code, message)
			}
			compareLabels(t, got.labels(), tt.want)
			if tt.apply != "" {
				line := strings.Split(apply(plain, cursor, got), "\n")[cursor.Line]
				if line != tt.apply {
					t.Errorf("the line after the first proposal is %q, want %q", line, tt.apply)
				}
			}
		})
	}
	c.t = t
	if err := c.shutdown(); err != nil {
		t.Error(err)
	}
}

// compareLabels compares labels with the words in want. Words without a prefix must come
// first, in this order. Words with + must occur, words with - must not. An empty want
// means no labels.
func compareLabels(t *testing.T, got []string, want string) {
	t.Helper()
	if want == "" && len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
	i := 0
	for word := range strings.FieldsSeq(want) {
		name, prefix := strings.TrimLeft(word, "+-"), word[:1]
		switch {
		case prefix == "-" && slices.Contains(got, name):
			t.Errorf("got %q, want no %s in it", got, name)
		case prefix == "+" && !slices.Contains(got, name):
			t.Errorf("got %q, want %s in it", got, name)
		case prefix != "-" && prefix != "+":
			if i >= len(got) || got[i] != name {
				t.Fatalf("got %q, want %q first", got, want)
			}
			i++
		}
	}
}

// apply applies the edit of the first proposal. Positions are in bytes.
func apply(text string, cursor lsp.Position, got completions) string {
	if len(got.Items) == 0 {
		return text
	}
	first := slices.MinFunc(got.Items, func(a, b lsp.CompletionItem) int { return strings.Compare(a.SortText, b.SortText) })
	return applyEdit(text, *first.TextEdit)
}

func applyEdit(text string, edit lsp.TextEdit) string {
	lines := strings.SplitAfter(text, "\n")
	offset := func(p lsp.Position) int { return len(strings.Join(lines[:p.Line], "")) + p.Character }
	from, to := offset(edit.Range.Start), offset(edit.Range.End)
	if from > to || to > len(text) {
		panic(fmt.Sprintf("edit %v of %q", edit, text))
	}
	return text[:from] + edit.NewText + text[to:]
}
