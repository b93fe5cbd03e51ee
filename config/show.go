package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
)

// Setting is a setting in use. Its value is plain: text, a number, true or false, a list or a
// mapping. A secret is <secret>, or the variable or file that it is read from.
type Setting struct {
	Path  string `json:"path"`
	Value any    `json:"value"`

	// Source is the position in a file, a variable, a flag, or "default".
	Source string `json:"source"`

	// Keys are the parts of Path.
	Keys []string `json:"-"`
}

// Settings returns all settings in use in the order of the structs, without texts, lists and
// mappings that are not set. isSecret reports whether a text under a key looks like a secret,
// which is then hidden.
func (c *Config) Settings(isSecret func(key, text string) bool) []Setting {
	w := settingsWalk{Config: c, isSecret: isSecret}
	w.value(nil, reflect.ValueOf(c).Elem())
	return w.list
}

type settingsWalk struct {
	*Config
	isSecret func(key, text string) bool
	list     []Setting
}

func (w *settingsWalk) value(keys []string, v reflect.Value) {
	switch value := v.Interface().(type) {
	case DSN:
		w.text(keys, value.Text, value.String())
		return
	case Text:
		w.text(keys, value, hidden)
		return
	case *strictyaml.Node:
		w.node(keys, value)
		return
	case time.Duration:
		w.add(keys, brief(value), value == 0)
		return
	case fmt.Stringer:
		w.add(keys, value.String(), v.IsZero())
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			w.value(keys, v.Elem())
		}
	case reflect.Struct:
		for f, field := range v.Fields() {
			if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" && key != "-" {
				w.value(append(slices.Clone(keys), key), field)
			}
		}
	case reflect.Map:
		for _, key := range slices.SortedStableFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }) {
			w.value(append(slices.Clone(keys), key.String()), v.MapIndex(key))
		}
	default:
		unset := v.IsZero() && (v.Kind() == reflect.String || v.Kind() == reflect.Slice)
		w.add(keys, plain(v.Interface()), unset)
	}
}

// plain returns a list of structs as JSON has it, in which secrets are hidden.
func plain(value any) any {
	data, err := json.Marshal(value)
	var result any
	if err != nil || json.Unmarshal(data, &result) != nil {
		return hidden
	}
	if _, isNumber := result.(float64); isNumber {
		return value
	}
	return result
}

// text adds a secret or a DSN: shown, or where it is read from.
func (w *settingsWalk) text(keys []string, t Text, shown string) {
	var value any = shown
	switch {
	case t.secret.text != nil && shown != hidden: // a DSN without its password
	case t.credential != "":
		value = map[string]any{"credential": t.credential}
	case t.file != "":
		value = map[string]any{"file": t.file}
	case t.env != "":
		value = map[string]any{"env": t.env}
	}
	w.add(keys, value, t.absent())
}

// node adds what is below a node of a file.
func (w *settingsWalk) node(keys []string, n *strictyaml.Node) {
	switch {
	case !n.HasValue():
	case n.Kind == strictyaml.Mapping && len(n.Entries) > 0:
		for _, e := range n.Entries {
			w.node(append(slices.Clone(keys), e.Key), e.Value)
		}
	default:
		w.list = append(w.list, Setting{Path: n.Path, Keys: keys, Value: w.hide(keys[len(keys)-1], n.Any()), Source: sourceOf(n)})
	}
}

// hide replaces texts that look like secrets.
func (w *settingsWalk) hide(key string, value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = w.hide(key, v[i])
		}
	case map[string]any:
		for name := range maps.Keys(v) {
			v[name] = w.hide(name, v[name])
		}
	case nil:
	default:
		if w.isSecret(key, fmt.Sprint(v)) {
			return hidden
		}
	}
	return value
}

func sourceOf(n *strictyaml.Node) string { return fmt.Sprintf("%s:%d", n.File, n.Line) }

func (w *settingsWalk) add(keys []string, value any, unset bool) {
	path := strings.Join(keys, ".")
	source, known := w.source(path)
	if !known && strings.HasSuffix(path, ".driver") { // without a driver, the DSN decides
		source, known = w.source(strings.TrimSuffix(path, "driver") + "dsn")
	}
	if !known && unset {
		return
	}
	w.list = append(w.list, Setting{Path: path, Keys: keys, Value: value, Source: source})
}

// source returns where a setting was set, and reports whether it was.
func (w *settingsWalk) source(path string) (string, bool) {
	if source, ok := w.from[path]; ok {
		return source, true
	}
	n := nearest(w.Config.node, path)
	if isOff := n != nil && path == n.Path+".off" && n.Kind == strictyaml.Scalar; isOff || n.HasValue() && n.Path == path { // http: off
		return sourceOf(n), true
	}
	return "default", false
}
