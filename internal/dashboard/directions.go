package dashboard

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// isDirection reports whether a character changes the direction of the text that follows it. With one in
// its name, a worker that is lost could read as another one, or the words of the page backwards.
func isDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// unchanged are the elements whose texts are sent back with a form.
var unchanged = []string{"textarea", "option"}

// spellDirections writes such characters in the texts of a page as their numbers: [U+202E]. What a form
// sends stays as it is. The templates escape the signs < and > in values.
func spellDirections(page []byte) []byte {
	if bytes.IndexFunc(page, isDirection) < 0 {
		return page
	}
	var out bytes.Buffer
	for len(page) > 0 {
		text := page
		if at := bytes.IndexByte(page, '<'); at >= 0 {
			text = page[:at]
		}
		for rest := text; len(rest) > 0; {
			r, size := utf8.DecodeRune(rest)
			if isDirection(r) {
				fmt.Fprintf(&out, "[%U]", r)
			} else {
				out.Write(rest[:size])
			}
			rest = rest[size:]
		}
		page = page[len(text):]
		tag := page[:endOfTag(page)]
		out.Write(tag)
		page = page[len(tag):]
	}
	return out.Bytes()
}

// endOfTag returns where the tag ends that a text begins with; that of an unchanged element ends with its
// text.
func endOfTag(text []byte) int {
	for _, name := range unchanged {
		if bytes.HasPrefix(text, []byte("<"+name)) {
			if at := bytes.Index(text, []byte("</"+name)); at >= 0 {
				return at
			}
		}
	}
	return bytes.IndexByte(text, '>') + 1
}
