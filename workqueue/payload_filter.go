package workqueue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// PayloadFilter selects items by their payloads, with an expression such as
// amount > 1000 and customer == "Ada". [ParsePayloadFilter] describes the language. A
// PayloadFilter is immutable, and safe for concurrent use.
type PayloadFilter struct {
	text    string
	matches payloadTest

	plainOnly bool
}

// payloadTest reports whether a decoded payload matches.
type payloadTest func(payload any) bool

// MaxPayloadFilter limits the length of the expression of a PayloadFilter in bytes, because the
// parser is recursive.
const MaxPayloadFilter = 4000

// ParsePayloadFilter reads an expression over a payload. It consists of comparisons of a path with
// a literal, combined by and, or, not and parentheses:
//
//   - A path names a value of the payload: customer, address.city, lines[0].article. $ is the whole
//     payload, so $["order-no"] names a field whose name is no identifier. A missing value is null.
//   - A literal is a number, a text in quotes, true, false or null.
//   - == and != compare values. Values of different types are not equal.
//   - <, <=, > and >= compare two numbers, or two texts byte by byte. For other values they are false.
//   - contains and startsWith compare two texts, and are false for other values.
//   - path in ["a", "b"] is true if the value equals one of the literals.
//
// The error names the column of the fault.
func ParsePayloadFilter(text string) (*PayloadFilter, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New(`got an empty expression, want one such as amount > 1000 and customer == "Ada"`)
	}
	if len(text) > MaxPayloadFilter {
		return nil, fmt.Errorf("the expression has %d bytes, want at most %d", len(text), MaxPayloadFilter)
	}
	test, err := parsePayloadTest(text)
	if err != nil {
		return nil, err
	}
	return &PayloadFilter{text: text, matches: test}, nil
}

// PlainOnly returns the filter for a caller that must not see encrypted payloads, and so must not
// search them: they count as unreadable.
func (p *PayloadFilter) PlainOnly() *PayloadFilter {
	plain := *p
	plain.plainOnly = true
	return &plain
}

// OpensSealed reports whether the filter also looks at encrypted payloads.
func (p *PayloadFilter) OpensSealed() bool { return !p.plainOnly }

// String returns the expression.
func (p *PayloadFilter) String() string { return p.text }

// Matches reports whether the payload matches. All values of an item without a payload are null.
// It returns an error, and false, for a payload that is not JSON.
func (p *PayloadFilter) Matches(payload JSONText) (bool, error) {
	if payload == "" {
		return p.matches(nil), nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(payload)))
	decoder.UseNumber() // a float64 does not hold each whole number
	var value any
	if err := decoder.Decode(&value); err != nil {
		return false, fmt.Errorf("the payload is not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return false, errors.New("the payload is not JSON: it continues after its value")
	}
	return p.matches(value), nil
}
