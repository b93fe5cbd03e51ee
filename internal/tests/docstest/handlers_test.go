package docstest

import (
	"fmt"
	"strings"
	"testing"

	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
)

const handlersIntro = `# Handlers

<!-- Generated from the handlers' own documentation by ` + "`go test ./internal/tests/docstest -update`" + `; do not edit. -->

Handlers do the work of a pipeline's steps. ` + "`botwork handlers show KIND`" + ` prints the same text for one of them.

` + "```yaml\n- name: orders\n  handler: HTTP\n  with: {url: https://shop.example.test/orders}\n```" + `

A step names its handler under ` + "`handler`" + ` and gives it parameters under ` + "`with`" + `. A value may be an
[expression](pipelines.md#expressions). A duration is written as ` + "`90s`, `15m` or `1h30m`, a size as `500KB` or `10MB`" + `.

`

// registry has every kind, like the program's checker, with the connections and
// folders that the documents use.
func registry(t *testing.T) *handlers.Registry {
	t.Helper()
	known := map[string]builtin.Connection{}
	for _, name := range []string{"shop", "erp", "ledger"} {
		known[name] = builtin.Connection{Driver: "sqlite", DSN: "documents.db"}
	}
	connections, err := builtin.NewConnections(known)
	if err != nil {
		t.Fatal(err)
	}
	r := builtin.Registry(builtin.Resources{Connections: connections, Folders: []string{t.TempDir()}})
	r.MustRegister(queue.Kinds(queue.Services{})...)
	return r
}

func TestHandlers(t *testing.T) {
	var b strings.Builder
	b.WriteString(handlersIntro)
	kinds := registry(t).Kinds()
	for _, k := range kinds {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", k.Name, strings.ToLower(k.Name), k.Summary)
		if doc := strings.Join(strings.Fields(k.Doc), " "); !strings.Contains(doc, "safe to run twice") && !strings.Contains(doc, "may run twice") {
			t.Errorf("%s: the documentation does not say whether it is safe to repeat", k.Name)
		}
	}
	for _, k := range kinds {
		b.WriteString("\n" + deeper(k.Markdown()))
	}
	golden(t, "docs/handlers.md", b.String())
}

// deeper moves the headings one level down.
func deeper(markdown string) string {
	lines := strings.Split(markdown, "\n")
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if strings.HasPrefix(line, "#") && !fenced {
			lines[i] = "#" + line
		}
	}
	return strings.Join(lines, "\n")
}
