package cmd

import (
	"fmt"
	"strings"

	"botwork/internal/author/strictyaml"
)

func oneOf(flag, got string, want []string) error {
	return &usageError{fmt.Sprintf("--%s: got %q, want one of %s", flag, got, strings.Join(want, ", ")), strictyaml.Suggest(got, want)}
}

// parsePairs reads the values of --meta; no pairs are nil.
func parsePairs(texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	pairs := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, usagef("--meta: got %q, want KEY=VALUE", text)
		}
		if other, twice := pairs[key]; twice && other != value {
			return nil, usagef("--meta: got %s=%s and %s=%s, of which an item has one at most", key, other, key, value)
		}
		pairs[key] = value
	}
	return pairs, nil
}
