package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// described writes inputs, one a line: the name, the kind and what else they have.
func described(fields []payloadField) string {
	var b strings.Builder
	for i := range fields {
		f := &fields[i]
		fmt.Fprintf(&b, "%s %s", f.Name, f.Kind)
		for _, one := range []struct{ name, text string }{{"=", f.Value}, {"min ", f.Min}, {"max ", f.Max}, {"says ", f.Says}} {
			if one.text != "" {
				b.WriteString(" " + one.name + one.text)
			}
		}
		if f.Required {
			b.WriteString(" required")
		}
		for _, c := range f.Choices {
			b.WriteString(" (" + c.Value + " " + c.Text + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestFieldsOfASchema(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`null`, ""}, {``, ""}, {`true`, ""}, {`{"type": "array", "items": {}}`, ""}, {`{"type": "object"}`, ""}, {`{"$ref": "#/$defs/x"}`, ""},
		{`{"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string", "title": "A", "description": "the first"}, "z": {"type": "string", "default": "x"}}, "required": ["z"]}`,
			"z text =x required\na text says A · the first\nb text\n"},
		{`{"properties": {"n": {"type": "number", "minimum": 0.5, "exclusiveMaximum": 2}, "i": {"type": "integer", "minimum": 0.5, "exclusiveMaximum": 10, "default": 3}}}`,
			"i integer =3 min 1 max 9\nn number min 0.5\n"},
		{`{"type": ["object", "null"], "properties": {"free": {"type": "boolean"}, "must": {"type": "boolean"}, "on": {"type": "boolean", "default": true}}, "required": ["must"]}`,
			"must switch =false required (true yes) (false no)\nfree choice (true yes) (false no)\non switch =true (true yes) (false no)\n"},
		{`{"properties": {"e": {"enum": ["low", 2, null, ""], "default": 2}, "c": {"const": {"a": 1}}}}`,
			"c choice ({\"a\":1} {\"a\":1})\ne choice =2 (\"low\" low) (2 2) (null null) (\"\" \"\")\n"},
		{`{"properties": {"o": {"type": "object"}, "l": {"type": "array", "default": []}, "any": {"anyOf": [{"type": "string"}]}, "r": {"$ref": "#"}, "two": {"type": ["string", "null"], "description": "or none"}, "t": true, "never": false}}`,
			"any json\nl json =[]\no json\nr json\nt json\ntwo json says or none\n"},
	} {
		if got := described(payloadFields(json.RawMessage(c.schema))); got != c.want {
			t.Errorf("%s\ngot\n%swant\n%s", c.schema, got, c.want)
		}
	}
}

const manyTypes = `{"properties": {
	"text": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer"}, "free": {"type": "boolean"}, "on": {"type": "boolean", "default": true},
	"level": {"enum": ["low", 2]}, "list": {"type": "array"}, "must": {"type": "string"}}, "required": ["must"]}`

func TestPayloadOfFields(t *testing.T) {
	for _, c := range []struct{ form, want, refused string }{
		{"must=x", `{"must":"x"}`, ""},
		{"must=+x%20", `{"must":" x "}`, ""},
		{"must=x&text=a%0D%0A%3Cb%3E", `{"must":"x","text":"a\n<b>"}`, ""},
		{"must=x&n=12.50&i=12345678901234567890", `{"i":12345678901234567890,"must":"x","n":12.50}`, ""},
		{"must=x&i=1e3&n=-0", `{"i":1e3,"must":"x","n":-0}`, ""},
		{"must=x&free=false&on=false&on=true", `{"free":false,"must":"x","on":true}`, ""},
		{"must=x&on=false", `{"must":"x","on":false}`, ""},
		{`must=x&level="low"&list=[1, {"a": 2}]`, `{"level":"low","list":[1,{"a":2}],"must":"x"}`, ""},
		{"must=x&level=2", `{"level":2,"must":"x"}`, ""},
		{"", "", "must: it is required"},
		{"must=x&n=1,5", "", `n: got "1,5", want a number such as 12.5`},
		{"must=x&n=NaN", "", `n: got "NaN", want a number`},
		{"must=x&n=1e999999999&i=1e999999999", "", `i: got "1e999999999", want a whole number`},
		{"must=x&i=2.5&n=x", "", `i: got "2.5", want a whole number such as 12; n: got "x", want a number such as 12.5`},
		{"must=x&level=high", "", `level: got "high", want one of the choices`},
		{"must=x&list=[1,", "", `list: got "[1,", want JSON: line 1`},
		{"must=x&on=maybe", "", `on: got "maybe", want true or false`},
	} {
		fields := payloadFields(json.RawMessage(manyTypes))
		entered, err := url.ParseQuery(c.form)
		if err != nil {
			t.Fatal(err)
		}
		form := url.Values{}
		for name, all := range entered {
			form[fieldPrefix+name] = all
		}
		takeFields(fields, form, true)
		got, err := payloadOf(fields)
		if c.refused != "" {
			if p, ok := errors.AsType[*problem](err); !ok || !strings.Contains(p.Error(), c.refused) {
				t.Errorf("%s: error %v, want %s", c.form, err, c.refused)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: got %s, error %v, want %s", c.form, got, err, c.want)
		}
	}
}

// A payload that the inputs cannot give back as it is must be shown as JSON.
func TestFieldsShowAPayload(t *testing.T) {
	for payload, want := range map[string]bool{
		`{"must": "x"}`: true, `{"must": "a\nb", "n": 1.50, "i": 12345678901234567890, "free": false, "on": false, "level": 2, "list": [1, {"a": null}]}`: true,
		`{"must": "x", "on": true}`: true, `{"must": "x", "level": "low"}`: true,
		`{}`: false, `null`: false, `[]`: false, `3`: false, ``: false, `{"must": ""}`: false, `{"must": null}`: false, `{"must": "a\r\nb"}`: false, `{"must": "a\u0000"}`: false,
		`{"must": "x", "other": 1}`: false, `{"must": "x", "n": "1"}`: false, `{"must": "x", "i": 2.5}`: false, `{"must": "x", "level": "high"}`: false, `{"must": "x", "list": null}`: false,
		`{"must": "x", "on": 1}`: false, `{"must": "x", "n": null}`: false,
	} {
		fields := payloadFields(json.RawMessage(manyTypes))
		if got := showPayload(fields, payload); got != want {
			t.Errorf("%s: %v, want %v", payload, got, want)
		}
	}
	fields := payloadFields(json.RawMessage(manyTypes))
	showPayload(fields, `{"must": "x"}`)
	if text := described(fields); !strings.Contains(text, "on choice (true yes)") {
		t.Errorf("what the payload does not have looks as if it were off: %s", text)
	}
}
