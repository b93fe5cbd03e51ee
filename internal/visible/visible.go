// Package visible shows the control and invisible characters of foreign texts, so that a text
// can neither control a terminal nor look like another one.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text for one line: control characters, line ends and tabs among them, and
// characters that hide or reorder others are written as Go writes them, such as \x1b and \u202e.
func Line(text string) string { return escaped(text, false) }

// Block returns text for several lines: like Line, but line ends and tabs stay.
func Block(text string) string { return escaped(text, true) }

func escaped(text string, block bool) string {
	first := -1
	var previous rune
	for i, r := range text {
		if hides(text, i, r, previous, block) {
			first = i
			break
		}
		previous = r
	}
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:first])
	for i := first; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if hides(text, i, r, previous, block) {
			b.WriteString(form(r, text[i]))
		} else {
			b.WriteString(text[i : i+size])
		}
		previous = r
		i += size
	}
	return b.String()
}

// hides reports whether the character r at i must not be shown as it is.
func hides(text string, i int, r, previous rune, block bool) bool {
	switch {
	case r == '\n' || r == '\t':
		return !block
	case r == '\r': // of a line end of Windows
		return !block || !strings.HasPrefix(text[i+1:], "\n")
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case r == utf8.RuneError:
		_, size := utf8.DecodeRuneInString(text[i:])
		return size == 1 // a byte that is not UTF-8 may be a control character of a terminal
	case r == zeroWidthNonJoiner || r == zeroWidthJoiner:
		return previous < firstJoined // scripts and emoji need them, Latin letters do not
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // visible, although a format character
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || unicode.Is(blank, r)
}

const (
	zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'

	// firstJoined begins the scripts whose letters zero-width characters join.
	firstJoined = '\u0590'
)

// blank are characters of other categories that show nothing.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}

// form returns the escape of a character, or of a byte that is not UTF-8.
func form(r rune, first byte) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r == utf8.RuneError:
		return fmt.Sprintf(`\x%02x`, first)
	case r < ' ':
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
