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

// mostSeparator is how many signs a separator of natural keys may have.
const mostSeparator = 20

// learnBy reads for which items of the pipeline durations are learned by
// themselves, and returns the separator.
func (c *compilation) learnBy(n *strictyaml.Node) string {
	if !given(n) {
		return ""
	}
	var raw rawLearnBy
	c.findings = append(c.findings, n.Decode(&raw)...)
	return value(c, raw.KeyPrefix, func(separator string) string {
		switch {
		case strings.TrimSpace(separator) == "":
			return fmt.Sprintf("got %q, want what ends the beginning of a natural key, such as \":\"", separator)
		case utf8.RuneCountInString(separator) > mostSeparator:
			return fmt.Sprintf("got %d signs, want %d at most", utf8.RuneCountInString(separator), mostSeparator)
		}
		return ""
	})
}
