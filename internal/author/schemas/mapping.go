package schemas

import (
	"cmp"
	"strings"

	"botwork/internal/author/keydocs"
)

// mapping returns the schema of a mapping that has only the given keys.
func (b *builder) mapping(keys keydocs.Keys) object { return b.mappingOf(keys, false) }

func (b *builder) mappingOf(keys keydocs.Keys, dynamic bool) object {
	properties := object{}
	var required []string
	for _, k := range keys {
		s := b.valueOf(k, dynamic)
		b.describe(s, k)
		properties[k.Name] = s
		if k.Required {
			required = append(required, k.Name)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// describe adds the descriptions that an editor shows.
func (b *builder) describe(s object, k keydocs.Key) {
	doc := keydocs.WithoutLinks(k.Doc)
	more := ""
	switch {
	case k.Required:
		more = "required"
	case k.Default != "":
		more = "default `" + k.Default + "`"
	case k.Without != "":
		more = "default: " + k.Without
	}
	plain := strings.ReplaceAll(doc, "`", "")
	if more != "" {
		plain += " (" + strings.ReplaceAll(more, "`", "") + ")"
		more = "\n\n*" + k.Type + "*, " + more
	} else {
		more = "\n\n*" + k.Type + "*"
	}
	if k.Type == "" {
		more = strings.Replace(more, "**", "*string*", 1)
	}
	s["description"], s["markdownDescription"] = plain, doc+more
	if either, ok := s["anyOf"].([]object); ok {
		either[0]["description"], either[0]["markdownDescription"] = plain, doc+more // an editor shows the description of the matching alternative
	}
	// Not the default of the schema: an editor that completes a mapping would insert
	// all of its defaults.
	if value, ok := fromYAML(cmp.Or(k.Example, k.Default)); ok && s["examples"] == nil && value != nil {
		s["examples"] = []any{value}
	}
}

// source returns the schema of the source of a text, such as a secret.
func (b *builder) source() object {
	properties := object{}
	for _, k := range keydocs.SourceKeys() {
		property := object{"type": "string", "description": k.Doc}
		if k.Type == "scalar" {
			property["type"] = []string{"string", "number", "boolean"}
		}
		properties[k.Name] = property
	}
	return object{"properties": properties, "additionalProperties": false, "minProperties": 1, "maxProperties": 1}
}

// jsonSchema returns a schema of JSON Schemas with the most common keywords. It allows
// all other keywords.
func (b *builder) jsonSchema() object {
	return b.define("jsonSchema", func() object {
		self := object{"$ref": "#/definitions/jsonSchema"}
		properties := object{}
		for _, p := range []struct {
			name, doc string
			rule      object
		}{
			{"type", "the type of the value", object{"anyOf": []object{{"$ref": "#/definitions/jsonType"}, {"type": "array", "items": object{"$ref": "#/definitions/jsonType"}}}}},
			{"properties", "the schemas of an object's keys", object{"type": "object", "additionalProperties": self}},
			{"required", "the required keys of an object", object{"type": "array", "items": object{"type": "string"}}},
			{"additionalProperties", "the schema of keys that are not in properties; false allows no other keys", object{"allOf": []any{self}}},
			{"items", "the schema of a list's elements", object{"allOf": []any{self}}},
			{"enum", "the allowed values", object{"type": "array"}},
			{"const", "the only allowed value", object{}},
			{"format", "the format of a text", object{"type": "string", "examples": []string{"date", "date-time", "time", "email", "uri", "uuid"}}},
			{"pattern", "a regular expression for a text", object{"type": "string"}},
			{"minLength", "the minimum length of a text", object{"type": "integer", "minimum": 0}},
			{"maxLength", "the maximum length of a text", object{"type": "integer", "minimum": 0}},
			{"minimum", "the smallest allowed number", object{"type": "number"}},
			{"maximum", "the largest allowed number", object{"type": "number"}},
			{"minItems", "the minimum number of elements of a list", object{"type": "integer", "minimum": 0}},
			{"maxItems", "the maximum number of elements of a list", object{"type": "integer", "minimum": 0}},
			{"description", "a description of the value", object{"type": "string"}},
			{"file", "only in the schemas of a queue: the file with the schema in JSON or YAML", object{"type": "string"}},
		} {
			p.rule["description"] = p.doc
			properties[p.name] = p.rule
		}
		b.definitions["jsonType"] = object{"enum": []string{"object", "array", "string", "integer", "number", "boolean", "null"}}
		return object{"type": []string{"object", "boolean", "null"}, "properties": properties}
	})
}
