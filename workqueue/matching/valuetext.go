package matching

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// ParseValue reads a value as a person writes it on a command line or in a
// selector's text: true and false are bools, a number that is written plainly
// (16, -3, 0.5) is a number, and everything else is text, such as 0123 and 1e5.
// What stands in double quotes is text, written as in JSON. Numbers that 64 bits
// do not hold (NaN, 1e400, 9007199254740993) are refused: nobody could tell whether
// the number or the text was meant.
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

// String writes the value so that ParseValue reads the same: texts stand in
// quotes only where they have to. The zero Value is "".
func (v Value) String() string {
	if v.kind != text {
		return v.Plain()
	}
	if bare(v.text) {
		return v.text
	}
	return canonical(v.text)
}

// Plain writes the value without quotes, for messages and for maps by value:
// the text 3 and the number 3 are alike then.
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

// numberText is how a number is written plainly. Very big and very small ones
// have an exponent with a sign, such as 1e+21; no name looks like that.
func numberText(f float64) string {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f+0, 'f', -1, 64)
}

// bare tells whether a text reads as itself without quotes, in a list, too.
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
