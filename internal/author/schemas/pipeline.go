package schemas

import (
	"fmt"
	"regexp"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/keydocs"
	"botwork/pipelines"
)

// pipeline is a pipeline with the given keys.
func (b *builder) pipeline(keys keydocs.Keys) object {
	s := b.mapping(keys)
	s["properties"].(object)["steps"].(object)["items"] = b.define("step", b.step)
	return s
}

// inline is a pipeline where a name may stand: it has no trigger.
func (b *builder) inline() object {
	return b.define("pipeline", func() object {
		s := b.pipeline(pipelines.Keys().Without("trigger"))
		delete(s, "type") // the name, too, is looked at by these rules
		return s
	})
}

// step is a step. Its handler says what may stand below `with`.
func (b *builder) step() object {
	s := b.mapping(pipelines.StepKeys())
	handler := s["properties"].(object)["handler"].(object)
	// The handler says what may stand there; this text would hide its own.
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
	return s
}

// plainName is a name that may stand in a reference as it is.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// with is what a step of the kind with the index i has to have below `with`.
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

// kindText is what a kind does, as Markdown.
func kindText(k handlers.Kind) string {
	text := k.Summary + "."
	if k.Doc != "" {
		text += "\n\n" + k.Doc
	}
	if k.Output != "" {
		text += "\n\nIt puts out " + k.Output
	}
	return text
}

// parameterKeys describes a kind's parameters as other keys are.
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
