package builtin

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/expr-lang/expr"
	"gopkg.in/yaml.v3"

	"botwork/handlers"
)

// exampleStep has the fields of a step that the examples use.
type exampleStep struct {
	Name, Handler string
	If            string
	With          map[string]any
}

// example defines what a kind's example needs and its expected result.
type example struct {
	payload any

	// replace maps the example's addresses to those of the test.
	replace map[string]string

	// outcome is what the last step ends with, success if empty.
	outcome string

	// want must hold afterwards: an expression over the same variables, and
	// input for the last output.
	want string
}

// runExample runs an example's steps one after the other, as a pipeline does.
func runExample(t *testing.T, kinds *handlers.Registry, kind handlers.Kind, e example) {
	t.Helper()
	text := kind.Example
	for old, replacement := range e.replace {
		if !strings.Contains(text, old) {
			t.Fatalf("the example does not hold %q", old)
		}
		text = strings.ReplaceAll(text, old, replacement)
	}
	var steps []exampleStep
	if err := yaml.Unmarshal([]byte(text), &steps); err != nil {
		t.Fatal(err)
	}
	outputs := map[string]any{}
	call := &handlers.Call{Pipeline: "example", ItemID: 1, IdempotencyKey: "1", Attempt: 1, Payload: e.payload, Input: e.payload}
	var last error
	uses := false
	for i, s := range steps {
		env := map[string]any{
			"payload": e.payload, "input": call.Input, "steps": outputs,
			"secrets": map[string]any{"shopToken": "s3cret", "mailPassword": "s3cret"},
		}
		if s.If != "" && evaluate(t, s.If, env) != true {
			t.Fatalf("step %d: its if is false", i)
		}
		k, ok := kinds.Lookup(s.Handler)
		if !ok {
			t.Fatalf("step %d: unknown handler %q", i, s.Handler)
		}
		uses = uses || k.Name == kind.Name
		h, err := k.Build(fill(t, s.With, env).(map[string]any))
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		call.Step = s.Name
		out, err := h.Handle(t.Context(), call)
		checkShape(t, k, fill(t, s.With, env).(map[string]any), out, err)
		if last = err; err != nil {
			break
		}
		call.Input, outputs[s.Name] = out, map[string]any{"output": out}
	}
	if !uses {
		t.Errorf("the example does not use %s", kind.Name)
	}
	if e.outcome == "" {
		e.outcome = "success"
	}
	wantError(t, last, e.outcome)
	env := map[string]any{"payload": e.payload, "input": call.Input, "steps": outputs}
	if e.want != "" && evaluate(t, e.want, env) != true {
		t.Errorf("%s is false; input is %v, steps are %v", e.want, call.Input, outputs)
	}
}

// fill replaces ${{ }} in a value: text that consists of one expression becomes the
// expression's value, in other text the expression is replaced with its text.
func fill(t *testing.T, v any, env map[string]any) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[key] = fill(t, value, env)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fill(t, v[i], env)
		}
		return out
	case string:
		var b strings.Builder
		for rest := v; ; {
			before, after, found := strings.Cut(rest, "${{")
			b.WriteString(before)
			if !found {
				return b.String()
			}
			text, tail, _ := strings.Cut(after, "}}")
			value := evaluate(t, text, env)
			if strings.TrimSpace(before+tail) == "" && b.Len() == len(before) {
				return value
			}
			fmt.Fprint(&b, value)
			rest = tail
		}
	}
	return v
}

func evaluate(t *testing.T, text string, env map[string]any) any {
	t.Helper()
	v, err := expr.Eval(strings.TrimSpace(text), env)
	if err != nil {
		t.Fatalf("evaluate %s: %v", text, err)
	}
	return v
}

func TestExamplesRun(t *testing.T) {
	folder := tempFolder(t, map[string]string{"inbox/b.txt": "B", "inbox/a.txt": "A", "letters/invoice.txt": "invoice"})
	res := Resources{Connections: testConnections(t), Folders: []string{folder}}
	kinds := Registry(res)
	shop := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var order map[string]any
		if err := json.NewDecoder(r.Body).Decode(&order); err != nil || order["customer"] != "Ana" || r.Header.Get("Authorization") != "Bearer s3cret" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id": 7}`)
	})
	server := startSMTP(t, nil)
	order := func(customer string, amount float64) any {
		return map[string]any{"customer": customer, "amount": amount}
	}
	examples := map[string]example{
		"HTTP": {payload: map[string]any{"customer": "Ana"}, replace: map[string]string{"https://shop.example.test": shop}, want: "steps.order.output.body.id == 7"},
		"SQL":  {want: "input.rowsAffected == 2"},
		"Exec": {payload: map[string]any{"names": []any{"Rui", "Ana"}}, want: `steps.sorted.output.output == ["Ana", "Rui"]`},
		"File": {want: `steps.inbox.output.count == 2 && steps.first.output.content == "A" && input.path == "archive/first.txt"`},
		"CSV":  {want: `steps.invoices.output.rows[0].amount == 1.5 && steps.invoices.output.errors[0].row == 3 && input.count == 1`},
		"JSON": {want: `input == "{\n  \"customer\": \"Ana\"\n}"`},
		"Transform": {
			payload: map[string]any{"orders": []any{order("Ana", 1), order("Rui", 2), order("Ana", 3), order("Eva", -9)}},
			want:    `input == [{customer: "Ana", orders: 2, total: 4.0}, {customer: "Rui", orders: 1, total: 2.0}]`,
		},
		"Template": {payload: map[string]any{"customer": "Ana", "orders": []any{map[string]any{"number": "A-1", "amount": 1.5}}}, want: `input.path == "letters/Ana.txt"`},
		"Mail": {
			payload: map[string]any{"email": "ana@example.test", "id": 7, "customer": "Ana"},
			replace: map[string]string{"host: mail.example.test": "host: 127.0.0.1\n    tls: none\n    port: " + strconv.Itoa(server.port)},
			want:    `input.messageId startsWith "<botwork-1-example-"`,
		},
		"Log":      {payload: map[string]any{"id": 7, "customer": "Ana"}, want: "input == payload"},
		"Progress": {payload: map[string]any{"n": 12}, want: "input == payload"},
		"Delay":    {},
		"Snooze":   {payload: map[string]any{"ready": false}, outcome: "snooze"},
		"Drop":     {payload: map[string]any{"withdrawn": true}, outcome: "drop"},
		"Break":    {payload: map[string]any{"orders": []any{}}, outcome: "break"},
		"Fail":     {payload: map[string]any{"amount": -1}, outcome: "business"},
	}
	for _, kind := range kinds.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			e, ok := examples[kind.Name]
			if !ok {
				t.Fatal("nothing runs this kind's example")
			}
			if kind.Name == "Delay" { // with the fake time of synctest
				synctest.Test(t, func(t *testing.T) { runExample(t, kinds, kind, e) })
				return
			}
			runExample(t, kinds, kind, e)
		})
		delete(examples, kind.Name)
	}
	if len(examples) > 0 {
		t.Errorf("examples of no kind: %v", slices.Collect(maps.Keys(examples)))
	}
	if got, want := readFile(t, folder, "letters", "Ana.txt"), "Dear Ana,\n- A-1: 1.50\n"; got != want {
		t.Errorf("the letter is %q, want %q", got, want)
	}
}
