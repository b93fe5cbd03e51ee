package handlers

import (
	"strings"
	"testing"
)

func TestShapeCheck(t *testing.T) {
	shape := ObjectShape(map[string]Shape{
		"rows": ListShape(MapShape(TextShape)), "count": WholeShape, "ok": BoolShape, "body": AnyShape,
	})
	good := func() map[string]any {
		return map[string]any{"rows": []any{map[string]any{"a": "b"}}, "count": 1, "ok": true, "body": nil}
	}
	if err := shape.Check(good()); err != nil {
		t.Errorf("Check = %v, want nothing", err)
	}
	for want, spoil := range map[string]func(m map[string]any){
		`the field "count" is missing`:               func(m map[string]any) { delete(m, "count") },
		`got the field "more"`:                       func(m map[string]any) { m["more"] = 1 },
		"output.count: got text, want whole number":  func(m map[string]any) { m["count"] = "1" },
		"output.rows[0].a: got":                      func(m map[string]any) { m["rows"].([]any)[0].(map[string]any)["a"] = 1 },
		"output.rows: got the number, want list":     func(m map[string]any) { m["rows"] = 5 },
		"output.ok: got nothing, want true or false": func(m map[string]any) { m["ok"] = nil },
	} {
		m := good()
		spoil(m)
		if err := shape.Check(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check = %v, want %q", err, want)
		}
	}
	if err := shape.Check("text"); err == nil {
		t.Error("a text passed for an object")
	}
}
