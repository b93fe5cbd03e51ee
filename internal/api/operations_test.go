package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue/access"
)

// TestOperations compares docs/api-operations.md, the table of all operations, with the API.
func TestOperations(t *testing.T) {
	s := apitest.Start(t, nil)
	var b strings.Builder
	b.WriteString(`# Operations of the HTTP API

This table is generated from the operations of the API by ` + "`go test ./internal/api -run TestOperations -update`" + `.
[api.md](api.md) describes how to call them, and ` + "`GET /api/openapi.json`" + ` has their parameters and answers. Each role of
people includes those before it: viewer, operator, editor, admin. "Bound" operations may also be called by tokens and
users that are bound to queues, for these queues.

| operation | request | does | roles | bound |
|---|---|---|---|---|
`)
	for _, op := range s.API.Operations() {
		bound := ""
		if op.Bound {
			bound = "yes"
		}
		fmt.Fprintf(&b, "| %s | `%s %s` | %s | %s | %s |\n", op.ID, op.Method, op.Path, op.Summary, rolesText(op.Roles), bound)
	}
	file := filepath.Join("..", "..", "docs", "api-operations.md")
	want, err := os.ReadFile(file)
	if err == nil && string(want) == b.String() {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date; run go test ./internal/api -run TestOperations -update", file)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rolesText names the least role of people, and robots.
func rolesText(roles []access.Role) string {
	var parts []string
	for _, r := range access.Roles() {
		if r != access.Robot && slices.Contains(roles, r) {
			parts = append(parts, "from "+string(r))
			break
		}
	}
	if slices.Contains(roles, access.Robot) {
		parts = append(parts, "robot")
	}
	return strings.Join(parts, ", ")
}

// TestDocumentIsComplete holds the document to what programs that are generated from it need.
func TestDocumentIsComplete(t *testing.T) {
	s := apitest.Start(t, nil)
	doc := document(t, s.API)
	schemas, _ := dig(doc, "components", "schemas").(map[string]any)
	checkRefs(t, "document", doc, schemas)
	ids, templates := map[string]bool{}, map[string]string{}
	tags := map[string]bool{}
	for _, tag := range entriesOf(dig(doc, "tags")) {
		name, _ := dig(tag, "name").(string)
		if tags[name] = true; dig(tag, "description") == nil {
			t.Errorf("the tag %q has no description", name)
		}
	}
	paths, _ := dig(doc, "paths").(map[string]any)
	for path, item := range paths {
		template := pathParameters.ReplaceAllString(path, "{}")
		if other := templates[template]; other != "" {
			t.Errorf("%s and %s match the same requests", path, other)
		}
		templates[template] = path
		for method, operation := range item.(map[string]any) {
			at := method + " " + path
			id, _ := dig(operation, "operationId").(string)
			if id == "" || ids[id] {
				t.Errorf("%s has the operationId %q, want a unique one", at, id)
			}
			ids[id] = true
			for _, key := range []string{"summary", "description"} {
				if text, _ := dig(operation, key).(string); text == "" {
					t.Errorf("%s has no %s", id, key)
				}
			}
			for _, tag := range entriesOf(dig(operation, "tags")) {
				if !tags[fmt.Sprint(tag)] {
					t.Errorf("%s has the tag %v, which the document does not describe", id, tag)
				}
			}
			if len(entriesOf(dig(operation, "tags"))) != 1 || dig(operation, "security") == nil {
				t.Errorf("%s has %v as tags, want one, and security", id, dig(operation, "tags"))
			}
			checkParameters(t, id, path, operation)
			checkResponses(t, id, operation)
		}
	}
	if len(ids) != len(s.API.Operations()) {
		t.Errorf("the document has %d operations, want %d", len(ids), len(s.API.Operations()))
	}
}

var pathParameters = regexp.MustCompile(`\{[^}]*\}`)

func document(t *testing.T, a *api.API) map[string]any {
	t.Helper()
	text, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func entriesOf(v any) []any {
	l, _ := v.([]any)
	return l
}

// checkRefs checks that each $ref names a schema.
func checkRefs(t *testing.T, at string, v any, schemas map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			if name, found := strings.CutPrefix(ref, "#/components/schemas/"); !found || schemas[name] == nil {
				t.Errorf("%s: %s does not exist", at, ref)
			}
		}
		for key, value := range v {
			checkRefs(t, at+"."+key, value, schemas)
		}
	case []any:
		for i, value := range v {
			checkRefs(t, fmt.Sprintf("%s[%d]", at, i), value, schemas)
		}
	}
}

func checkParameters(t *testing.T, id, path string, operation any) {
	t.Helper()
	for _, p := range entriesOf(dig(operation, "parameters")) {
		name, in := dig(p, "name"), dig(p, "in")
		if text, _ := dig(p, "description").(string); text == "" || dig(p, "schema") == nil {
			t.Errorf("%s: the parameter %v in %v has no description or no schema", id, name, in)
		}
		if in == "path" && (dig(p, "required") != true || !strings.Contains(path, fmt.Sprintf("{%v}", name))) {
			t.Errorf("%s: the path parameter %v is not required, or not in the path", id, name)
		}
	}
	for _, name := range pathParameters.FindAllString(path, -1) {
		if !slices.ContainsFunc(entriesOf(dig(operation, "parameters")), func(p any) bool { return fmt.Sprintf("{%v}", dig(p, "name")) == name }) {
			t.Errorf("%s: the path parameter %s is not described", id, name)
		}
	}
}

func checkResponses(t *testing.T, id string, operation any) {
	t.Helper()
	successes := 0
	responses, _ := dig(operation, "responses").(map[string]any)
	for status, r := range responses {
		content, _ := dig(r, "content").(map[string]any)
		if strings.HasPrefix(status, "2") {
			successes++
			if len(content) == 0 && status != "204" {
				t.Errorf("%s: the answer %s has no content", id, status)
			}
			for mediaType, c := range content {
				if dig(c, "schema") == nil {
					t.Errorf("%s: the answer %s as %s has no schema", id, status, mediaType)
				}
			}
			continue
		}
		if _, ok := content["application/problem+json"]; status != "304" && (!ok || len(content) != 1) {
			t.Errorf("%s: the answer %s is %v, want only application/problem+json", id, status, content)
		}
	}
	if successes == 0 {
		t.Errorf("%s has no answer of a success", id)
	}
}
