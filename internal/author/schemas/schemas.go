// Package schemas writes JSON Schemas for the files that people edit, from the
// tables by which they are read and the parameters of the handlers that a
// program has. They are for editors, which complete, explain and mark by them: a
// schema lets through some things that the checker refuses, and refuses nothing
// that the checker takes.
//
// They are written in draft 7, which every editor knows, with the keywords
// beside it that the YAML language server and VS Code read: markdownDescription,
// patternErrorMessage, markdownEnumDescriptions.
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

// Comment stands in every schema, so that a file that holds one is known for it.
const Comment = "Written by botwork schema: do not edit, it will be written anew."

// Kind is a sort of file, or of what stands in one.
type Kind struct {
	Name, Title, Doc string

	make func(b *builder) object
}

// Kinds are all of them. settings gives the keys of the settings' file.
func Kinds(settings func() keydocs.Keys) []Kind {
	return []Kind{
		{"pipeline", "Pipeline", "A pipeline: how a work item is done, step by step.", func(b *builder) object { return b.pipeline(pipelines.Keys()) }},
		{"settings", "Settings", "The settings of a worker: botwork.yaml.", func(b *builder) object { return b.settings(settings()) }},
		{"queues", "Queues", "The definitions of queues by name, as they stand below the key queues of botwork.yaml.", (*builder).queues},
		{"tasks", "Tasks", "Scheduled tasks by name, as they stand below the key tasks of botwork.yaml.", (*builder).tasks},
	}
}

// Schema is the kind's schema for programs with the handlers of a registry, as
// indented JSON. Equal handlers give equal bytes.
func (k Kind) Schema(registry *handlers.Registry) ([]byte, error) {
	b := &builder{registry: registry, definitions: object{}}
	s := k.make(b)
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["$comment"] = Comment
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

// builder collects what several places of one schema share.
type builder struct {
	registry    *handlers.Registry
	definitions object
}

// define gives the reference to a definition, which make makes the first time.
func (b *builder) define(name string, make func() object) object {
	if _, ok := b.definitions[name]; !ok {
		b.definitions[name] = object{} // for a definition that refers to itself
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

// named are mappings by name.
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
