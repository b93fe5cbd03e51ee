package schemas

import (
	"maps"
	"slices"
	"strings"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/strictyaml"
	"botwork/internal/spans"
)

// The forms of texts. They stand in the syntax that Go and JavaScript share.
const (
	expression = `\$\{\{`
	size       = `[0-9]+ *([kKmMgG]?[bB])?`
	moment     = `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})`

	// noExpression is a text without ${{.
	noExpression = `^([^$]|\$+([^${]|\{[^{]))*(\$+\{?)?$`
)

// value is the schema of a value. A dynamic one may be an expression as well.
type value struct {
	types    []string
	patterns []string // of which a text has to match one; none: any text
	wanted   []string // the same in words
	more     object
}

// phrases are the types of JSON in words.
var phrases = map[string]string{
	"number": "a number", "integer": "a whole number", "boolean": "true or false", "object": "a mapping", "array": "a list",
}

func (v *value) add(types ...string) {
	for _, t := range types {
		if !slices.Contains(v.types, t) {
			v.types = append(v.types, t)
		}
	}
}

// text lets in texts of a form.
func (v *value) text(pattern, wanted string) {
	v.add("string")
	v.patterns, v.wanted = append(v.patterns, pattern), append(v.wanted, wanted)
}

// schema is what the value has to be; nullable values may be left out.
func (v *value) schema(nullable bool) object {
	s := v.more
	if len(v.types) == 0 {
		return s // anything
	}
	types := slices.Clone(v.types)
	_, closed := s["enum"]
	if _, either := s["anyOf"]; nullable && !closed && !either {
		types = append(types, "null")
	}
	s["type"] = types
	if len(types) == 1 {
		s["type"] = types[0]
	}
	if len(v.patterns) > 0 {
		s["pattern"] = strings.Join(v.patterns, "|")
		message := "want " + strings.Join(v.wanted, ", or ")
		s["patternErrorMessage"] = message
		// Of an object it would hide which key is wrong.
		if !slices.Contains(types, "object") {
			s["errorMessage"] = message
		}
	}
	return s
}

// words splits a key's type into the types of which the value has one.
func words(typ string) []string {
	if typ == "" {
		return []string{"string"}
	}
	const sign = "\x00"
	list := strings.Split(strings.ReplaceAll(typ, "true or false", sign), " or ")
	for i, word := range list {
		list[i] = strings.ReplaceAll(word, sign, "true or false")
	}
	return list
}

// valueOf is the schema of a key's value.
func (b *builder) valueOf(k keydocs.Key, dynamic bool) object {
	v := value{more: object{}}
	typ := k.Type
	element, isList := strings.CutPrefix(typ, "list of ")
	inner, isMap := strings.CutPrefix(typ, "map of ")
	switch {
	case isList:
		b.list(&v, k, element, dynamic)
	case isMap:
		v.add("object")
		v.more["additionalProperties"] = b.valueOf(elementOf(k, inner), dynamic)
		if k.Names != "" {
			v.more["propertyNames"] = object{"pattern": k.Names}
		}
	default:
		for _, word := range words(typ) {
			b.word(&v, k, word, dynamic)
		}
	}
	if dynamic && !k.Literal && len(v.types) > 0 {
		v.expression()
	}
	if k.Literal {
		v.literal()
	}
	return v.schema(!k.Required && !k.NonNull)
}

// elementOf is a list's or map's element as a key of its own; it cannot be left
// out.
func elementOf(k keydocs.Key, typ string) keydocs.Key {
	return keydocs.Key{
		Type: typ, Required: true, Enum: k.Enum, EnumDocs: k.EnumDocs, Suggest: k.Suggest, Pattern: k.Pattern, Wanted: k.Wanted,
		Keys: k.Keys, Literal: k.Literal,
	}
}

func (b *builder) list(v *value, k keydocs.Key, element string, dynamic bool) {
	v.add("array")
	one := elementOf(k, element)
	if k.ItemPattern != "" {
		one.Pattern = k.ItemPattern
	}
	v.more["items"] = b.valueOf(one, dynamic)
	if k.Min != nil {
		v.more["minItems"] = *k.Min
	}
	// A single value may stand for a list of one, in steps.
	if plain := element != "any" && element != "object" && !strings.HasPrefix(element, "list of ") && !strings.HasPrefix(element, "map of "); dynamic && plain {
		for _, word := range words(element) {
			b.word(v, one, word, dynamic)
		}
	}
}

