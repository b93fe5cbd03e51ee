package visible

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Writer writes texts to another writer as Block shows them. Several goroutines may use it.
type Writer struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the start of a character that the next call completes
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Unwrap returns the writer below, for the output of programs that must stay as it is, such as
// JSON or an image, and for texts that this program has made visible and coloured.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.rest, b...)
	whole := len(text) - incomplete(text)
	w.rest = append([]byte(nil), text[whole:]...)
	if whole == 0 {
		return len(b), nil
	}
	if _, err := io.WriteString(w.to, Block(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// incomplete returns the length of the part of a character at the end of text.
func incomplete(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return 1 // perhaps a line end follows
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return n
			}
			return 0
		}
	}
	return 0
}
