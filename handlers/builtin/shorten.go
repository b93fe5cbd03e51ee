package builtin

// cutMark replaces a missing part of a text. It shows the engine that a secret next to it may
// be incomplete.
const cutMark = "…"

// shorten cuts text to at most n characters and marks the cut.
func shorten(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + cutMark
	}
	return text
}
