// Package filenames checks that a name can be the name of a file on every system, so that a project which was
// written on one can be copied to another.
package filenames

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLen is the longest name in bytes that the usual file systems allow.
const maxLen = 255

// Check returns an error if a file or a folder cannot have a name on Windows or on Unix. It has the form "got the
// name …: …, want …".
func Check(name string) error {
	wrong := func(what, want string) error { return fmt.Errorf("got the name %.100q: %s, want %s", name, what, want) }
	switch {
	case name == "" || name == "." || name == "..":
		return wrong("it names no file", "another name")
	case len(name) > maxLen:
		return wrong(fmt.Sprintf("it has %d bytes", len(name)), fmt.Sprintf("at most %d", maxLen))
	case !utf8.ValidString(name):
		return wrong("it is not UTF-8", "UTF-8")
	case strings.IndexFunc(name, forbidden) >= 0:
		return wrong(`Windows does not allow control characters and the characters < > : " / \ | ? * in names`, "a name without them")
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return wrong("Windows removes dots and spaces at the end", "a name that ends in another character")
	}
	// Windows ignores the extension, and spaces before it: "aux .old.yaml" is AUX.
	base, _, _ := strings.Cut(name, ".")
	if base = strings.TrimRight(base, " "); reserved(base) {
		return wrong(fmt.Sprintf("%s is a device on Windows", strings.ToUpper(base)), "another name")
	}
	return nil
}

// CheckPath checks each part of a relative path with slashes.
func CheckPath(path string) error {
	for part := range strings.SplitSeq(path, "/") {
		if err := Check(part); err != nil {
			return err
		}
	}
	return nil
}

// Same reports whether two names are names of one file on a system that ignores case, such as Windows.
func Same(a, b string) bool { return strings.EqualFold(a, b) }

func forbidden(r rune) bool {
	return r < ' ' || r == 0x7f || unicode.IsControl(r) || strings.ContainsRune(`<>:"/\|?*`, r)
}

// reserved reports whether a name without its extension is a device of Windows. COM¹ counts as COM1.
func reserved(base string) bool {
	name := strings.ToUpper(base)
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if number, ok := strings.CutPrefix(name, port); ok && utf8.RuneCountInString(number) == 1 && strings.Contains("0123456789¹²³", number) {
			return true
		}
	}
	return false
}
