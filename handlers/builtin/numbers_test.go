package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"botwork/handlers"
)

// exact is the first whole number that a float64 does not hold, beyond one that needs more
// than 64 bits.
const (
	exact  = 9007199254740993
	beyond = json.Number("123456789012345678901234567890")
	digits = `[9007199254740993,123456789012345678901234567890]`
)

// Every handler passes long whole numbers on with all their digits.
func TestHandlersKeepDigits(t *testing.T) {
	both := []any{exact, beyond}
	folder := tempFolder(t, map[string]string{"n.json": digits, "n.csv": "a,b\n9007199254740993,123456789012345678901234567890\n"})
	res := Resources{Folders: []string{folder}, Connections: testConnections(t)}
	echo := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"body": %s, "query": %q}`, body, r.URL.RawQuery)
	})
	var log bytes.Buffer
	rows := []any{map[string]any{"a": exact, "b": beyond}}
	call := &handlers.Call{Input: both, Payload: map[string]any{"n": both}, Log: zerolog.New(&log), OnOutput: func(v any) error {
		text, err := json.Marshal(v)
		log.Write(text)
		return err
	}}
	field := func(out any, names ...string) any {
		for _, name := range names {
			m, _ := out.(map[string]any)
			out = m[name]
		}
		return out
	}
	for _, c := range []struct {
		name string
		kind handlers.Kind
		with map[string]any
		of   []string // the field of the output
		want any
	}{
		{"JSON parse", jsonKind(), map[string]any{"op": "parse", "value": digits}, nil, both},
		{"JSON format", jsonKind(), map[string]any{"op": "format"}, nil, digits},
		{"HTTP body", httpKind(res), map[string]any{"url": echo, "method": "POST", "body": both}, []string{"body", "body"}, both},
		{"HTTP query", httpKind(res), map[string]any{"url": echo, "method": "POST", "body": 1, "query": map[string]any{"n": both}}, []string{"body", "query"}, "n=9007199254740993&n=123456789012345678901234567890"},
		{"Exec json", execKind(res), helper(t, map[string]any{"stdin": "json", "stdout": "json"}, "echo"), []string{"output"}, both},
		{"Exec lines", execKind(res), helper(t, map[string]any{"stdin": "lines"}, "echo"), []string{"output"}, "9007199254740993\n123456789012345678901234567890\n"},
		{"File read", fileKind(res), map[string]any{"op": "read", "path": "n.json", "as": "json"}, []string{"content"}, both},
		{"CSV parse", csvKind(res), map[string]any{"op": "parse", "path": "n.csv", "columns": map[string]any{"a": "whole", "b": "whole"}}, []string{"rows"}, rows},
		{"CSV parse as number", csvKind(res), map[string]any{"op": "parse", "path": "n.csv", "columns": map[string]any{"a": "number", "b": "number"}}, []string{"rows"}, rows},
		{"CSV format", csvKind(res), map[string]any{"op": "format", "rows": rows}, nil, "a,b\n9007199254740993,123456789012345678901234567890\n"},
		{"Template", templateKind(res), map[string]any{"text": `{{ .input }} {{ json .input }} {{ join .input "+" }} {{ printf "%d %.1f" (index .input 1) (index .input 0) }}`}, nil,
			"[9007199254740993 123456789012345678901234567890] " + digits + " 9007199254740993+123456789012345678901234567890 123456789012345678901234567890 9007199254740993.0"},
		{"Transform value", transformKind(), map[string]any{"value": both}, nil, both},
		{"Transform list", transformKind(), map[string]any{"items": []any{beyond, exact}, "sortBy": "it"}, nil, both},
		{"Transform group", transformKind(), map[string]any{"items": []any{beyond}, "groupBy": "it"}, nil, []any{map[string]any{"key": beyond, "items": []any{beyond}}}},
		{"Log", logKind(), map[string]any{"message": "x", "fields": map[string]any{"n": both}}, nil, both},
		{"Progress", progressKind(), map[string]any{"output": both}, nil, both},
		{"SQL 64 bits", sqlKind(res), map[string]any{"connection": "shop", "query": "SELECT @n AS n", "params": map[string]any{"n": exact}}, []string{"rows"}, []any{map[string]any{"n": exact}}},
		{"SQL as JSON", sqlKind(res), map[string]any{"connection": "shop", "query": "SELECT @n AS n", "params": map[string]any{"n": both}}, []string{"rows"}, []any{map[string]any{"n": digits}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := run(t, c.kind, c.with, call)
			if diff := cmp.Diff(c.want, field(out, c.of...)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
	if got := strings.Count(log.String(), digits); got != 2 {
		t.Errorf("the log and the progress have the digits %d times, want 2:\n%s", got, log.String())
	}
	_, err := run(t, sqlKind(res), map[string]any{"connection": "shop", "query": "SELECT @n AS n", "params": map[string]any{"n": beyond}}, nil)
	wantError(t, err, "permanent", "the number 123456789012345678901234567890 needs more than 64 bits, which SQLite does not store exactly")
	if _, err := run(t, fileKind(res), map[string]any{"op": "write", "path": "out.json", "content": both, "as": "json"}, call); err != nil {
		t.Error(err)
	}
	if got := strings.Join(strings.Fields(readFile(t, folder, "out.json")), ""); got != digits {
		t.Errorf("out.json = %q, want %s", got, digits)
	}
	if out, err := run(t, execKind(res), helper(t, map[string]any{"stdin": "text", "input": digits}, "echo"), call); err != nil || field(out, "output") != digits {
		t.Errorf("Exec text = %v, %v", out, err)
	}
}

func TestTemplateNumbers(t *testing.T) {
	data := map[string]any{"amount": 100, "long": 1234567.89, "text": "50%!d(int=1)"}
	for text, want := range map[string]string{
		`{{ printf "%.2f" .amount }}`: "100.00",
		`{{ .long }}`:                 "1234567.89",
		`{{ printf "%d" .amount }} {{ printf "%.1f" .long }}`:       "100 1234567.9",
		`100%!d(int=1) {{ .text }} {{ printf "%s" .text }} {{ . }}`: "100%!d(int=1) 50%!d(int=1) 50%!d(int=1) map[amount:100 long:1234567.89 text:50%!d(int=1)]",
	} {
		out, err := run(t, templateKind(Resources{}), map[string]any{"text": text, "data": data}, nil)
		if out != want || err != nil {
			t.Errorf("%s = %q, %v, want %q", text, out, err, want)
		}
	}
	_, err := run(t, templateKind(Resources{}), map[string]any{"text": "{{ .amount }}\n{{ printf \"%d\" .text }}", "data": data}, nil)
	wantError(t, err, "business", "template: text:2:3", "printf: %d does not suit text")
}
