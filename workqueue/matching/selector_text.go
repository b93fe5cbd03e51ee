package matching

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
)

var errQuotes = errors.New("a text that begins with a double quote must be a valid JSON string")

const wantedText = `want a condition such as gpu = true, ram >= 32, site in [lisbon, porto] or gpu exists`

// symbols are the operators that are not words; a longer one comes before its prefix.
var symbols = []string{"<=", ">=", "!=", "<>", "==", "=", "<", ">"}

// parseSelectorText reads a condition; wrong describes what is wrong with it.
func parseSelectorText(written string) (s Selector, wrong string) {
	key, rest := splitWord(strings.TrimSpace(written), func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)
	})
	if key == "" {
		return s, wantedText
	}
	if !goodKey(key) {
		return s, "want as its key " + wantedKey
	}
	s.Key = key
	name, operand := operatorOf(rest)
	operator, ok := parseOperator(name)
	switch {
	case !ok && rest == "":
		return s, wantedText
	case !ok:
		return s, "want after its key one of " + wantedOperators()
	}
	s.Operator = operator
	switch {
	case operator == Exists && operand != "":
		return s, "want nothing after exists"
	case operator == Exists:
		return s, ""
	case operand == "":
		return s, "want a value after " + name + `; an empty text is ""`
	case operator == In:
		return s, s.setList(operand)
	case strings.HasPrefix(operand, "["):
		return s, `want one value after ` + name + `, a list only after in; write a text that begins with [ in double quotes`
	}
	return s, s.setValue(operand)
}

// splitWord splits off the leading letters and removes the space after them.
func splitWord(s string, letter func(rune) bool) (word, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return !letter(r) })
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimLeftFunc(s[end:], unicode.IsSpace)
}

func operatorOf(s string) (name, operand string) {
	for _, symbol := range symbols {
		if rest, ok := strings.CutPrefix(s, symbol); ok {
			return symbol, strings.TrimSpace(rest)
		}
	}
	return splitWord(s, unicode.IsLetter)
}

func (s *Selector) setValue(operand string) (wrong string) {
	v, err := ParseValue(operand)
	if err != nil {
		return err.Error()
	}
	// If only a number is valid, every notation of a number is accepted.
	if _, ok := v.Float(); !ok && s.Operator.ordered() && json.Valid([]byte(operand)) {
		if _, err := strconv.ParseFloat(operand, 64); err == nil {
			if v, err = parseNumber(operand); err != nil {
				return err.Error()
			}
		}
	}
	s.Value = v
	return s.disorder()
}

func (s *Selector) setList(operand string) (wrong string) {
	inner, opened := strings.CutPrefix(operand, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !opened || !closed || strings.TrimSpace(inner) == "" {
		return "want a list after in, such as [lisbon, porto]"
	}
	for inner != "" {
		var element string
		element, inner = cutElement(inner)
		if element == "" {
			return `want a value between two commas; an empty text is ""`
		}
		v, err := ParseValue(element)
		if err != nil {
			return err.Error()
		}
		if !strings.HasPrefix(element, `"`) && strings.ContainsAny(element, "[]\"") {
			return "want double quotes around values that contain brackets or quotes"
		}
		s.Values = append(s.Values, v)
	}
	if n := len(s.Values); n > maxValues {
		return "want at most " + strconv.Itoa(maxValues) + " values"
	}
	return ""
}

// cutElement splits off the text before the next comma that is not in quotes. The
// text after the last comma is an element, too: if it is empty, rest is a space.
func cutElement(s string) (element, rest string) {
	quoted, escaped := false, false
	for i, r := range s {
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		case r == ',' && !quoted:
			if rest = s[i+1:]; rest == "" {
				rest = " "
			}
			return strings.TrimSpace(s[:i]), rest
		}
	}
	return strings.TrimSpace(s), ""
}
