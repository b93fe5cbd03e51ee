package matching

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// ParseValue reads a value from a command line or a selector's text. true and false
// are bools, a number in plain notation (16, -3, 0.5) is a number, and everything
// else is text, such as 0123 and 1e5. Double quotes enclose a text in the notation of
// JSON. Numbers that 64 bits cannot represent (NaN, 1e400, 9007199254740993) are
// rejected, since it would be unclear whether the number or the text was meant.
func ParseValue(written string) (Value, error) {
	written = strings.TrimSpace(written)
	switch {
	case written == "true" || written == "false":
		return Bool(written == "true"), nil
	case strings.HasPrefix(written, `"`):
		var s string
		if err := json.Unmarshal([]byte(written), &s); err != nil {
			return Value{}, errQuotes
		}
		return ValueOf(s)
	}
	if v, err := parsePlainNumber(written); err != nil || !v.IsZero() {
		return v, err
	}
	return ValueOf(written)
}

// String returns the value in a form that ParseValue reads as the same value: texts
// are in quotes only if necessary. The zero Value is "".
func (v Value) String() string {
	if v.kind != text {
		return v.Plain()
	}
	if bare(v.text) {
		return v.text
	}
	return canonical(v.text)
}

// Plain returns the value without quotes, for messages and for maps by value: the
// text 3 and the number 3 are the same then.
func (v Value) Plain() string {
	switch v.kind {
	case text:
		return v.text
	case number:
		return numberText(v.number)
	case truth:
		return strconv.FormatBool(v.number == 1)
	default:
		return ""
	}
}

// numberText returns the plain notation of a number. Very large and very small
// numbers have an exponent with a sign, such as 1e+21; no name looks like that.
func numberText(f float64) string {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f+0, 'f', -1, 64)
}

// bare reports whether ParseValue reads a text without quotes as itself, in a list,
// too.
func bare(s string) bool {
	if s == "" || strings.TrimSpace(s) != s || strings.ContainsAny(s, "\",[]") {
		return false
	}
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return false
		}
	}
	v, err := ParseValue(s)
	return err == nil && v == Text(s)
}
