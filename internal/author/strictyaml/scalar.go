package strictyaml

import (
	"regexp"
	"strconv"
)

var (
	decimal          = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	based            = regexp.MustCompile(`^[-+]?0(x[0-9a-fA-F]+|o[0-7]+)$`)
	floating         = regexp.MustCompile(`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	leadingZero      = regexp.MustCompile(`^[-+]?0[0-9]+(\.[0-9]*)?$`)
	underscored      = regexp.MustCompile(`^[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?$`)
	binary           = regexp.MustCompile(`^[-+]?0b[01_]+$`)
	basedUnderscored = regexp.MustCompile(`^[-+]?0(x[0-9a-fA-F]*_[0-9a-fA-F_]*|o[0-7]*_[0-7_]*)$`)
	notFinite        = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// resolve determines the type of an unquoted scalar by the rules of YAML 1.2's
// core schema. Dates stay text. If parsers of different YAML versions read
// different values, resolve returns the text unchanged and describes the trap.
//
// The description does not contain the text, because it may be a password.
func resolve(text string) (value any, trap string) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil, ""
	case "true", "True", "TRUE":
		return true, ""
	case "false", "False", "FALSE":
		return false, ""
	}
	switch {
	case decimal.MatchString(text), based.MatchString(text):
		base := 10
		if based.MatchString(text) {
			base = 0
		}
		n, err := strconv.ParseInt(text, base, strconv.IntSize)
		if err != nil {
			return text, "this whole number is too large to store exactly"
		}
		return int(n), ""
	case leadingZero.MatchString(text):
		return text, "some YAML parsers read a number with a leading zero as octal, others as decimal"
	case floating.MatchString(text):
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text, "this number is too large"
		}
		return f, ""
	case underscored.MatchString(text), basedUnderscored.MatchString(text):
		return text, "some YAML parsers read a number with underscores as a number, others as text"
	case binary.MatchString(text):
		return text, "some YAML parsers read this as a binary number, others as text"
	case notFinite.MatchString(text):
		return text, "this number is not finite"
	}
	return text, ""
}
