package lsp

import (
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp/sketch"
	"botwork/pipelines"
)

// keysAt returns the keys that a mapping can have. It returns nil if all keys are
// allowed or the keys are unknown.
func (v *view) keysAt(n *sketch.Node) keydocs.Keys {
	path := n.Path()
	if !v.isPipeline() {
		return descend(v.server.opts.SettingsKeys, path)
	}
	if rest := inStep(n); len(rest) > 0 && rest[0] == "with" {
		if uses := scalar(stepOf(n), "uses"); uses != nil {
			return v.payloadKeys(uses.Text, rest[1:])
		}
		return descend(v.parameters(n), rest[1:])
	}
	return descend(pipelines.Keys(), path)
}

// descend follows a path through keys. A map can have any names; their values have the
// keys of the map.
func descend(keys keydocs.Keys, path []string) keydocs.Keys {
	for i := 0; i < len(path); i++ {
		if path[i] == sketch.Element {
			continue // the keys of a list are those of its elements
		}
		k, ok := keys.Find(path[i])
		if !ok {
			return nil
		}
		if keys = k.Keys; keys == nil {
			keys = keysOfType(k.Type)
		}
		if strings.HasPrefix(k.Type, "map of ") {
			if i++; i == len(path) {
				return nil
			}
		}
	}
	return keys
}

// keysOfType returns the keys that all values of a type have.
func keysOfType(typ string) keydocs.Keys {
	switch {
	case strings.Contains(typ, "source"):
		return keydocs.SourceKeys()
	case strings.Contains(typ, "pipeline"):
		return pipelines.Keys().Without("trigger")
	case strings.Contains(typ, "step"):
		return pipelines.StepKeys()
	}
	return nil
}

// keyOf describes the key of an entry.
func (v *view) keyOf(e *sketch.Entry) (keydocs.Key, bool) { return v.keysAt(e.Mapping).Find(e.Key) }

// parameters returns the parameters of the handler of the step that contains a node.
func (v *view) parameters(n *sketch.Node) keydocs.Keys {
	handler := scalar(stepOf(n), "handler")
	if handler == nil {
		return nil
	}
	kind, ok := v.project.Registry.Lookup(handler.Text)
	if !ok {
		return nil
	}
	return fieldKeys(kind.Fields())
}

// payloadKeys returns the properties at a path in the payload of a pipeline, as its `input` describes
// them.
func (v *view) payloadKeys(name string, path []string) keydocs.Keys {
	p, ok := v.pipelineNamed(name)
	if !ok {
		return nil
	}
	top := p.doc.tree().Get("input")
	schema := deref(top, top)
	for _, part := range path {
		if part == sketch.Element {
			schema = schema.Get("items")
		} else {
			schema = schema.Get("properties").Get(part)
		}
		schema = deref(schema, top)
	}
	properties := schema.Get("properties")
	if properties == nil {
		return nil
	}
	required := texts(schema.Get("required"))
	var keys keydocs.Keys
	for _, e := range properties.Entries {
		s, value := schemaSymbol(e.Key, e.Value, top, 0), deref(e.Value, top)
		k := keydocs.Key{Name: e.Key, Type: s.typ, Required: slices.Contains(required, e.Key), Enum: texts(value.Get("enum"))}
		if about := scalar(value, "description"); about != nil {
			k.Doc = about.Text
		}
		if s.members != nil {
			k.Type = "object"
		}
		keys = append(keys, k)
	}
	return keys
}

// texts returns the elements of a list.
func texts(list *sketch.Node) []string {
	if list == nil {
		return nil
	}
	var all []string
	for _, item := range list.Items {
		all = append(all, item.Text)
	}
	return all
}

// fieldKeys describes parameters as keys.
func fieldKeys(fields []handlers.Field) keydocs.Keys {
	keys := make(keydocs.Keys, len(fields))
	for i, f := range fields {
		keys[i] = keydocs.Key{
			Name: f.Name, Type: f.Type, Doc: f.Doc, Default: f.Default, Required: f.Required, Enum: f.Enum,
			Secret: f.Secret, Keys: fieldKeys(f.Fields),
		}
	}
	return keys
}

// explain returns the description of a key in Markdown: its type, purpose, default and
// allowed words.
func explain(k keydocs.Key) string {
	doc := keydocs.WithoutLinks(k.Doc)
	var b strings.Builder
	b.WriteString("**" + k.Name + "**")
	if k.Type != "" {
		b.WriteString(" (" + k.Type + ")")
	}
	b.WriteString("\n\n" + upperFirst(doc))
	if doc != "" && !strings.HasSuffix(doc, ".") {
		b.WriteString(".")
	}
	switch {
	case k.Required:
		b.WriteString("\n\nRequired.")
	case k.Default != "":
		b.WriteString("\n\nDefault: `" + k.Default + "`")
	case k.Without != "":
		b.WriteString("\n\nDefault: " + keydocs.WithoutLinks(k.Without))
	}
	for i, word := range k.Enum {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("\n- `" + word + "`")
		if i < len(k.EnumDocs) && k.EnumDocs[i] != "" {
			b.WriteString(": " + k.EnumDocs[i])
		}
	}
	if k.Wanted != "" {
		b.WriteString("\n\nFormat: " + k.Wanted + ".")
	}
	if k.Example != "" {
		b.WriteString("\n\nExample: `" + k.Example + "`")
	}
	if k.Secret {
		b.WriteString("\n\nThe value is never shown.")
	}
	return b.String()
}

func upperFirst(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
