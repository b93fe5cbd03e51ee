package values

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

var numberType = reflect.TypeFor[json.Number]()

// settled returns a number in the types of DecodeJSON.
func settled(n json.Number) any {
	if whole, err := strconv.Atoi(n.String()); err == nil {
		return whole
	}
	f, err := n.Float64()
	if err != nil || IsWhole(n) {
		return n // a float64 would change its digits
	}
	return f
}

// IsWhole reports whether a number is written as a whole number, of any size, without an
// exponent.
func IsWhole(n json.Number) bool {
	digits := strings.TrimPrefix(string(n), "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// ParseWhole reads a whole number of any size as people write it: with a plus sign or zeros
// in front. It returns an int, or a json.Number if the number needs more than 64 bits.
func ParseWhole(text string) (any, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	sign, digits := "", strings.TrimPrefix(text, "+")
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, digits = "-", rest
	}
	n := json.Number(sign + strings.TrimLeft(digits, "0"))
	if strings.HasPrefix(digits, "-") || !IsWhole(n) {
		return nil, fmt.Errorf("got %q, want a whole number", text)
	}
	return n, nil
}

// NumberText returns a number as text in plain digits, never with an exponent: 1234567.5,
// not 1.2345675e+06. It reports whether v is a number. A number that no type of Go holds is
// returned as it was written. A value that prints itself, such as a duration, is no number.
func NumberText(v any) (string, bool) {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case json.Number:
		return v.String(), true
	}
	if _, ok := v.(fmt.Stringer); ok {
		return "", false // a duration, a month: they have words
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return strconv.FormatInt(r.Int(), 10), true
	case r.CanUint():
		return strconv.FormatUint(r.Uint(), 10), true
	case r.Kind() == reflect.Float32:
		return strconv.FormatFloat(r.Float(), 'f', -1, 32), true
	case r.CanFloat():
		return strconv.FormatFloat(r.Float(), 'f', -1, 64), true
	}
	return "", false
}

// CompareNumbers orders two numbers of the types of DecodeJSON; whole numbers are compared
// exactly.
func CompareNumbers(a, b any) (result int, ok bool) {
	x, okX := digitsOf(a)
	y, okY := digitsOf(b)
	if okX && okY {
		return compareDigits(x, y), true
	}
	f, okF := floatOf(a)
	g, okG := floatOf(b)
	switch {
	case !okF || !okG:
		return 0, false
	case f < g:
		return -1, true
	case f > g:
		return 1, true
	}
	return 0, true
}

// digitsOf returns the digits of a whole number.
func digitsOf(v any) (string, bool) {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v), true
	case json.Number:
		return v.String(), IsWhole(v)
	}
	return "", false
}

// compareDigits compares whole numbers without zeros in front.
func compareDigits(a, b string) int {
	x, below := strings.CutPrefix(a, "-")
	y, alsoBelow := strings.CutPrefix(b, "-")
	switch {
	case below != alsoBelow && below:
		return -1
	case below != alsoBelow:
		return 1
	case below:
		x, y = y, x
	}
	if len(x) != len(y) {
		return min(max(len(x)-len(y), -1), 1)
	}
	return strings.Compare(x, y)
}

func floatOf(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, _ := v.Float64() // too large is infinite, which is greater than all others
		return f, true
	}
	return 0, false
}
