// Package values has the rules for values of steps that the contract and the built-in kinds share:
// the types that JSON is decoded to, and the names of values in messages.
package values

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"
)

// IsScalar reports whether v is a number, text, true or false.
func IsScalar(v reflect.Value) bool {
	return v.CanInt() || v.CanUint() || v.CanFloat() || v.Kind() == reflect.String || v.Kind() == reflect.Bool
}

// Describe names a value for a message: its type, and the value itself where that is short.
// A long text is not cut: it may be a secret, and the redactor does not recognise a secret by its
// beginning.
func Describe(src any) string {
	v := reflect.ValueOf(src)
	if text, ok := src.(string); ok {
		if n := utf8.RuneCountInString(text); n > 40 {
			return fmt.Sprintf("a text of %d characters", n)
		}
		return fmt.Sprintf("the text %q", text)
	}
	if n, ok := src.(json.Number); ok && len(n) > 40 {
		return fmt.Sprintf("a number of %d characters", len(n))
	}
	if IsScalar(v) {
		return fmt.Sprintf("%s %v", DescribeType(v), src)
	}
	return DescribeType(v)
}

// DescribeType names the type of a value for a message; it does not show the value.
func DescribeType(v reflect.Value) string {
	switch {
	case !v.IsValid():
		return "nothing"
	case v.Type() == reflect.TypeFor[time.Time]():
		return "a time"
	case v.Type() == numberType:
		return "the number"
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
