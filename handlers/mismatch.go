package handlers

import (
	"fmt"
	"reflect"
	"unicode/utf8"
)

// mismatch reports a value of the wrong type, without the value if it may be
// a secret.
func (d *decoder) mismatch(path []string, dst reflect.Value, src any, hint string) {
	got := describeValue(src)
	if dst.Type() == secretType {
		got = describeType(reflect.ValueOf(src))
	}
	d.fail(path, WrongType, fmt.Sprintf("got %s, want %s", got, wantName(dst.Type())), hint)
}

func isScalar(v reflect.Value) bool {
	return v.CanInt() || v.CanUint() || v.CanFloat() || v.Kind() == reflect.String || v.Kind() == reflect.Bool
}

// describeValue names a value for a message: its type, and the value itself where that is short.
// A long text is not cut: it may be a secret, and the redactor does not recognise a secret by its
// beginning.
func describeValue(src any) string {
	v := reflect.ValueOf(src)
	if text, ok := src.(string); ok {
		if n := utf8.RuneCountInString(text); n > 40 {
			return fmt.Sprintf("a text of %d characters", n)
		}
		return fmt.Sprintf("the text %q", text)
	}
	if isScalar(v) {
		return fmt.Sprintf("%s %v", describeType(v), src)
	}
	return describeType(v)
}

func describeType(v reflect.Value) string {
	switch {
	case !v.IsValid():
		return "nothing"
	case v.Type() == timeType:
		return "a time"
	case v.Kind() == reflect.String:
		return "text"
	case v.Kind() == reflect.Bool:
		return "the value"
	case v.CanInt() || v.CanUint() || v.CanFloat():
		return "the number"
	case v.Kind() == reflect.Slice:
		return "a list"
	case v.Kind() == reflect.Map:
		return "a map"
	default:
		return "a " + v.Type().String()
	}
}

// wantName is typeName with an article.
func wantName(t reflect.Type) string {
	name := typeName(t)
	switch name {
	case "text":
		return "text or a number"
	case "any", "true or false":
		return name
	case "object":
		return "a map of parameters"
	default:
		return "a " + name
	}
}

// cutMark replaces a missing part of a text. It shows the engine that a secret next to it may
// be incomplete.
const cutMark = "…"

// shorten cuts text to at most n characters and marks the cut.
func shorten(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + cutMark
	}
	return text
}
