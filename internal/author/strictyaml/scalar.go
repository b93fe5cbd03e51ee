package strictyaml

import (
	"regexp"
	"strconv"
)

var (
	decimal     = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	based       = regexp.MustCompile(`^[-+]?0(x[0-9a-fA-F]+|o[0-7]+)$`)
	floating    = regexp.MustCompile(`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	leadingZero = regexp.MustCompile(`^[-+]?0[0-9]+(\.[0-9]*)?$`)
	underscored = regexp.MustCompile(`^[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?$`)
	binary      = regexp.MustCompile(`^[-+]?0b[01_]+$`)
	basedOddly  = regexp.MustCompile(`^[-+]?0(x[0-9a-fA-F]*_[0-9a-fA-F_]*|o[0-7]*_[0-7_]*)$`)
	notFinite   = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// resolve guesses the type of an unquoted scalar by the rules of YAML 1.2's
// core schema, and leaves dates as text. A text that readers of different
// versions take for different values is a trap: resolve says why and returns
// the text as it stands.
//
// Traps do not quote the text, for it may be a password.
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
			return text, "this whole number is too big to be kept exactly"
		}
		return int(n), ""
	case leadingZero.MatchString(text):
		return text, "a number with a leading zero is octal to some readers and decimal to others"
	case floating.MatchString(text):
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text, "this number is too big"
		}
		return f, ""
	case underscored.MatchString(text), basedOddly.MatchString(text):
		return text, "a number with underscores is a number to some readers and text to others"
	case binary.MatchString(text):
		return text, "a binary number is a number to some readers and text to others"
	case notFinite.MatchString(text):
		return text, "this number is not finite"
	}
	return text, ""
}
