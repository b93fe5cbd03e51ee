package schemas

import (
	"cmp"
	"regexp"
	"strings"

	"botwork/internal/author/keydocs"
)

// mapping is a mapping with the given keys and no others.
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

// link is a link of Markdown, which leads nowhere from an editor; a link to
// something below says nothing there at all.
var (
	linkBelow = regexp.MustCompile(`:? \[below\]\([^)]*\)`)
	link      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// describe adds the texts that an editor shows.
func (b *builder) describe(s object, k keydocs.Key) {
	doc := link.ReplaceAllString(linkBelow.ReplaceAllString(k.Doc, ""), "$1")
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
		either[0]["description"], either[0]["markdownDescription"] = plain, doc+more // an editor shows the part that fits
	}
	// Not as the default of a schema: an editor that completes a mapping would
	// write all of its defaults.
	if value, ok := fromYAML(cmp.Or(k.Example, k.Default)); ok && s["examples"] == nil && value != nil {
		s["examples"] = []any{value}
	}
}

// source is where a text stands that is not to stand in the file.
func (b *builder) source() object {
	return object{
		"properties": object{
			"env":        object{"type": "string", "description": "the environment variable that holds the text"},
			"file":       object{"type": "string", "description": "the file that holds the text; a relative path stands against the folder of the settings"},
			"credential": object{"type": "string", "description": "the name of a credential of the service, as systemd hands it over by LoadCredential"},
			"value":      object{"type": []string{"string", "number", "boolean"}, "description": "the text itself, which is for trying out"},
		},
		"additionalProperties": false, "minProperties": 1, "maxProperties": 1,
	}
}

// jsonSchema is a JSON Schema as far as a person needs help with it. Every other
// keyword is let through.
func (b *builder) jsonSchema() object {
	return b.define("jsonSchema", func() object {
		self := object{"$ref": "#/definitions/jsonSchema"}
		properties := object{}
		for _, p := range []struct {
			name, doc string
			rule      object
		}{
			{"type", "what the value is", object{"anyOf": []object{{"$ref": "#/definitions/jsonType"}, {"type": "array", "items": object{"$ref": "#/definitions/jsonType"}}}}},
			{"properties", "the schemas of an object's keys", object{"type": "object", "additionalProperties": self}},
			{"required", "the keys that an object has to have", object{"type": "array", "items": object{"type": "string"}}},
			{"additionalProperties", "the schema of the keys that properties does not name; false: there are none", object{"allOf": []any{self}}},
			{"items", "the schema of a list's elements", object{"allOf": []any{self}}},
			{"enum", "the values that are allowed", object{"type": "array"}},
			{"const", "the one value that is allowed", object{}},
			{"format", "the form of a text", object{"type": "string", "examples": []string{"date", "date-time", "time", "email", "uri", "uuid"}}},
			{"pattern", "a regular expression for a text", object{"type": "string"}},
			{"minLength", "the least length of a text", object{"type": "integer", "minimum": 0}},
			{"maxLength", "the greatest length of a text", object{"type": "integer", "minimum": 0}},
			{"minimum", "the least number", object{"type": "number"}},
			{"maximum", "the greatest number", object{"type": "number"}},
			{"minItems", "how many elements a list has at least", object{"type": "integer", "minimum": 0}},
			{"maxItems", "how many elements a list has at most", object{"type": "integer", "minimum": 0}},
			{"description", "what the value is for", object{"type": "string"}},
			{"file", "in the schemas of a queue alone: the file that holds the schema, as JSON or YAML", object{"type": "string"}},
		} {
			p.rule["description"] = p.doc
			properties[p.name] = p.rule
		}
		b.definitions["jsonType"] = object{"enum": []string{"object", "array", "string", "integer", "number", "boolean", "null"}}
		return object{"type": []string{"object", "boolean", "null"}, "properties": properties}
	})
}
