package pipelines

import "botwork/internal/redaction"

// Redactor replaces the values of secrets with <secret>, in all forms in which they are written. A nil
// Redactor replaces nothing.
type Redactor = redaction.Redactor

// NewRedactor returns a redactor for the values; values shorter than four bytes are ignored.
func NewRedactor(values ...string) *Redactor { return redaction.New(values...) }
