package handlers

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Field describes one parameter of a kind for documentation and editors.
type Field struct {
	Name string

	// Type is one of "string", "text" (text, a number, true or false in a form that Doc
	// describes), "duration", "size", "time", "whole number", "number", "true or false", "object"
	// (has Fields), "any", or "list of" or "map of" one of these. A single value may be given for
	// a list of one unless the elements are "any", an object, a list or a map.
	Type string

	// Doc is the `doc` tag.
	Doc string

	// Default is the value that New gives, "" for the zero value.
	Default string

	Required bool

	// Enum lists the values that are allowed, for a list those of its
	// elements; empty means any.
	Enum []string

	// Pattern is a regular expression for a "text", or for the elements of a list
	// of them, and Wanted the same in words; "" is any.
	Pattern, Wanted string

	// Secret values are never shown.
	Secret bool

	// TakesBool is true if true and false are also accepted.
	TakesBool bool

	// CheckExpression is the method of an ExpressionChecker; nil allows every text.
	CheckExpression func(text string) (message, hint string)

	// Literal values cannot be expressions; NonNull values cannot be null.
	Literal, NonNull bool

	// Fields are those of an object, or of the objects in a list or map.
	Fields []Field
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	durationType    = reflect.TypeFor[Duration]()
	sizeType        = reflect.TypeFor[Size]()
	secretType      = reflect.TypeFor[Secret]()
	timeType        = reflect.TypeFor[time.Time]()
	stringType      = reflect.TypeFor[string]()
)

// Fields describes the kind's parameters in the order of the struct.
func (k Kind) Fields() []Field {
	v := reflect.ValueOf(k.New())
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	return describe(v.Elem())
}

func describe(v reflect.Value) []Field {
	params := paramsOf(v.Type())
	fields := make([]Field, len(params))
	for i, p := range params {
		value := v.FieldByIndex(p.index)
		fields[i] = Field{
			Name: p.name, Type: typeName(value.Type()), Doc: p.doc, Required: p.required, Enum: p.enum,
			Secret: value.Type() == secretType, Literal: p.literal, NonNull: p.nonNull,
		}
		if c, ok := reflect.TypeAssert[ExpressionChecker](value); ok {
			fields[i].CheckExpression = c.CheckExpression
		}
		fields[i].Pattern, fields[i].Wanted, fields[i].TakesBool = formOf(value.Type())
		if object := objectIn(value.Type()); object != nil {
			if object != value.Type() {
				value = reflect.Zero(object)
			}
			fields[i].Fields = describe(value)
		} else if !value.IsZero() {
			fields[i].Default = defaultText(value)
		}
	}
	return fields
}

// formOf returns the form of a type that parses itself from text, or of the elements of a list of
// such a type.
func formOf(t reflect.Type) (pattern, wanted string, takesBool bool) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !isText(t) {
		return "", "", false
	}
	value := reflect.New(t)
	if p, ok := reflect.TypeAssert[Patterned](value); ok {
		pattern, wanted = p.Pattern()
	}
	_, takesBool = reflect.TypeAssert[BoolTaker](value)
	return pattern, wanted, takesBool
}

// param is one parameter of a struct as its tags describe it.
type param struct {
	name     string
	index    []int
	doc      string
	required bool
	enum     []string

	// literal parameters are written in the file as they are: no expression may supply them,
	// because its result could be read as code.
	literal bool

	// nonNull parameters cannot be null: it would not mean "not given".
	nonNull bool

	// needs is another parameter without which this one has no effect; "" if there is none.
	needs string
}

// paramCache caches the results of paramsOf by type: a step with expressions builds its
// handler in every run.
var paramCache sync.Map // of reflect.Type to []param

// paramsOf lists the parameters of a struct: its exported fields, those of
// embedded structs included. A field without a json name is not a parameter.
// The list is shared: read it, do not change it.
func paramsOf(t reflect.Type) []param {
	if params, ok := paramCache.Load(t); ok {
		return params.([]param)
	}
	params := readParams(t)
	paramCache.Store(t, params)
	return params
}

func readParams(t reflect.Type) []param {
	var params []param
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || name == "" || name == "-" {
			continue
		}
		p := param{name: name, index: f.Index, doc: f.Tag.Get("doc"), required: f.Tag.Get("required") == "true",
			literal: f.Tag.Get("literal") == "true", nonNull: f.Tag.Get("nonNull") == "true", needs: f.Tag.Get("needs")}
		if enum := f.Tag.Get("enum"); enum != "" {
			p.enum = strings.Split(enum, ",")
		}
		params = append(params, p)
	}
	return params
}

// isText reports whether values of t are read from text by UnmarshalText.
func isText(t reflect.Type) bool {
	if t.PkgPath() == "" && t.Kind() != reflect.Struct {
		return false // of the language itself, or without a name: it has no methods
	}
	if is, ok := textCache.Load(t); ok {
		return is.(bool)
	}
	is := reflect.PointerTo(t).Implements(textUnmarshaler)
	textCache.Store(t, is)
	return is
}

// textCache caches the results of isText by type.
var textCache sync.Map // of reflect.Type to bool

// objectIn returns the struct that t is, or that a list or map t holds; nil if
// there is none.
func objectIn(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && !isText(t) {
		return t
	}
	return nil
}

// typeName returns the name of a type as in Field.Type.
func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case t == sizeType:
		return "size"
	case t == timeType:
		return "time"
	case isText(t):
		return "text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list of " + typeName(t.Elem())
	case reflect.Map:
		return "map of " + typeName(t.Elem())
	case reflect.Struct:
		return "object"
	case reflect.Interface:
		return "any"
	default:
		return "whole number"
	}
}

// defaultText writes a default as YAML flow style would show it.
func defaultText(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return "[" + strings.Join(items, ", ") + "]"
}
