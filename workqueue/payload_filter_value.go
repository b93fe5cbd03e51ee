package workqueue

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// payloadPath leads to a value of a payload: texts are names of fields, ints are indexes of lists.
type payloadPath []any

// value returns the value that the path leads to; nil, as for null, if there is none.
func (p payloadPath) value(of any) any {
	for _, step := range p {
		switch step := step.(type) {
		case string:
			fields, _ := of.(map[string]any)
			of = fields[step]
		case int:
			list, _ := of.([]any)
			if step >= len(list) {
				return nil
			}
			of = list[step]
		}
	}
	return of
}

// payloadComparisons are the comparisons of a value of a payload with a literal.
var payloadComparisons = map[string]func(value, literal any) bool{
	"==": equalValues,
	"!=": func(value, literal any) bool { return !equalValues(value, literal) },
	"<":  ordered(func(order int) bool { return order < 0 }),
	"<=": ordered(func(order int) bool { return order <= 0 }),
	">":  ordered(func(order int) bool { return order > 0 }),
	">=": ordered(func(order int) bool { return order >= 0 }),

	"contains":   texts(strings.Contains),
	"startsWith": texts(strings.HasPrefix),
}

// equalValues reports whether a value has the type of the literal and equals it. Lists and objects
// equal no literal.
func equalValues(value, literal any) bool {
	switch literal := literal.(type) {
	case nil:
		return value == nil
	case number:
		n, ok := numberOf(value)
		return ok && n.compare(literal) == 0
	case string:
		text, ok := value.(string)
		return ok && text == literal
	default:
		truth, ok := value.(bool)
		return ok && truth == literal
	}
}

// ordered returns a comparison of two numbers or two texts by their order.
func ordered(holds func(order int) bool) func(value, literal any) bool {
	return func(value, literal any) bool {
		switch literal := literal.(type) {
		case number:
			n, ok := numberOf(value)
			return ok && holds(n.compare(literal))
		case string:
			text, ok := value.(string)
			return ok && holds(cmp.Compare(text, literal))
		default:
			return false
		}
	}
}

// texts returns a comparison of two texts. The parser accepts no other literal for it.
func texts(holds func(value, literal string) bool) func(value, literal any) bool {
	return func(value, literal any) bool {
		text, ok := value.(string)
		return ok && holds(text, literal.(string))
	}
}

// number is a whole number of 64 bits, or else a floating-point number, as in most programs that
// read JSON.
type number struct {
	whole int64
	float *float64 // nil: whole
}

func floatNumber(f float64) number { return number{float: &f} }

// numberOf returns the number of a decoded value. A number too large for a floating-point number is
// infinite.
func numberOf(value any) (number, bool) {
	text, ok := value.(json.Number)
	if !ok {
		return number{}, false
	}
	if whole, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return number{whole: whole}, true
	}
	f, _ := strconv.ParseFloat(string(text), 64) // the only possible error is a range, with an infinite result
	return floatNumber(f), true
}

func (n number) negative() number {
	if n.float != nil {
		return floatNumber(-*n.float)
	}
	return number{whole: -n.whole}
}

// compare compares numbers exactly: 9007199254740993 is larger than 9007199254740992.0.
func (n number) compare(to number) int {
	if n.float == nil && to.float == nil {
		return cmp.Compare(n.whole, to.whole)
	}
	return n.exact().Cmp(to.exact())
}

func (n number) exact() *big.Float {
	if n.float != nil {
		return big.NewFloat(*n.float)
	}
	return new(big.Float).SetInt64(n.whole)
}
