// Package schemas generates JSON Schemas for the files that users edit, from the
// descriptions of their keys and the parameters of the registered handlers. Editors
// use them to complete, explain and check keys. A schema accepts some files that the
// checker rejects, but it rejects no file that the checker accepts.
//
// The schemas are of draft 7, which all editors support, with additional keywords of
// the YAML language server and VS Code: markdownDescription, patternErrorMessage,
// markdownEnumDescriptions.
package schemas

import (
	"bytes"
	"encoding/json"

	"botwork/handlers"
	"botwork/internal/author/keydocs"
	"botwork/internal/author/queuedefs"
	"botwork/pipelines"
	"botwork/tasks"
)

// object is a JSON object.
type object = map[string]any

// Mark identifies a generated schema file: it is part of each schema.
const Mark = "Written by botwork schema:"

// comment is the comment in each schema.
const comment = Mark + " do not edit, it will be overwritten."

// Kind is a kind of file, or of a mapping in a file.
type Kind struct {
	Name, Title, Doc string

	make func(b *builder) object
}

// Kinds returns all kinds. settings returns the keys of the settings file.
func Kinds(settings func() keydocs.Keys) []Kind {
	return []Kind{
		{"pipeline", "Pipeline", "A pipeline: the steps that process a work item.", func(b *builder) object { return b.pipeline(pipelines.Keys()) }},
		{"settings", "Settings", "The settings of a worker: botwork.yaml.", func(b *builder) object { return b.settings(settings()) }},
		{"queues", "Queues", "The definitions of queues by name, as under the key queues of botwork.yaml.", (*builder).queues},
		{"tasks", "Tasks", "Scheduled tasks by name, as under the key tasks of botwork.yaml.", (*builder).tasks},
	}
}

// Schema returns the schema of the kind for the handlers of a registry, as indented
// JSON. The same handlers always result in the same bytes.
func (k Kind) Schema(registry *handlers.Registry) ([]byte, error) {
	b := &builder{registry: registry, definitions: object{}}
	s := k.make(b)
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["$comment"] = comment
	s["title"] = "Botwork: " + k.Title
	s["description"] = k.Doc
	if len(b.definitions) > 0 {
		s["definitions"] = b.definitions
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(s)
	return text.Bytes(), err
}

// builder builds one schema and collects its shared definitions.
type builder struct {
	registry    *handlers.Registry
	definitions object
}

// define returns a reference to a definition. The first call creates it with make.
func (b *builder) define(name string, make func() object) object {
	if _, ok := b.definitions[name]; !ok {
		b.definitions[name] = object{} // because a definition can refer to itself
		b.definitions[name] = make()
	}
	return object{"$ref": "#/definitions/" + name}
}

func (b *builder) settings(keys keydocs.Keys) object {
	s := b.mapping(keys)
	s["type"] = []string{"object", "null"}
	properties := s["properties"].(object)
	for name, inner := range map[string]object{"queues": b.queues(), "tasks": b.tasks()} {
		property := properties[name].(object)
		property["additionalProperties"], property["propertyNames"] = inner["additionalProperties"], inner["propertyNames"]
	}
	return s
}

func (b *builder) queues() object {
	return b.named(queuedefs.Keys(), "queue", queuedefs.NamePattern, []string{"object", "null"})
}

func (b *builder) tasks() object {
	return b.named(tasks.Keys(), "task", tasks.NamePattern, []string{"object"})
}

// named returns the schema of a mapping from names to objects with the given keys.
func (b *builder) named(keys keydocs.Keys, what, names string, types []string) object {
	return object{
		"type":          []string{"object", "null"},
		"propertyNames": object{"pattern": names},
		"additionalProperties": b.define(what, func() object {
			s := b.mapping(keys)
			s["type"] = types
			return s
		}),
	}
}
