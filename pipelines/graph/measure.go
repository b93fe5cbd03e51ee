package graph

import "unicode"

const (
	// maxLabel bounds a line of a box, in characters; what is longer is cut. The
	// drawing tells the whole text where the pointer rests.
	maxLabel = 48

	// The text of drawings stands in a font whose letters are alike in width.
	// Those of the fonts that are asked for have at most 0.61 of the size; East
	// Asian signs and pictures take at most 1.1 of it in the fonts that stand in
	// for those that lack them.
	fontSize = 13.0
	narrow   = 0.61
	wide     = 1.1
)

// cut shortens a text to n characters.
func cut(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}

// width is how wide a text is drawn at most, in pixels.
func width(text string) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
			// stands on the sign before it
		case r >= 0x1100:
			sum += wide
		default:
			sum += narrow
		}
	}
	return sum * fontSize
}
