package pipelines

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"botwork/workqueue"
)

// FuzzRender compiles a text as the value of a parameter and evaluates its expressions. A
// text that the checker accepts never panics and always ends. Errors have a position. Only
// a text that contains "secrets" can read a secret. A text without expressions does not
// change.
func FuzzRender(f *testing.F) {
	for _, text := range []string{
		"plain", "$${{ a }}", "a ${{ payload.name }} b ${{ 1 + 2.5 }}", "${{ payload }}", "${{ steps }}", "${{ now }}", "${{ env }} ${{ worker.name }}",
		"${{ secrets.apiKey }}", "${{ secrets[payload.name] }}", "${{ $env }}", "${{ $env['se' + 'crets'] }}", "${{ toJSON(item) }}",
		"${{ let x = payload; x?.list[0] ?? 'none' }}", "${{ map(1..1000, map(1..1000, 1..1000)) }}", "${{ repeat('ab', 1000000000) }}",
		"${{ reduce(1..9999, #acc + #acc, 'x') }}", "${{ payload.list | filter(# > 1) | map({'a': #}) }}", "${{ 1 / 0 }}", "${{ 1 % 0 }}",
		"${{ 9223372036854775807 + 1 }}", "${{ payload.name[9:] }}", "${{ date('x') }}", "${{ duration('1h') }}", "${{ fromJSON('{') }}",
		"${{ payload.name matches '(a*)*b' }}", "${{ sortBy(payload.list, -#) }}", "${{ payload.list[99] }}", "${{ now - item.createdAt }}",
		"${{ input.a.b.c }}", "${{ item.deadlineAt.Year() }}", "${{ now.Format('2006') }}", "${{ worker.name.x }}", "${{ -(-9223372036854775807 - 1) }}",
		"${{ 0..9223372036854775807 }}", "${{ join(payload.list) }}", "${{ payload.list | groupBy(#) }}", "${{ 2 ** 99999 }}\n", "${{ '\xff' }}",
	} {
		f.Add(text)
	}
	const hidden = "Zq8-hidden-Zq8"
	c := testCompiler(nil)
	at := time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)
	r := &run{
		engine: NewEngine(EngineOptions{
			Env: map[string]string{"HOME": "/home"}, Secrets: map[string]string{"apiKey": hidden, "dbPassword": hidden}, WorkerName: "ann",
		}),
		in: RunInput{Run: &workqueue.Run{Item: &workqueue.Item{ID: 7, CreatedAt: at, AvailableAt: at}}},
	}
	r.top.run = r
	r.top.payload = map[string]any{"name": "Ann", "list": []any{1, 2, 3}}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // YAML refuses it before anything here sees it
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		p, findings := c.Parse("fuzz.json", fmt.Appendf(nil, `{"steps":[{"handler":"Echo","with":{"value":%s}}]}`, quoted))
		if p == nil {
			// JSON allows some characters that YAML does not.
			if !strings.Contains(text, opening) && findings[0].Code != "yaml-syntax" {
				t.Errorf("findings of the text %q = %v", text, findings)
			}
			return
		}
		step := p.Steps[0]
		if step.with == nil {
			if want := strings.ReplaceAll(text, "$"+opening, opening); step.With["value"] != any(text) || step.handler.(*echo).Value != any(want) {
				t.Errorf("the text %q became %q for the handler", text, step.handler.(*echo).Value)
			}
			return
		}
		r.p, r.top.p = p, p
		got, err := step.with.render(&r.top.machine, r.top.variables())
		if err != nil {
			fault, ok := errors.AsType[*ExpressionError](err)
			if !ok || fault.Line < 1 || fault.Column < 1 || fault.Key != "with.value" || fault.Message == "" {
				t.Errorf("%q failed with %#v, want an error with a position", text, err)
			}
		}
		if shown := fmt.Sprintf("%v %v", got, err); strings.Contains(shown, hidden) && !strings.Contains(text, "secrets") {
			t.Errorf("%q shows a secret: %s", text, shown)
		}
	})
}
