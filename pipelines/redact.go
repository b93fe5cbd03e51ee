package pipelines

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/rs/zerolog"
)

// minSecret is the length from which a secret's value is replaced. A shorter
// one would stand in half of all words.
const minSecret = 4

// Redactor replaces the values of secrets by <secret>. A value is known as it
// stands, as JSON writes it and as an address does. A nil Redactor replaces
// nothing.
type Redactor struct {
	replacer *strings.Replacer
}

// NewRedactor returns a redactor for the values; those shorter than four bytes
// are left out.
func NewRedactor(values ...string) *Redactor {
	var forms []string
	for _, v := range values {
		if len(v) < minSecret {
			continue
		}
		quoted, _ := json.Marshal(v) // a string always has a JSON form
		plain, _ := jsonText(v)      // the same without escaping <, > and &
		forms = append(forms, v, string(quoted[1:len(quoted)-1]), plain[1:len(plain)-1], url.QueryEscape(v), url.PathEscape(v))
	}
	if len(forms) == 0 {
		return nil
	}
	// The replacer prefers what it was given first: the longest, so that a
	// secret that holds another one is replaced as a whole.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, "<secret>")
	}
	return &Redactor{replacer: strings.NewReplacer(pairs...)}
}

// Redact returns text without the secrets.
func (r *Redactor) Redact(text string) string {
	if r == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// Writer returns a writer for a logger that takes the secrets out of every
// line before w sees it. Handlers log through the engine's logger, so one that
// is built over this writer keeps their lines clean as well.
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

// Write says that it wrote all of line, whatever its length without secrets.
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
