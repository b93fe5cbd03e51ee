package handlers

import (
	"fmt"
	"reflect"

	"botwork/internal/values"
)

// mismatch reports a value of the wrong type, without the value if it may be
// a secret.
func (d *decoder) mismatch(path []string, dst reflect.Value, src any, hint string) {
	got := values.Describe(src)
	if dst.Type() == secretType {
		got = values.DescribeType(reflect.ValueOf(src))
	}
	d.fail(path, WrongType, fmt.Sprintf("got %s, want %s", got, wantName(dst.Type())), hint)
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
