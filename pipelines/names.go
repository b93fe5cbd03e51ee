package pipelines

import (
	"strings"
	"unicode"
)

// The names of pipelines and steps as patterns, for editors and documents. The program
// itself checks the characters one by one: compiled with package regexp, the two patterns
// take 8 MB and several milliseconds at each start, because they contain the class of all
// letters a hundred times.
const (
	pipelinePattern = `^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$`
	stepPattern     = `^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,99}$`
)

const nameRule = "want letters, digits, spaces, dots, dashes and underscores, a letter or digit first, at most 100"

// isPipelineName reports whether a pipeline may have this name. Such a name cannot be
// mistaken for an inline pipeline, and needs no escaping in a column, a log line or a path.
func isPipelineName(name string) bool { return isName(name, "") }

// isStepName reports whether a step may have this name.
func isStepName(name string) bool { return isName(name, "_") }

// isName reports whether a name has at most 100 letters, digits and certain characters, and
// begins with a letter, a digit or one of the characters in first.
func isName(name, first string) bool {
	signs, count := first, 0
	for _, r := range name {
		if count++; count > 100 || !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune(signs, r) {
			return false
		}
		signs = " ._-"
	}
	return count > 0
}
