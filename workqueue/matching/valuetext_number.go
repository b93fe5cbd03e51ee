package matching

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// wholeNumber matches a whole number in the notation of JSON, except zero, since -0
// would match too: -0 is text, like 007.
var wholeNumber = regexp.MustCompile(`^-?[1-9][0-9]*$`)

// parsePlainNumber reads a number in plain notation. It returns the zero Value for
// other texts, which the caller reads as text. A text that looks like a number but
// would change its value is an error.
func parsePlainNumber(written string) (Value, error) {
	f, err := strconv.ParseFloat(written, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), strings.ContainsAny(written, "xX_"):
		return Value{}, nil
	case err != nil:
		return Value{}, asText(written, "is too large for a 64-bit number")
	case math.IsNaN(f) || math.IsInf(f, 0):
		return Value{}, asText(written, "is not a finite number")
	case wholeNumber.MatchString(written):
		v, err := parseNumber(written)
		if err != nil {
			return Value{}, asText(written, "cannot be stored exactly as a 64-bit number")
		}
		return v, nil
	case numberText(f) == written:
		return Number(f), nil
	}
	return Value{}, nil
}

// asText returns the error for such a number, with the notation of the same
// characters as text.
func asText(written, wrong string) error {
	return fmt.Errorf("%.40s %s; if it is text, write it in double quotes: %s", written, wrong, canonical(written))
}
