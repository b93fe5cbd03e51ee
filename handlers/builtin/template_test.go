package builtin

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

func TestTemplate(t *testing.T) {
	folder := tempFolder(t, map[string]string{"hello.tmpl": "Hello {{ .name }}", "bad.tmpl": "{{"})
	kind := templateKind(Resources{Folders: []string{folder}})
	call := &handlers.Call{Payload: map[string]any{"n": "P"}, Input: []any{1, 2}}
	for _, c := range []struct {
		name    string
		with    map[string]any
		want    any
		outcome string
	}{
		{"payload and input", map[string]any{"text": `{{ .payload.n }} {{ join .input "+" }} {{ json .input }}`}, "P 1+2 [1,2]", "success"},
		{"data", map[string]any{"text": `{{ date .at "DD.MM.YYYY" }} <{{ .x }}>`, "data": map[string]any{"at": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), "x": "&"}}, "31.01.2026 <&>", "success"},
		{"file", map[string]any{"path": "hello.tmpl", "data": map[string]any{"name": "Ana"}}, "Hello Ana", "success"},
		{"to a file", map[string]any{"text": "x", "to": "out/x.txt"}, map[string]any{"path": "out/x.txt", "size": 1}, "success"},
		{"missing name", map[string]any{"text": "{{ .nope }}"}, nil, "business"},
		{"missing file", map[string]any{"path": "none"}, nil, "error"},
		{"broken file", map[string]any{"path": "bad.tmpl"}, nil, "permanent"},
		{"too large", map[string]any{"text": "12345", "maxSize": 4}, nil, "permanent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := run(t, kind, c.with, call)
			wantError(t, err, c.outcome)
			if diff := cmp.Diff(c.want, out); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := readFile(t, folder, "out", "x.txt"); got != "x" {
		t.Errorf("x.txt = %q", got)
	}
	wantInvalid(t, kind, map[string]any{}, "exactly one of text and path")
	wantInvalid(t, kind, map[string]any{"text": "{{ nope }}", "to": "../x"}, `text: template: text:1: function "nope" not defined`, "to: path")
}

func TestTemplateStops(t *testing.T) {
	endless := map[string]any{"text": "{{ range 999999999999 }}x{{ end }}", "maxSize": "1KB"}
	_, err := run(t, templateKind(Resources{}), endless, nil)
	wantError(t, err, "permanent", "larger than 1KB")
	for text, want := range map[string]string{
		"{{ range 999999999999 }}{{ end }}":                                         "needs more than",
		`{{ $x := "ab" }}{{ range 40 }}{{ $x = print $x $x }}{{ end }}`:             "more than 64 MB",
		`{{ $x := "\\" }}{{ range 60 }}{{ $x = json $x }}{{ end }}`:                 "more than 64 MB",
		`{{ $x := .list }}{{ range 1000 }}{{ $y := join $x $.text }}{{ end }}`:      "more than 64 MB",
		`{{ $x := .text }}{{ range 1000 }}{{ $y := date $.at $x }}{{ end }}`:        "more than 64 MB",
		`{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`:         "call each other endlessly",
		`{{ $x := "1" }}{{ range 40 }}{{ $x = $x | $.at.Format }}{{ end }}{{ $x }}`: "more than 64 MB",
	} {
		_, err := run(t, templateKind(Resources{}), map[string]any{"text": text, "data": map[string]any{
			"at": time.Date(2026, 11, 11, 1, 1, 1, 0, time.UTC), "text": strings.Repeat("MM", 1<<19), "list": []any{"a", "b", "c"},
		}}, nil)
		wantError(t, err, "permanent", "template: text:1:", want)
	}
	h, err := templateKind(Resources{}).Build(endless)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = h.Handle(ctx, &handlers.Call{})
	wantError(t, err, "error", "canceled")
}
