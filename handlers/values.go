package handlers

import (
	"encoding"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"botwork/internal/spans"
)

// Duration is a duration in a pipeline file: "90s", "1h30m", "250ms", "7d". A number without a
// unit is rejected, because the unit would be a guess.
type Duration time.Duration

// UnmarshalText parses what ParseDuration does.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the duration as String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String returns the duration as in pipeline files: "15m", not "15m0s".
func (d Duration) String() string { return spans.Text(time.Duration(d)) }

// ParseDuration parses a duration in the format of pipelines. It may be negative.
func ParseDuration(text string) (time.Duration, error) { return spans.Parse(text) }

// BoolTaker is a parameter type that is parsed from text, or from true and false, which it
// receives as "true" and "false".
type BoolTaker interface {
	encoding.TextUnmarshaler
	TakesBool()
}

// Patterned is a parameter type that parses itself from text and describes its form to
// editors: a regular expression for the whole text, in the syntax that Go and JavaScript
// share, and the same in words. A text that matches may still be invalid.
type Patterned interface {
	encoding.TextUnmarshaler
	Pattern() (pattern, wanted string)
}

// ExpressionChecker is the type of a parameter of a kind, not of an object within one, in which
// some texts are code. Such a text must be in the file as it is: an expression could pass on
// code from a payload. CheckExpression returns why an expression may not make a text, and a
// hint; an empty message allows it. It does not use its receiver. A parameter in which every
// text is code has the tag `literal` instead.
type ExpressionChecker interface {
	CheckExpression(text string) (message, hint string)
}

// DurationPattern is the pattern of a duration without a sign.
const DurationPattern = spans.Pattern

// Secret is a parameter that must not appear in logs, errors or pages: it prints as <secret>.
// Convert it to a string where it is used.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "<secret>"
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the secret from JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Size is a number of bytes in a pipeline file: "512KB", "10MB", "1GB" or a
// bare number. The units are powers of 1024.
type Size int64

// sizeUnits are in the order of preference of String; "B" is last, because the others end with it.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"B", 1}}

// UnmarshalText parses a whole number with or without a unit.
func (s *Size) UnmarshalText(text []byte) error {
	number, factor := string(text), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(strings.ToUpper(number), u.name); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("size %q: want a whole number of bytes, KB, MB or GB, such as 10MB", text)
	}
	*s = Size(n * factor)
	return nil
}

// MarshalText writes the size as String does.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String writes the size in the largest unit that leaves a whole number.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return "0B"
}
