package jsonschemas_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/jsonschemas"
)

const invoice = `{
	"type": "object",
	"required": ["number", "lines"],
	"additionalProperties": false,
	"properties": {
		"number": {"type": "string", "pattern": "^R-[0-9]+$"},
		"due": {"type": "string", "format": "date"},
		"total": {"type": "integer", "minimum": 1},
		"lines": {"type": "array", "items": {"$ref": "#/$defs/line"}}
	},
	"$defs": {"line": {"type": "object", "properties": {"amount": {"type": "number"}}}}
}`

func TestCheck(t *testing.T) {
	schema, err := jsonschemas.Parse(invoice)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		value string
		want  []string
	}{
		"fits":                         {`{"number": "R-1", "lines": [{"amount": 1.5}], "due": "2026-02-28"}`, nil},
		"a number with all digits":     {`{"number": "R-1", "lines": [], "total": 9007199254740993000000000000}`, nil},
		"null":                         {`null`, []string{"payload: got null, want object"}},
		"a missing key":                {`{"lines": []}`, []string{"payload: missing property 'number'"}},
		"a day that does not exist":    {`{"number": "R-1", "lines": [], "due": "2026-02-30"}`, []string{"payload.due: '2026-02-30' is not valid date: parsing time \"2026-02-30\": day out of range"}},
		"a key with a dot in its name": {`{"number": "R-1", "lines": [], "a.b": 1}`, []string{"payload: additional properties 'a.b' not allowed"}},
		"everything at once": {`{"number": "1", "lines": [{}, {"amount": "9"}], "total": 0}`, []string{
			"payload.lines.1.amount: got string, want number",
			"payload.number: '1' does not match pattern '^R-[0-9]+$'",
			"payload.total: minimum: got 0, want 1",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			value, err := jsonschemas.Decode(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, schema.Check(value).TextsBelow("payload"), cmp.Transformer("nil", func(s []string) string { return strings.Join(s, "\n") })); diff != "" {
				t.Errorf("Check (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseRejectsInvalidSchemas(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"not JSON":             {`{"type": }`, "the schema is not JSON: "},
		"two values":           {`{} {}`, "the schema is not JSON: "},
		"an unknown type":      {`{"properties": {"a": {"type": "strnig"}}}`, "value.properties.a.type: "},
		"a file":               {`{"$ref": "file:///etc/passwd"}`, "$ref to file:///etc/passwd: a schema can only refer to itself"},
		"the network":          {`{"properties": {"a": {"$ref": "https://example.com/x.json"}}}`, "$ref to https://example.com/x.json: a schema can only refer to itself"},
		"a relative file":      {`{"$ref": "other.json"}`, "a schema can only refer to itself"},
		"a dangling reference": {`{"$ref": "#/$defs/none"}`, "none"},
		"a text":               {`"object"`, "value: got string, want boolean or object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := jsonschemas.Parse(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%s) = %v, want an error with %q", tt.text, err, tt.want)
			}
		})
	}
}

func TestParseReportsEveryProblem(t *testing.T) {
	_, err := jsonschemas.Parse(`{"type": 5, "properties": {"a": {"minLength": -1}}, "required": "a"}`)
	got, ok := errors.AsType[jsonschemas.Problems](err)
	if !ok || len(got) < 3 {
		t.Fatalf("Parse = %v, want three problems or more", err)
	}
	paths := map[string]bool{}
	for _, p := range got {
		paths[strings.Join(p.Path, ".")] = true
	}
	for _, want := range []string{"type", "properties.a.minLength", "required"} {
		if !paths[want] {
			t.Errorf("problems = %v, want one at %s", got, want)
		}
	}
}
