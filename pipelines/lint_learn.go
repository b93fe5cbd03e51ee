package pipelines

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

type rawLearnBy struct {
	KeyPrefix *strictyaml.Node `yaml:"keyPrefix,required"`
}

// mostSeparator is the maximum length, in characters, of a separator of natural keys.
const mostSeparator = 20

// learnBy reads by which part of natural keys durations are learned, and returns the
// separator.
func (c *compilation) learnBy(n *strictyaml.Node) string {
	if !n.HasValue() {
		return ""
	}
	var raw rawLearnBy
	c.Decode(n, &raw)
	return strictyaml.Value(&c.Reader, raw.KeyPrefix, func(separator string) string {
		switch {
		case strings.TrimSpace(separator) == "":
			return fmt.Sprintf("got %q, want a separator such as \":\"", separator)
		case utf8.RuneCountInString(separator) > mostSeparator:
			return fmt.Sprintf("got %d characters, want at most %d", utf8.RuneCountInString(separator), mostSeparator)
		}
		return ""
	})
}
