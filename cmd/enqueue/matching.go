package enqueue

import (
	"strings"

	"botwork/cmd/internal/cli"
	"botwork/workqueue/matching"
)

// parseLabels reads labels as flags write them.
func parseLabels(texts []string) (matching.Labels, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	labels := make(matching.Labels, len(texts))
	for _, text := range texts {
		key, written, ok := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, cli.Usagef("--label: got %q, want KEY=VALUE", text)
		}
		value, err := matching.ParseValue(written)
		if err != nil {
			return nil, cli.Usagef("--label: got %q: %v", text, err)
		}
		if other, twice := labels[key]; twice && other != value {
			return nil, cli.Usagef("--label: got %s=%s and %s=%s, of which an item has one at most", key, other, key, value)
		}
		labels[key] = value
	}
	return labels, nil
}

// parseSelectors reads selectors as flags write them.
func parseSelectors(texts []string) ([]matching.Selector, error) {
	var selectors []matching.Selector
	for _, text := range texts {
		s, err := matching.ParseSelector(text)
		if err != nil {
			return nil, cli.Usagef("--selector: %v", err)
		}
		selectors = append(selectors, s)
	}
	return selectors, nil
}
