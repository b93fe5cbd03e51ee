package cli

import (
	"path/filepath"
	"strings"
)

// CommandIn returns the command that starts this program from the folder dir, for printed
// command lines. For a program that was found in PATH it is the bare name. For one that was
// started as ./botwork, as `make run` does, it is the path relative to dir. An absolute path
// may be a temporary file (go run creates one), so "botwork" is used instead.
func CommandIn(dir, startedAs string) string {
	if filepath.Base(startedAs) == startedAs {
		return startedAs
	}
	rel, err := filepath.Rel(dir, startedAs)
	if filepath.IsAbs(startedAs) || err != nil {
		return "botwork"
	}
	if filepath.Base(rel) == rel {
		rel = "." + string(filepath.Separator) + rel
	}
	return QuotePath(rel)
}

// QuotePath quotes a path with characters that are special in a shell.
func QuotePath(path string) string {
	if strings.ContainsAny(path, " '&();") {
		return `"` + path + `"`
	}
	return path
}
