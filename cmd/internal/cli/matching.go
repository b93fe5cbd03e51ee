package cli

import (
	"strings"

	"botwork/workqueue/matching"
)

// ParseLabels parses the values of --label.
func ParseLabels(texts []string) (matching.Labels, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	labels := make(matching.Labels, len(texts))
	for _, text := range texts {
		key, written, ok := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, Usagef("--label: got %q, want KEY=VALUE", text)
		}
		value, err := matching.ParseValue(written)
		if err != nil {
			return nil, Usagef("--label: got %q: %v", text, err)
		}
		if other, twice := labels[key]; twice && other != value {
			return nil, Usagef("--label: got %s=%s and %s=%s, but a key may have only one value", key, other, key, value)
		}
		labels[key] = value
	}
	return labels, nil
}

// ParseSelectors parses the values of --selector.
func ParseSelectors(texts []string) ([]matching.Selector, error) {
	var selectors []matching.Selector
	for _, text := range texts {
		s, err := matching.ParseSelector(text)
		if err != nil {
			return nil, Usagef("--selector: %v", err)
		}
		selectors = append(selectors, s)
	}
	return selectors, nil
}
