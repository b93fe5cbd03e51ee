package cli

import (
	"fmt"
	"strings"

	"botwork/internal/author/strictyaml"
)

func NotOneOf(flag, got string, want []string) error {
	return &UsageError{Message: fmt.Sprintf("--%s: got %q, want one of %s", flag, got, strings.Join(want, ", ")), Hint: strictyaml.Suggest(got, want)}
}

// ParsePairs reads the values of --meta; no pairs are nil.
func ParsePairs(texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	pairs := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, Usagef("--meta: got %q, want KEY=VALUE", text)
		}
		if other, twice := pairs[key]; twice && other != value {
			return nil, Usagef("--meta: got %s=%s and %s=%s, but a key may have only one value", key, other, key, value)
		}
		pairs[key] = value
	}
	return pairs, nil
}
