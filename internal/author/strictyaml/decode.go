package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"botwork/internal/spans"
)

// NodeDecoder is a type that decodes itself, such as one that accepts both a
// text and a mapping. DecodeNode is not called for a key without a value.
type NodeDecoder interface {
	DecodeNode(n *Node) Findings
}

// Decode decodes the node into the value that into points to and returns all
// mistakes.
//
// The tag `yaml:"name"` of a struct field names its key, and
// `yaml:"name,required"` makes the key required. Fields without a tag are
// ignored; the fields of an embedded struct count as fields of the outer one.
// Decode supports strings, numbers, bools, slices, maps with string keys,
// pointers, structs, any (Node.Any), *Node (the node itself), time.Duration
// ("90s"), NodeDecoder and encoding.TextUnmarshaler, which receives Node.Text
// of a single value.
//
// A field whose key is missing or has no value keeps its value, so into can
// hold defaults. Slices and maps are replaced as a whole. A field with an
// invalid value also keeps its previous one.
//
// The codes are:
//
//	unknown-key     at the key; the hint suggests a valid one
//	missing-key     a required key; at the mapping without it
//	wrong-type      for example text instead of a number
//	invalid-value   a text that the type rejects, such as an invalid duration
//
// Decode panics if the type of into is not supported: a programmer's mistake.
func (n *Node) Decode(into any) Findings {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("strictyaml: decode into %T, want a pointer", into))
	}
	var d decoder
	if n != nil {
		d.value(n, v.Elem())
	}
	d.Findings.Sort()
	return d.Findings
}

// decoder decodes nodes by reflection.
type decoder struct{ Reader }

// wrongType reports that n does not have the type that want describes.
func (d *decoder) wrongType(n *Node, want, hint string) *Finding {
	return d.Report(n, "wrong-type", fmt.Sprintf("got %s, want %s", describe(n), want), hint)
}

func (d *decoder) value(n *Node, v reflect.Value) {
	if v.Type() == reflect.TypeFor[*Node]() {
		v.Set(reflect.ValueOf(n))
		return
	}
	if v.Kind() == reflect.Interface && v.NumMethod() == 0 {
		if value := n.Any(); value != nil {
			v.Set(reflect.ValueOf(value))
		} else {
			v.SetZero()
		}
		return
	}
	if n.Kind == Null {
		return
	}
	if v.Kind() == reflect.Pointer {
		target := reflect.New(v.Type().Elem())
		d.value(n, target.Elem())
		v.Set(target)
		return
	}
	switch target := v.Addr().Interface().(type) {
	case NodeDecoder:
		d.Findings = append(d.Findings, target.DecodeNode(n)...)
	case *time.Duration:
		d.duration(n, target)
	case encoding.TextUnmarshaler:
		if n.Kind != Scalar {
			d.wrongType(n, "a single value", "")
		} else if err := target.UnmarshalText([]byte(n.Text)); err != nil {
			d.rejected(n, v, err)
		}
	default:
		d.plain(n, v)
	}
}

// rejected reports a text that v's type rejects. If the text looks like a
// duration in another notation and the type accepts the duration, that is the fix.
func (d *decoder) rejected(n *Node, v reflect.Value, err error) {
	f := d.Report(n, "invalid-value", err.Error(), "")
	guess, ok := spans.Guess(n.Text)
	if !ok {
		return
	}
	trial, _ := reflect.TypeAssert[encoding.TextUnmarshaler](reflect.New(v.Type()))
	if trial != nil && trial.UnmarshalText([]byte(guess)) == nil {
		f.Hint, f.Edit = fmt.Sprintf("did you mean %q?", guess), n.Replace(guess, true)
	}
}

// keyAndValue matches a key and a value without a space between them. It does not
// match a URL (file:/…) or a path (C:\…).
var keyAndValue = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]+:)[^/\\]`)

// plain decodes into a type without a decode method.
func (d *decoder) plain(n *Node, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v)
	case reflect.Map:
		d.mapping(n, v)
	case reflect.Slice:
		if n.Kind != Sequence {
			d.wrongType(n, "a list", "")
			return
		}
		list := reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items))
		for i, item := range n.Items {
			d.value(item, list.Index(i))
		}
		v.Set(list)
	default:
		d.scalar(n, v)
	}
}

func (d *decoder) mapping(n *Node, v reflect.Value) {
	if v.Type().Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strictyaml: decode into %s, want string keys", v.Type()))
	}
	if n.Kind != Mapping {
		d.wrongType(n, "a mapping", "")
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), len(n.Entries))
	for _, e := range n.Entries {
		elem := reflect.New(v.Type().Elem()).Elem()
		d.value(e.Value, elem)
		m.SetMapIndex(reflect.ValueOf(e.Key).Convert(v.Type().Key()), elem)
	}
	v.Set(m)
}

func (d *decoder) structure(n *Node, v reflect.Value) {
	if n.Kind != Mapping {
		f := d.wrongType(n, "a mapping", "")
		if at := keyAndValue.FindStringSubmatchIndex(n.Text); at != nil && !n.Quoted {
			f.Hint = "add a space after the colon"
			if n.EndColumn > 0 {
				f.Edit = &Edit{Line: n.Line, Column: n.Column + at[3], EndLine: n.Line, EndColumn: n.Column + at[3], Text: " ", Safe: true}
			}
		}
		return
	}
	fields := fieldsOf(v.Type())
	byName, names := make(map[string]field, len(fields)), make([]string, len(fields))
	for i, f := range fields {
		byName[f.name], names[i] = f, f.name
	}
	for _, e := range n.Entries {
		f, ok := byName[e.Key]
		if !ok {
			d.unknownKey(n, e, names)
			continue
		}
		d.value(e.Value, v.FieldByIndex(f.index))
	}
	for _, f := range fields {
		if value := n.Get(f.name); f.required && (value == nil || value.Kind == Null) {
			d.Findings = append(d.Findings, n.Finding("missing-key", fmt.Sprintf("key %q is missing%s", f.name, in(n)), ""))
		}
	}
}

func (d *decoder) unknownKey(n *Node, e Entry, names []string) {
	hint := Suggest(e.Key, names)
	if hint == "" && len(names) > 0 {
		hint = "valid keys: " + strings.Join(names, ", ")
	}
	f := e.Finding("unknown-key", fmt.Sprintf("unknown key %q%s", e.Key, in(n)), hint)
	f.Edit = n.Rename(e, names)
	d.Findings = append(d.Findings, f)
}

// in returns " in " and the path of the mapping that a message is about, or ""
// for the top of the file.
func in(n *Node) string {
	if n.Path == "" {
		return ""
	}
	return " in " + n.Path
}