// word adds what one word of a type lets in.
func (b *builder) word(v *value, k keydocs.Key, word string, dynamic bool) {
	switch word {
	case "string", "text":
		b.texts(v, k, word)
	case "number", "whole number":
		v.add(map[string]string{"number": "number", "whole number": "integer"}[word])
		if k.Min != nil {
			v.more["minimum"] = *k.Min
		}
		if k.Max != nil {
			v.more["maximum"] = *k.Max
		}
	case "true or false":
		v.add("boolean")
	case "any":
		v.types = nil
	case "object":
		v.add("object")
		if k.Keys == nil {
			return // another rule says which
		}
		maps.Copy(v.more, b.mappingOf(k.Keys, dynamic))
	case "scalar":
		v.add("string", "number", "boolean")
	case "list of scalar":
		v.add("array")
		v.more["items"] = object{"type": []string{"string", "number", "boolean"}}
	case "duration":
		sign := "[-+]?"
		if k.Min != nil {
			sign = `\+?`
		}
		v.text("^"+sign+spans.Pattern+"$", "a duration such as 90s, 15m, 1h30m or 7d")
	case "size":
		v.add("integer")
		v.text("^"+size+"$", "a size such as 512KB or 10MB")
	case "time":
		v.text("^"+moment+"$", "a time such as 2026-01-31T13:45:00Z")
	case "expression":
		v.add("string", "boolean")
	case "source":
		v.add("string", "number", "boolean", "object")
		maps.Copy(v.more, b.source())
	case "JSON Schema":
		v.add("object", "boolean")
		v.more["allOf"] = []any{b.jsonSchema()}
	case "pipeline":
		v.add("object")
		v.more["allOf"] = []any{b.inline()}
	default:
		panic("schemas: no type is called " + word)
	}
}

// texts adds a text, or a text that may look like a number.
func (b *builder) texts(v *value, k keydocs.Key, word string) {
	if word == "text" {
		v.add("string", "number")
	}
	switch {
	case len(k.Enum) > 0:
		v.add("string")
		v.more["enum"] = k.Enum
		if len(k.EnumDocs) > 0 {
			v.more["markdownEnumDescriptions"] = k.EnumDocs
		}
	case k.Pattern != "":
		wanted := k.Wanted
		if wanted == "" {
			wanted = "another form: " + k.Doc
		}
		v.text(k.Pattern, strings.TrimPrefix(wanted, "want "))
		if len(k.Suggest) > 0 {
			v.more["examples"] = k.Suggest
		}
	default:
		v.add("string")
	}
}

// expression lets in an expression beside the value.
func (v *value) expression() {
	if words, closed := v.more["enum"]; closed {
		// The rules of one place hold for all types: the words move into a rule
		// of their own.
		docs := v.more["markdownEnumDescriptions"]
		alternative := object{"enum": words}
		if docs != nil {
			alternative["markdownEnumDescriptions"] = docs
		}
		delete(v.more, "enum")
		delete(v.more, "markdownEnumDescriptions")
		v.more["anyOf"] = []object{alternative, {"pattern": expression}}
		return
	}
	if !slices.Contains(v.types, "string") {
		for _, t := range v.types {
			v.wanted = append(v.wanted, phrases[t])
		}
	}
	if !slices.Contains(v.types, "string") || len(v.patterns) > 0 {
		v.text(expression, "an expression ${{ … }}")
	}
}

// literal refuses expressions.
func (v *value) literal() {
	const wanted = "a text without ${{ }}: give values as parameters"
	if items, ok := v.more["items"].(object); ok {
		items["pattern"], items["patternErrorMessage"] = noExpression, "want "+wanted
	}
	if slices.Contains(v.types, "string") {
		v.text(noExpression, wanted)
	}
}

// fromYAML reads a value as it stands in a table of keys.
func fromYAML(text string) (any, bool) {
	node, findings := strictyaml.Parse("", []byte("value: "+text))
	if len(findings) > 0 {
		return nil, false
	}
	return node.Get("value").Any(), true
}
