package graph

import "unicode"

const (
	// maxLabel is the maximum length of a line in a box, in characters. Longer lines
	// are cut. The drawing shows the whole text as a tooltip.
	maxLabel = 48

	// Drawings use a monospaced font. In the requested fonts, a character is at most
	// 0.61 of the font size wide. East Asian characters and emoji are at most 1.1 of
	// it wide in the fallback fonts.
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

// width returns the maximum width of a text in pixels.
func width(text string) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
			// combines with the previous character
		case r >= 0x1100:
			sum += wide
		default:
			sum += narrow
		}
	}
	return sum * fontSize
}
