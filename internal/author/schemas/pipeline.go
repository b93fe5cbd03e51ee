package schemas

import (
	"fmt"
	"regexp"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/keydocs"
	"botwork/pipelines"
)

// pipeline returns the schema of a pipeline with the given keys.
func (b *builder) pipeline(keys keydocs.Keys) object { return b.mapping(keys) }

// inline returns the schema of a pipeline in place of a pipeline name. It cannot have
// a trigger.
func (b *builder) inline() object {
	return b.define("pipeline", func() object {
		s := b.pipeline(pipelines.Keys().Without("trigger"))
		delete(s, "type") // the rules are also applied to a name, which is a string
		return s
	})
}

// step returns the schema of a step. Its handler determines the keys of `with`. Of the keys that say what
// the step does, an editor proposes none once the step has one.
func (b *builder) step() object {
	s := b.mapping(pipelines.StepKeys())
	handler := s["properties"].(object)["handler"].(object)
	// The description of the handler would be hidden by the general one.
	with := s["properties"].(object)["with"].(object)
	delete(with, "description")
	delete(with, "markdownDescription")
	kinds := b.registry.Kinds()
	docs := make([]string, len(kinds))
	rules := make([]object, len(kinds))
	for i, k := range kinds {
		docs[i] = k.Summary
		rules[i] = object{
			"if":   object{"properties": object{"handler": object{"const": k.Name}}, "required": []string{"handler"}},
			"then": b.with(i, k),
		}
	}
	handler["enum"], handler["markdownEnumDescriptions"] = b.registry.Names(), docs
	s["allOf"] = rules
	var either []object
	for _, name := range pipelines.StepActions() {
		properties := s["properties"].(object)
		either = append(either, object{"required": []string{name}, "properties": object{name: properties[name]}})
		properties[name] = object{"doNotSuggest": true}
	}
	s["anyOf"] = either
	return s
}

// plainName matches a name that a reference can contain without escapes.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// with returns the rule for the parameters of a step with the kind of index i.
func (b *builder) with(i int, k handlers.Kind) object {
	name := "with." + k.Name
	if !plainName.MatchString(k.Name) {
		name = fmt.Sprintf("with.%d", i) // a reference is a URL
	}
	parameters := b.define(name, func() object {
		keys := parameterKeys(k.Fields())
		s := b.mappingOf(keys, true)
		s["title"] = k.Name
		s["description"], s["markdownDescription"] = k.Summary, kindText(k)
		if _, required := s["required"]; !required {
			s["type"] = []string{"object", "null"}
		}
		return s
	})
	then := object{"properties": object{"with": parameters}}
	if _, required := b.definitions[name].(object)["required"]; required {
		then["required"] = []string{"with"}
	}
	return then
}

// kindText returns the description of a kind in Markdown.
func kindText(k handlers.Kind) string {
	text := k.Summary + "."
	if k.Doc != "" {
		text += "\n\n" + k.Doc
	}
	if k.Output != "" {
		text += "\n\nOutput: " + k.Output
	}
	return text
}

// parameterKeys describes the parameters of a kind as keys.
func parameterKeys(fields []handlers.Field) keydocs.Keys {
	keys := make(keydocs.Keys, len(fields))
	for i, f := range fields {
		keys[i] = keydocs.Key{
			Name: f.Name, Type: f.Type, Doc: f.Doc, Default: f.Default, Required: f.Required, Enum: f.Enum, Pattern: f.Pattern, Wanted: f.Wanted,
			Secret: f.Secret, Literal: f.Literal, NonNull: f.NonNull, Keys: parameterKeys(f.Fields),
		}
		if f.TakesBool {
			keys[i].Type = strings.Replace(f.Type, "text", "text or true or false", 1)
		}
		if len(f.Fields) == 0 && strings.HasSuffix(f.Type, "object") {
			keys[i].Type = strings.Replace(f.Type, "object", "map of any", 1)
		}
	}
	return keys
}
