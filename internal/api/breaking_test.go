package api_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"botwork/workqueue"
)

var update = flag.Bool("update", false, "write the document of the API")

// breaking lists the differences between two documents that break programs written for the first:
// operations, parameters, answers and properties that are gone, types that differ, and what has
// become required of requests.
func breaking(t *testing.T, before, after []byte) []string {
	t.Helper()
	var old, now map[string]any
	for text, into := range map[*map[string]any][]byte{&old: before, &now: after} {
		if err := json.Unmarshal(into, text); err != nil {
			t.Fatal(err)
		}
	}
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	walk(dig(old, "paths"), dig(now, "paths"), "paths", fault)
	walk(dig(old, "components", "schemas"), dig(now, "components", "schemas"), "schemas", fault)
	slices.Sort(faults)
	return faults
}

func dig(v any, keys ...string) any {
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// texts are keys whose values do not matter to programs.
var texts = []string{"description", "summary", "example", "examples", "tags", "title", "doc"}

func walk(old, now any, at string, fault func(string, ...any)) {
	switch o := old.(type) {
	case map[string]any:
		n, ok := now.(map[string]any)
		if !ok {
			fault("%s is gone", at)
			return
		}
		for key, value := range o {
			if slices.Contains(texts, key) && !isProperties(at) {
				continue
			}
			if key == "required" && !isProperties(at) {
				continue
			}
			walk(value, n[key], at+"."+key, fault)
		}
		if required, _ := n["required"].([]any); !isProperties(at) {
			was, _ := o["required"].([]any)
			for _, name := range required {
				if _, existed := dig(o, "properties").(map[string]any)[fmt.Sprint(name)]; !slices.Contains(was, name) && existed {
					fault("%s: %v has become required", at, name)
				}
			}
		}
	case []any:
		n, _ := now.([]any)
		if len(n) < len(o) {
			fault("%s has fewer entries", at)
		}
		for _, value := range o {
			if name := dig(value, "name"); name != nil { // a parameter
				i := slices.IndexFunc(n, func(p any) bool { return dig(p, "name") == name && dig(p, "in") == dig(value, "in") })
				if i < 0 {
					fault("%s: the parameter %v is gone", at, name)
					continue
				}
				walk(value, n[i], at+"."+fmt.Sprint(name), fault)
			} else if _, plain := value.(string); plain && !slices.Contains(n, value) {
				fault("%s: %v is gone", at, value)
			}
		}
	default:
		if key := lastKey(at); (key == "type" || key == "$ref" || key == "format") && old != now {
			fault("%s was %v, is %v", at, old, now)
		}
	}
}

func isProperties(at string) bool {
	key := lastKey(at)
	return key == "properties" || key == "schemas" || key == "paths"
}

func lastKey(at string) string {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] == '.' {
			return at[i+1:]
		}
	}
	return at
}

func TestBreaking(t *testing.T) {
	const doc = `{"paths": {"/a": {"get": {"summary": "x", "parameters": [{"name": "p", "in": "query", "schema": {"type": "string"}}]}}},
		"components": {"schemas": {"A": {"required": ["b"], "properties": {"b": {"type": "string"}, "type": {"type": "string"}}}}}}`
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{"the same", doc, nil},
		{"another text and more", `{"paths": {"/b": {}, "/a": {"get": {"summary": "y", "parameters": [{"name": "q", "in": "query"}, {"name": "p", "in": "query", "schema": {"type": "string"}}]}}},
			"components": {"schemas": {"A": {"required": ["b"], "properties": {"c": {}, "b": {"type": "string"}, "type": {"type": "string"}}}}}}`, nil},
		{"an operation is gone", `{"paths": {"/a": {}}, "components": {"schemas": {"A": {"required": ["b"], "properties": {"b": {"type": "string"}, "type": {"type": "string"}}}}}}`, []string{"paths./a.get is gone"}},
		{"a parameter and a type", `{"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query"}]}}},
			"components": {"schemas": {"A": {"required": ["b"], "properties": {"b": {"type": "integer"}}}}}}`,
			[]string{"paths./a.get.parameters: the parameter p is gone", "schemas.A.properties.b.type was string, is integer", "schemas.A.properties.type is gone"}},
		{"required", `{"paths": {"/a": {"get": {"parameters": [{"name": "p", "in": "query", "schema": {"type": "string"}}]}}},
			"components": {"schemas": {"A": {"required": ["b", "type"], "properties": {"b": {"type": "string"}, "type": {"type": "string"}}}}}}`, []string{"schemas.A: type has become required"}},
	} {
		if got := breaking(t, []byte(doc), []byte(c.doc)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func auditOf(kind string) workqueue.AuditFilter { return workqueue.AuditFilter{TargetKind: kind} }
