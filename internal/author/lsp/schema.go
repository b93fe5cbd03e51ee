package lsp

import (
	"strings"

	"botwork/internal/author/lsp/sketch"
)

// schemaDepth limits how far references are followed, because a schema can contain
// itself.
const schemaDepth = 20

// schemaSymbol returns the symbol of a value that a JSON Schema in a pipeline's `input`
// describes.
func schemaSymbol(name string, schema, top *sketch.Node, depth int) symbol {
	s := symbol{name: name, kind: kindField}
	schema = deref(schema, top)
	if schema == nil || depth > schemaDepth {
		return s
	}
	s.typ = schemaType(schema)
	var parts []string
	for _, key := range []string{"title", "description"} {
		if text := schema.Get(key); text != nil && text.Text != "" {
			parts = append(parts, text.Text)
		}
	}
	if enum := schema.Get("enum"); enum != nil && len(enum.Items) > 0 {
		var words []string
		for _, item := range enum.Items {
			words = append(words, item.Text)
		}
		parts = append(parts, "One of "+strings.Join(words, ", ")+".")
	}
	s.doc = strings.Join(parts, "\n\n")
	if properties := schema.Get("properties"); properties != nil && properties.Kind == sketch.Mapping {
		s.members = func() []symbol {
			var list []symbol
			for _, e := range properties.Entries {
				field := schemaSymbol(e.Key, e.Value, top, depth+1)
				field.origin = e
				list = append(list, field)
			}
			return list
		}
	}
	if items := schema.Get("items"); items != nil {
		s.element = func() symbol { return schemaSymbol("", items, top, depth+1) }
	}
	return s
}

// deref resolves references within the schema.
func deref(schema, top *sketch.Node) *sketch.Node {
	for range schemaDepth {
		ref := schema.Get("$ref")
		if ref == nil {
			return schema
		}
		path, ok := strings.CutPrefix(ref.Text, "#")
		if !ok {
			return nil
		}
		schema = top
		for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
			if part != "" {
				schema = schema.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
			}
		}
	}
	return nil
}

// schemaType returns the type of a schema: "text", "list of number", "text or nil".
func schemaType(schema *sketch.Node) string {
	t := schema.Get("type")
	if t == nil {
		return ""
	}
	words := []string{t.Text}
	if t.Kind == sketch.Sequence {
		words = nil
		for _, item := range t.Items {
			words = append(words, item.Text)
		}
	}
	for i, w := range words {
		switch w {
		case "string":
			words[i] = "text"
		case "integer":
			words[i] = "whole number"
		case "boolean":
			words[i] = "true or false"
		case "object":
			words[i] = "map"
		case "array":
			words[i] = "list"
		case "null":
			words[i] = "nil"
		}
	}
	return strings.Join(words, " or ")
}
