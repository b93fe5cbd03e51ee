package pipelines

import (
	"strings"
	"unicode"
)

// What pipelines and steps may be called, for editors and documents. The program
// itself goes through the signs: as programs of package regexp, the two hold 8 MB
// and cost each start of the program milliseconds, since a class of all letters
// stands in them a hundred times.
const (
	pipelinePattern = `^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$`
	stepPattern     = `^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,99}$`
)

const nameRule = "want letters, digits, spaces, dots, dashes and underscores, a letter or digit first, at most 100"

// isPipelineName tells whether a pipeline may be called that. Such a name cannot be
// mistaken for an inline pipeline, and stands in a column, a log line and a path as
// it is.
func isPipelineName(name string) bool { return isName(name, "") }

// isStepName tells whether a step may be called that.
func isStepName(name string) bool { return isName(name, "_") }

// isName tells whether a name is of at most 100 letters, digits and certain signs,
// the first of which is a letter, a digit or one of those in first.
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
