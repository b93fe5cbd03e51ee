package config

import (
	"fmt"
	"io"
)

const hidden = "<secret>"

// Secret is a text that must not be shown by accident: it prints as <secret> with every verb of
// fmt, in JSON, YAML and logs. The zero Secret is empty.
type Secret struct {
	// text is a pointer, because fmt does not call the methods of a value in an unexported field
	// and would print a string there.
	text *string
}

// NewSecret returns text as a Secret.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text itself.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

func (s Secret) String() string { return hidden }

// Format implements fmt.Formatter for all verbs, including %#v and %x.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText implements encoding.TextMarshaler, which JSON, YAML and zerolog use.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
