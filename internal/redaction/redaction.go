// Package redaction removes secrets from texts.
package redaction

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/rs/zerolog"
)

// minSecret is the minimum length of secrets that are replaced. A shorter one would occur
// in many ordinary words.
const minSecret = 4

// Hidden replaces a secret.
const Hidden = "<secret>"

// Redactor replaces the values of secrets with <secret>, in all forms of formsOf. A nil
// Redactor replaces nothing.
type Redactor struct {
	forms    []string // the longest first
	replacer *strings.Replacer
}

// New returns a redactor for the values; values shorter than four bytes are
// ignored.
func New(values ...string) *Redactor {
	var forms []string
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		forms = append(forms, formsOf(v)...)
	}
	if len(forms) == 0 {
		return nil
	}
	// The replacer prefers the first match in its list: put the longest first, so that a
	// secret that contains another one is replaced as a whole.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, Hidden)
	}
	return &Redactor{forms: forms, replacer: strings.NewReplacer(pairs...)}
}

// logged returns the text as a log line escapes it: zerolog escapes other characters than
// encoding/json, DEL but not U+2028.
func logged(text string) string {
	var line strings.Builder
	log := zerolog.New(&line)
	log.Log().Str("v", text).Send()
	return strings.TrimSuffix(strings.TrimPrefix(line.String(), `{"v":"`), "\"}\n")
}

// Redact returns text without secrets, including secrets that were cut off with a "…".
func (r *Redactor) Redact(text string) string {
	if r == nil {
		return text
	}
	text = r.replacer.Replace(text)
	if !strings.Contains(text, cutMark) {
		return text
	}
	parts := strings.Split(text, cutMark)
	for i := range parts {
		if i > 0 {
			parts[i] = r.withoutEnd(parts[i])
		}
		if i < len(parts)-1 {
			parts[i] = r.withoutBeginning(parts[i])
		}
	}
	return strings.Join(parts, cutMark)
}

// cutMark is what handlers write where text was cut off.
const cutMark = "…"

// withoutEnd replaces the end of a secret at the beginning of text.
func (r *Redactor) withoutEnd(text string) string {
	most := 0
	for _, form := range r.forms {
		for n := min(len(form), len(text)); n >= minSecret && n > most; n-- {
			if strings.HasSuffix(form, text[:n]) {
				most = n
			}
		}
	}
	if most == 0 {
		return text
	}
	return Hidden + text[most:]
}

// withoutBeginning replaces the beginning of a secret at the end of text.
func (r *Redactor) withoutBeginning(text string) string {
	most := 0
	for _, form := range r.forms {
		for n := min(len(form), len(text)); n >= minSecret && n > most; n-- {
			if strings.HasPrefix(form, text[len(text)-n:]) {
				most = n
			}
		}
	}
	if most == 0 {
		return text
	}
	return text[:len(text)-most] + Hidden
}

// Value returns v without secrets in its texts and keys. Numbers stay: a number that
// happens to contain a secret must remain valid.
func (r *Redactor) Value(v any) any {
	switch v := v.(type) {
	case string:
		return r.Redact(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = r.Value(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, one := range v {
			m[r.Redact(key)] = r.Value(one)
		}
		return m
	}
	return v
}

// Writer returns a writer for a logger that removes the secrets from every line before w
// gets it. Handlers use the engine's logger; if that is built on this writer, their lines
// contain no secrets either.
func (r *Redactor) Writer(w io.Writer) zerolog.LevelWriter {
	leveled, ok := w.(zerolog.LevelWriter)
	if !ok {
		leveled = zerolog.LevelWriterAdapter{Writer: w}
	}
	return &redactingWriter{r, leveled}
}

type redactingWriter struct {
	redactor *Redactor
	to       zerolog.LevelWriter
}

// Write returns the length of line, even if less was written without secrets.
func (w *redactingWriter) Write(line []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.redactor.Redact(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}

func (w *redactingWriter) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	if w.redactor == nil {
		return w.to.WriteLevel(level, line)
	}
	if _, err := w.to.WriteLevel(level, []byte(w.redactor.Redact(string(line)))); err != nil {
		return 0, err
	}
	return len(line), nil
}
