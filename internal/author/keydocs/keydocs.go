// Package keydocs describes the keys of mappings that people write in YAML: what
// an editor completes and marks, and what the documents tell. A description is
// tied to the struct that a reader fills, so that the two cannot drift apart.
package keydocs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Key describes one key of a mapping.
type Key struct {
	Name string

	// Type is what a value looks like: one of Types, "list of" or "map of" one
	// of them, or several joined by " or ". "" is "string".
	Type string

	// Doc tells in one line what the key is for, as Markdown.
	Doc string

	// Default is what holds without the key, as YAML would write it. Without is
	// the same in words, where YAML could not write it; "" is none.
	Default, Without string

	// Example is a value as YAML would write it, "" for none.
	Example string

	Required bool

	// Enum lists the values that are allowed, for a list those of its elements;
	// empty means any. EnumDocs tells of each what it means; it may be empty.
	Enum, EnumDocs []string

	// Suggest lists some of the values that Pattern allows, for an editor to offer.
	Suggest []string

	// Pattern is a regular expression for a text that stands for the value, ""
	// for any text; Wanted says the same in words, "" when Type does.
	Pattern, Wanted string

	// Names is a regular expression for the names of a map, and ItemPattern one
	// for each text of a list; "" is any.
	Names, ItemPattern string

	// Min and Max bound a number; Min is the least number of elements of a list.
	// nil is open. A duration has the Min 0, or nil where it may be negative.
	Min, Max *float64

	// Secret values show nowhere. Literal ones are given by no expression, even
	// where expressions are evaluated.
	Secret, Literal bool

	// NonNull values are not taken for absent when they are null.
	NonNull bool

	// Keys are those of an object, or of the objects in a list or map.
	Keys Keys
}

// Types are the words of which a Key.Type is made.
var Types = []string{
	"string",
	"number",
	"whole number",
	"true or false",
	"any",
	"object",     // with Keys
	"text",       // text, or a number, in a form of its own
	"scalar",     // text, a number, true or false
	"duration",   // 90s, 1h30m, 7d
	"size",       // 10MB, or a whole number of bytes
	"time",       // RFC 3339
	"expression", // as an `if` has it
	"source",     // a text, or where it stands: {env: …}, {file: …}, {credential: …}, {value: …}
	"JSON Schema",
	"pipeline", // a whole pipeline without a trigger
}

// Keys are the keys of one mapping, in the order in which to tell them.
type Keys []Key

// For ties keys to the struct T that strictyaml.Decode fills with them, and
// notes which of them it requires. It panics when one has a key that the other
// has not: a programmer's mistake, which a test finds by calling it.
func For[T any](keys Keys) Keys {
	required := map[string]bool{}
	fields(reflect.TypeFor[T](), required)
	keys = slices.Clone(keys)
	for i, k := range keys {
		need, ok := required[k.Name]
		if !ok {
			panic(fmt.Sprintf("keydocs: %s does not read the key %q, or it stands here twice", reflect.TypeFor[T](), k.Name))
		}
		keys[i].Required = need
		delete(required, k.Name)
	}
	for name := range required {
		panic(fmt.Sprintf("keydocs: %s reads the key %q, which is not described", reflect.TypeFor[T](), name))
	}
	return keys
}

// fields notes the keys that fill a struct, those of embedded ones included, as
// strictyaml finds them, and whether they are required.
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

// Names are the names of the keys.
func (ks Keys) Names() []string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = k.Name
	}
	return names
}

// Find returns the key of a name.
func (ks Keys) Find(name string) (Key, bool) {
	i := slices.IndexFunc(ks, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return ks[i], true
}

// Without are the keys but those named.
func (ks Keys) Without(names ...string) Keys {
	return slices.DeleteFunc(slices.Clone(ks), func(k Key) bool { return slices.Contains(names, k.Name) })
}

// Words are the texts of the words of one type, for a Key's Enum.
func Words[T ~string](words ...T) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}
