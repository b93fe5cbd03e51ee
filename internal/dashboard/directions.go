package dashboard

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// isDirection reports whether a character changes the direction of the text that follows it. With one in
// its name, a worker that is lost could read as another one, or the words of the page backwards.
func isDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// spelled writes such characters of a text as their numbers: [U+202E].
func spelled(text string) string {
	if strings.IndexFunc(text, isDirection) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if isDirection(r) {
			fmt.Fprintf(&out, "[%U]", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// unchanged are the elements whose texts are sent back with a form.
var unchanged = []string{"textarea", "option"}

// spellDirections spells such characters in the texts of a page, and in those that a browser shows or a
// screen reader reads out for an element. What a form sends and where a link leads stay as they are. The
// templates escape the signs <, > and " in values.
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
		out.WriteString(spelled(string(text)))
		page = page[len(text):]
		tag := page[:endOfTag(page)]
		spellTag(&out, tag)
		page = page[len(tag):]
	}
	return out.Bytes()
}

// read are the attributes whose values are texts for people.
var read = []string{" title=", " aria-label=", " alt="}

// spellTag writes a tag. Every other of the parts between its quotes is the value of an attribute.
func spellTag(out *bytes.Buffer, tag []byte) {
	parts := strings.Split(string(tag), `"`)
	for i, part := range parts {
		if i > 0 {
			out.WriteByte('"')
		}
		if i%2 == 1 && slices.ContainsFunc(read, func(name string) bool { return strings.HasSuffix(parts[i-1], name) }) {
			part = spelled(part)
		}
		out.WriteString(part)
	}
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
