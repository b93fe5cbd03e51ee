package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// fileOf returns the file behind w; nil if there is none.
func fileOf(w io.Writer) *os.File {
	w = Raw(w)
	if checked, ok := w.(*CheckedWriter); ok {
		w = checked.To
	}
	file, _ := w.(*os.File)
	return file
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	file := fileOf(w)
	return file != nil && term.IsTerminal(int(file.Fd()))
}

// TerminalWidth returns the number of columns of the terminal w; 0 if w is not one.
func TerminalWidth(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	width, _, err := term.GetSize(int(fileOf(w).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// mayColor reports whether output to w may have colours: only a terminal, and only if the
// environment does not have NO_COLOR (https://no-color.org).
func mayColor(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && IsTerminal(w) }
