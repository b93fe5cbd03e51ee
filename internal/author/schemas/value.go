package schemas

import (
	"maps"
	"slices"
	"strings"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/strictyaml"
	"botwork/internal/spans"
)

// The patterns of texts, in the common syntax of Go and JavaScript.
const (
	expression = `\$\{\{`
	size       = `[0-9]+ *([kKmMgG]?[bB])?`
	moment     = `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})`

	// noExpression matches a text without ${{.
	noExpression = `^([^$]|\$+([^${]|\{[^{]))*(\$+\{?)?$`
)

// value is the schema of a value.
type value struct {
	types    []string
	patterns []string // a text must match one of them; without patterns, any text is valid
	wanted   []string // descriptions of the patterns
	more     object
}

// phrases describe the JSON types in words.
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

// text allows texts that match a pattern.
func (v *value) text(pattern, wanted string) {
	v.add("string")
	v.patterns, v.wanted = append(v.patterns, pattern), append(v.wanted, wanted)
}

// schema returns the JSON Schema of the value. A nullable value can be null.
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
		// For an object, the message would hide which key is wrong.
		if !slices.Contains(types, "object") {
			s["errorMessage"] = message
		}
	}
	return s
}

// words splits a key's type into its alternatives.
func words(typ string) []string {
	if typ == "" {
		return []string{"string"}
	}
	const boolMark = "\x00"
	list := strings.Split(strings.ReplaceAll(typ, "true or false", boolMark), " or ")
	for i, word := range list {
		list[i] = strings.ReplaceAll(word, boolMark, "true or false")
	}
	return list
}

// valueOf returns the schema of a key's value. A dynamic value can also be an
// expression.
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

// elementOf describes an element of a list or map as a required key.
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
	// In steps, a single value is accepted as a list with one element.
	if plain := element != "any" && element != "object" && !strings.HasPrefix(element, "list of ") && !strings.HasPrefix(element, "map of "); dynamic && plain {
		for _, word := range words(element) {
			b.word(v, one, word, dynamic)
		}
	}
}

// word adds one alternative of a type.
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
			return // another rule defines its keys
		}
		maps.Copy(v.more, b.mappingOf(k.Keys, dynamic))
	case "off":
		v.text("^off$", "off")
	case "scalar":
		v.add("string", "number", "boolean")
	case "list of scalar":
		v.add("array")
		v.more["items"] = object{"type": []string{"string", "number", "boolean"}}
	case "duration":
		plusMinus := "[-+]?"
		if k.Min != nil {
			plusMinus = `\+?`
		}
		v.text("^"+plusMinus+spans.Pattern+"$", "a duration such as 90s, 15m, 1h30m or 7d")
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
	case "step":
		v.add("object")
		v.more["allOf"] = []any{b.define("step", b.step)}
	case "pipeline":
		v.add("object")
		v.more["allOf"] = []any{b.inline()}
	default:
		panic("schemas: unknown type " + word)
	}
}

// texts adds a text, or for the word "text" also a number.
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
			wanted = "another format: " + k.Doc
		}
		v.text(k.Pattern, strings.TrimPrefix(wanted, "want "))
		if len(k.Suggest) > 0 {
			v.more["examples"] = k.Suggest
		}
	default:
		v.add("string")
	}
}

// expression also allows an expression.
func (v *value) expression() {
	if words, closed := v.more["enum"]; closed {
		// An enum next to the pattern would apply to expressions too, so the enum
		// becomes one of two alternatives.
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

// literal rejects expressions.
func (v *value) literal() {
	const wanted = "a text without ${{ }}: pass values as parameters"
	if items, ok := v.more["items"].(object); ok {
		items["pattern"], items["patternErrorMessage"] = noExpression, "want "+wanted
	}
	if slices.Contains(v.types, "string") {
		v.text(noExpression, wanted)
	}
}

// fromYAML parses an example or default of a key.
func fromYAML(text string) (any, bool) {
	node, findings := strictyaml.Parse("", []byte("value: "+text))
	if len(findings) > 0 {
		return nil, false
	}
	return node.Get("value").Any(), true
}
