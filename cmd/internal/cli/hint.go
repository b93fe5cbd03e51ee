package cli

import (
	"path/filepath"
	"strings"
)

// CommandIn is how a person whose working folder is dir starts this program, for a line that is
// shown to be copied. A program that was found on the path has its bare name. One that was
// started as ./botwork, as `make run` does, is found from dir. An absolute name may be that of a
// passing file (go run makes one), so the name of the documents is used.
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

// QuotePath puts a path with signs that a shell would take apart in quotes.
func QuotePath(path string) string {
	if strings.ContainsAny(path, " '&();") {
		return `"` + path + `"`
	}
	return path
}
