package matching

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxText bounds a label's text, in characters.
const maxText = 1000

type kind uint8

const (
	none kind = iota
	text
	number
	truth
)

// Value is a label's value: text, a 64-bit number, or a bool. Values are compared
// with ==; values of different types are never equal, and neither are texts that
// differ in case. The zero Value is no value.
type Value struct {
	kind   kind
	text   string
	number float64 // of a bool: 1 for true
}

// Text returns a text value.
func Text(s string) Value { return Value{kind: text, text: s} }

// Number returns a number value. For NaN and the infinities it returns the zero
// Value.
func Number(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{kind: number, number: f + 0} // -0 becomes 0
}

// Bool returns a bool value.
func Bool(b bool) Value {
	if b {
		return Value{kind: truth, number: 1}
	}
	return Value{kind: truth}
}

var errInexact = errors.New("is not exact in 64 bits: write it as text")

// ValueOf returns the value of decoded JSON or YAML. It rejects null, lists and
// mappings, numbers that are not finite, and whole numbers that a 64-bit float would
// change: two different ones could become equal.
func ValueOf(v any) (Value, error) {
	switch v := v.(type) {
	case Value:
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return Value{}, errors.New("got a text that is not UTF-8")
		}
		if n := utf8.RuneCountInString(v); n > maxText {
			return Value{}, fmt.Errorf("got a text of %d characters, want at most %d", n, maxText)
		}
		return Text(v), nil
	case bool:
		return Bool(v), nil
	case int:
		return parseNumber(strconv.Itoa(v))
	case int64:
		return parseNumber(strconv.FormatInt(v, 10))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Value{}, fmt.Errorf("got %v, want a finite number", v)
		}
		return Number(v), nil
	case json.Number:
		return parseNumber(v.String())
	}
	return Value{}, fmt.Errorf("got %s, want text, a number, true or false", kindOf(v))
}

// parseNumber reads a number in the notation of JSON.
func parseNumber(digits string) (Value, error) {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(f, 0) {
		return Value{}, fmt.Errorf("got the number %.40s, want a finite one of 64 bits", digits)
	}
	// A float is written in its shortest form, so that form must be accepted.
	whole := !strings.ContainsAny(digits, ".eE")
	if whole && digits != strconv.FormatFloat(f, 'f', 0, 64) && digits != strconv.FormatFloat(f, 'f', -1, 64) {
		return Value{}, fmt.Errorf("the number %.40s %w", digits, errInexact)
	}
	return Number(f), nil
}

// kindOf describes a decoded value.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %.40q", v)
	case bool:
		return strconv.FormatBool(v)
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case int, int64, float64, json.Number:
		return fmt.Sprintf("the number %v", v)
	default:
		return fmt.Sprintf("%T", v)
	}
}

// Equal is ==; libraries that compare values look for this method.
func (v Value) Equal(other Value) bool { return v == other }

// IsZero reports whether there is no value.
func (v Value) IsZero() bool { return v.kind == none }

// Float returns a number; ok is false for values of other types.
func (v Value) Float() (f float64, ok bool) { return v.number, v.kind == number }

// Any returns the plain Go value: string, float64, bool or nil.
func (v Value) Any() any {
	switch v.kind {
	case text:
		return v.text
	case number:
		return v.number
	case truth:
		return v.number == 1
	default:
		return nil
	}
}

// MarshalJSON writes the value as JSON; the zero Value is null.
func (v Value) MarshalJSON() ([]byte, error) { return []byte(canonical(v.Any())), nil }

// canonical returns JSON on one line without escaping < and >, since users may read
// the row. It cannot fail for values of this package.
func canonical(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("matching: write %T as JSON: %v", v, err))
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
