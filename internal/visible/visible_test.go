package visible_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"botwork/internal/visible"
)

func TestLineAndBlock(t *testing.T) {
	for _, c := range []struct{ name, text, line, block string }{
		{"plain", "naïve – 日本 ✓ <secret>", "naïve – 日本 ✓ <secret>", "naïve – 日本 ✓ <secret>"},
		{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`, `\x1b[31mred\x1b[0m`},
		{"title of the window", "\x1b]0;title\a", `\x1b]0;title\x07`, `\x1b]0;title\x07`},
		{"line of windows", "a\r\nb", `a\r\nb`, "a\r\nb"},
		{"overwritten line", "evil\rgood", `evil\rgood`, `evil\rgood`},
		{"backspace and delete", "a\b\x7f", `a\x08\u007f`, `a\x08\u007f`},
		{"tab", "a\tb", `a\tb`, "a\tb"},
		{"C1", "\u009b31m", `\u009b31m`, `\u009b31m`},
		{"byte that is not UTF-8", "\x9b31m", `\x9b31m`, `\x9b31m`},
		{"replacement character", "\ufffd", "\ufffd", "\ufffd"},
		{"bidi", "a\u202eb\u2066c\u200e", `a\u202eb\u2066c\u200e`, `a\u202eb\u2066c\u200e`},
		{"zero width", "pay\u200bpal\ufeff\u2060\u00ad", `pay\u200bpal\ufeff\u2060\u00ad`, `pay\u200bpal\ufeff\u2060\u00ad`},
		{"joiner between Latin letters", "a\u200db", `a\u200db`, `a\u200db`},
		{"joiner of emoji and Persian", "👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم"},
		{"line separator", "a\u2028b", `a\u2028b`, `a\u2028b`},
		{"tag", "a\U000e0041", `a\U000e0041`, `a\U000e0041`},
		{"Hangul filler", "a\u3164", `a\u3164`, `a\u3164`},
	} {
		if got := visible.Line(c.text); got != c.line {
			t.Errorf("%s: Line(%q) = %q, want %q", c.name, c.text, got, c.line)
		}
		if got := visible.Block(c.text); got != c.block {
			t.Errorf("%s: Block(%q) = %q, want %q", c.name, c.text, got, c.block)
		}
	}
}

// A character may be split between two calls.
func TestWriterSplit(t *testing.T) {
	const text = "日本\x1b[0m 👩\r\n\xff\u202e\r.\n"
	want := visible.Block(text)
	for at := range len(text) {
		var b bytes.Buffer
		w := visible.NewWriter(&b)
		for _, part := range []string{text[:at], text[at:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		if b.String() != want {
			t.Errorf("split at %d: %q, want %q", at, b.String(), want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[0m\r\n", 2)
	f.Add("\u202e\x9b\xe6\x97", 1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		line := visible.Line(text)
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
			t.Errorf("Line(%q) = %q", text, line)
		}
		if again := visible.Line(line); again != line {
			t.Errorf("Line(%q) = %q, and of that %q", text, line, again)
		}
	})
}
