package matching

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// wholeNumber is a whole number as JSON writes it. Without the zero, which -0
// would be: that reads as text, like 007.
var wholeNumber = regexp.MustCompile(`^-?[1-9][0-9]*$`)

// parsePlainNumber reads a number that is written plainly. What is no such number
// gives the zero Value and is text to the caller, but for what looks like a number
// and would not be the one that was written: that is an error.
func parsePlainNumber(written string) (Value, error) {
	f, err := strconv.ParseFloat(written, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), strings.ContainsAny(written, "xX_"):
		return Value{}, nil
	case err != nil:
		return Value{}, asText(written, "is too big for a number of 64 bits")
	case math.IsNaN(f) || math.IsInf(f, 0):
		return Value{}, asText(written, "is not a finite number")
	case wholeNumber.MatchString(written):
		v, err := parseNumber(written)
		if err != nil {
			return Value{}, asText(written, "cannot be kept exactly as a number of 64 bits")
		}
		return v, nil
	case numberText(f) == written:
		return Number(f), nil
	}
	return Value{}, nil
}

// asText says what is wrong with a number, and how the same text is written.
func asText(written, wrong string) error {
	return fmt.Errorf("%.40s %s; if it is text, write it in double quotes: %s", written, wrong, canonical(written))
}
