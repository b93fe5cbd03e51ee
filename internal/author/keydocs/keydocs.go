// Package keydocs describes the keys of the YAML files that users write. Editors
// complete and check keys by these descriptions, and the documentation lists them. A
// test compares each description with the struct into which the keys are decoded.
package keydocs

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Key describes one key of a mapping.
type Key struct {
	Name string

	// Type is the type of the value: one of Types, "list of" or "map of" one of
	// them, or several joined by " or ". "" means "string".
	Type string

	// Doc describes the key in one line of Markdown.
	Doc string

	// Default is the value without the key, in YAML. Without describes it in words
	// if YAML cannot express it; "" if there is none.
	Default, Without string

	// Example is an example value in YAML, "" for none.
	Example string

	Required bool

	// Enum lists the allowed values, for a list those of its elements; empty means
	// any. EnumDocs describes each of them; it may be empty.
	Enum, EnumDocs []string

	// Suggest lists some of the values that Pattern allows, for editors.
	Suggest []string

	// Pattern is a regular expression for the value as text, "" for any text.
	// Wanted describes it in words; "" if Type is sufficient.
	Pattern, Wanted string

	// Names is a regular expression for the names of a map, and ItemPattern one
	// for each text of a list; "" means any.
	Names, ItemPattern string

	// Min and Max are the limits of a number. For a list, Min is the minimum number
	// of elements. nil means no limit. A duration has the Min 0, or nil if it can be
	// negative.
	Min, Max *float64

	// Secret values are never shown. Literal values cannot be expressions, even if
	// other values of the mapping can.
	Secret, Literal bool

	// NonNull means that null is not the same as a missing value.
	NonNull bool

	// Keys are the keys of an object, or of the objects in a list or map.
	Keys Keys
}

// Types are the parts of a Key.Type.
var Types = []string{
	"string",
	"number",
	"whole number",
	"true or false",
	"any",
	"object",     // with Keys
	"text",       // text or a number in a special format
	"scalar",     // text, a number, true or false
	"duration",   // 90s, 1h30m, 7d
	"size",       // 10MB, or a whole number of bytes
	"time",       // RFC 3339
	"expression", // the same as for `if`
	"source",     // a text, or its source: {env: …}, {file: …}, {credential: …}, {value: …}
	"JSON Schema",
	"pipeline", // a whole pipeline without a trigger
	"step",     // a step of a pipeline
}

// Keys are the keys of one mapping in the order of the documentation.
type Keys []Key

// For returns the keys of the struct T, into which strictyaml decodes them, and sets
// which of them are required. It panics if the struct and the keys differ: a
// programmer's mistake, which a test finds by calling For.
func For[T any](keys Keys) Keys {
	required := map[string]bool{}
	fields(reflect.TypeFor[T](), required)
	keys = slices.Clone(keys)
	for i, k := range keys {
		need, ok := required[k.Name]
		if !ok {
			panic(fmt.Sprintf("keydocs: %s does not read the key %q, or it is described twice", reflect.TypeFor[T](), k.Name))
		}
		keys[i].Required = need
		delete(required, k.Name)
	}
	for name := range required {
		panic(fmt.Sprintf("keydocs: %s reads the key %q, which is not described", reflect.TypeFor[T](), name))
	}
	return keys
}

// fields records the keys of a struct and of its embedded structs, as strictyaml
// does, and whether they are required.
func fields(t reflect.Type, required map[string]bool) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			fields(f.Type, required)
		case name != "" && name != "-" && f.IsExported():
			required[name] = options == "required"
		}
	}
}

// SourceKeys returns the keys of a value of the type "source".
func SourceKeys() Keys {
	return Keys{
		{Name: "env", Doc: "the environment variable with the text"},
		{Name: "file", Doc: "the file with the text, absolute or relative to the folder of the settings"},
		{Name: "credential", Doc: "the name of a credential of the service, which systemd provides with LoadCredential"},
		{Name: "value", Type: "scalar", Doc: "the text itself; only for trying out"},
	}
}

// Names returns the names of the keys.
func (ks Keys) Names() []string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = k.Name
	}
	return names
}

// Find returns the key with a name.
func (ks Keys) Find(name string) (Key, bool) {
	i := slices.IndexFunc(ks, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return ks[i], true
}

// Without returns the keys without the named ones.
func (ks Keys) Without(names ...string) Keys {
	return slices.DeleteFunc(slices.Clone(ks), func(k Key) bool { return slices.Contains(names, k.Name) })
}

var (
	linkBelow      = regexp.MustCompile(`:? *\[below\]\([^)]*\)`)
	linkToDocument = regexp.MustCompile(`: \[[a-z-]+\.md\]\([^)]*\)`)
	link           = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// WithoutLinks returns a Markdown text of a key without its links, which only work in the
// documentation.
func WithoutLinks(text string) string {
	text = linkToDocument.ReplaceAllString(linkBelow.ReplaceAllString(text, ""), "")
	return link.ReplaceAllString(text, "$1")
}

// Words converts words to strings, for a Key's Enum.
func Words[T ~string](words ...T) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}
