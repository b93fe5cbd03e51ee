package bounded

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"

	"botwork/internal/values"
)

// maxDigits limits the digits of a number that is converted to another base or rounded: the
// time grows with their square.
const maxDigits = 1000

// shown returns a value as templates print it: numbers, also those in lists and maps, print
// in plain digits, and the verbs of printf do not ask whether a number is whole. Templates
// get the numbers of JSON, whose type depends on how they were written: 100 is whole, 100.5
// is not.
func shown(v any) any {
	switch v := v.(type) {
	case nil, string, bool:
		return v
	case int, float64, json.Number:
		return numeral{v}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = shown(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key := range v {
			m[key] = shown(v[key])
		}
		return m
	}
	if _, ok := values.NumberText(v); ok {
		return numeral{values.Plain(v)}
	}
	if kind := reflect.TypeOf(v).Kind(); kind == reflect.Slice || kind == reflect.Map {
		if plain := values.Plain(v); reflect.TypeOf(plain) != reflect.TypeOf(v) {
			return shown(plain)
		}
	}
	return v
}

// numeral is a number, of the types of values.DecodeJSON, that prints as shown describes.
type numeral struct{ value any }

// Format implements fmt.Formatter.
func (n numeral) Format(s fmt.State, verb rune) {
	if verb == 'v' || verb == 's' {
		if _, limited := s.Precision(); limited && n.fraction() != nil {
			fmt.Fprintf(s, fmt.FormatString(s, 'g'), n.fraction())
			return
		}
		n.plain(s)
		return
	}
	given := n.value
	switch whole := n.whole(); {
	case strings.ContainsRune("eEfFgG", verb):
		given = n.fraction()
	case whole != nil:
		given = whole
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), given)
}

// plain writes the digits with the width and the sign that the format asks for.
func (n numeral) plain(s fmt.State) {
	text, _ := values.NumberText(n.value)
	sign := ""
	if rest, below := strings.CutPrefix(text, "-"); below {
		sign, text = "-", rest
	} else if s.Flag('+') {
		sign = "+"
	} else if s.Flag(' ') {
		sign = " "
	}
	width, _ := s.Width()
	fill := max(width-len(sign)-len(text), 0)
	switch {
	case s.Flag('-'):
		text += strings.Repeat(" ", fill)
	case s.Flag('0'):
		text = strings.Repeat("0", fill) + text
	default:
		sign = strings.Repeat(" ", fill) + sign
	}
	fmt.Fprint(s, sign+text)
}

// whole returns the number as an int or a *big.Int; nil: it has a fraction or too many digits.
func (n numeral) whole() any {
	switch v := n.value.(type) {
	case int:
		return v
	case float64:
		if v != math.Trunc(v) || math.IsInf(v, 0) {
			return nil
		}
		if math.Abs(v) < 1<<63 {
			return int(v)
		}
		whole, _ := big.NewFloat(v).Int(nil)
		return whole
	case json.Number:
		if len(v) > maxDigits || !values.IsWhole(v) {
			return nil
		}
		if whole, ok := new(big.Int).SetString(string(v), 10); ok {
			return whole
		}
	}
	return nil
}

// fraction returns the number as a float64, or as a *big.Float if a float64 would change it;
// nil: it has too many digits.
func (n numeral) fraction() any {
	switch v := n.value.(type) {
	case int:
		if int(float64(v)) == v && v != math.MaxInt {
			return float64(v)
		}
		return new(big.Float).SetInt64(int64(v))
	case json.Number:
		if whole, ok := n.whole().(*big.Int); ok {
			return new(big.Float).SetInt(whole)
		}
		return nil
	default:
		return v
	}
}

// printed is an argument of printf that records whether its verb suits it.
type printed struct {
	value any
	wrong *error // the first verb that does not suit its argument
}

// Format implements fmt.Formatter.
func (p printed) Format(s fmt.State, verb rune) {
	format := fmt.FormatString(s, verb)
	if *p.wrong == nil && !suits(p.value, verb) {
		got := values.DescribeType(reflect.ValueOf(p.value))
		if n, ok := p.value.(numeral); ok {
			got = values.Describe(n.value)
		}
		*p.wrong = fmt.Errorf("printf: %s does not suit %s%s", format, got, hintFor(p.value, verb))
	}
	fmt.Fprintf(s, format, p.value)
}

func hintFor(v any, verb rune) string {
	switch _, number := v.(numeral); {
	case number && verb == 'd':
		return "; %.0f rounds it to a whole number"
	case number:
		return "; use %d, %.2f or %v"
	default:
		return "; use %v"
	}
}

// suits reports whether package fmt prints a value with a verb. The result of Sprintf does not
// show it: its mark for a wrong verb, %!d(string=x), may also be text of the data.
func suits(v any, verb rune) bool {
	if verb == 'v' {
		return true
	}
	const ofWhole, ofFraction = "bcdoOqxXU", "beEfFgGxX"
	switch v := v.(type) {
	case nil:
		return false
	case string, []byte:
		return strings.ContainsRune("sqxX", verb)
	case bool:
		return verb == 't'
	case numeral:
		if verb == 's' || strings.ContainsRune("eEfFgG", verb) && v.fraction() != nil {
			return true
		}
		switch v.whole().(type) {
		case int:
			return strings.ContainsRune(ofWhole, verb)
		case *big.Int:
			return strings.ContainsRune("bdoOxX", verb)
		default:
			_, float := v.value.(float64)
			return float && strings.ContainsRune(ofFraction, verb)
		}
	case fmt.Formatter:
		return true
	case error, fmt.Stringer:
		if strings.ContainsRune("sqxX", verb) {
			return true
		}
	}
	return allSuit(v, verb)
}

// allSuit reports whether the verb suits each element of a list or a map, with its keys.
func allSuit(v any, verb rune) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range r.Len() {
			if !suits(r.Index(i).Interface(), verb) {
				return false
			}
		}
		return true
	case reflect.Map:
		for entries := r.MapRange(); entries.Next(); {
			if !suits(entries.Key().Interface(), verb) || !suits(entries.Value().Interface(), verb) {
				return false
			}
		}
		return true
	case reflect.String:
		return strings.ContainsRune("sqxX", verb)
	case reflect.Bool:
		return verb == 't'
	}
	return r.CanInt() && strings.ContainsRune("bcdoOqxXU", verb) // a duration or a month
}
