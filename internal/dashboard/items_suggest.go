package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
)

// mostValues bounds the values that a field of the filter suggests.
const mostValues = 50

// suggested are values of the items of a list, as the fields of its filter take them. All tags, keys, labels and
// metadata of a large table are not known without reading it.
type suggested struct{ Keys, Tags, Labels, Meta, Tasks []string }

func suggestedBy(items []item) (s suggested) {
	add := func(to *[]string, value string) {
		if value != "" && len(*to) < mostValues && !slices.Contains(*to, value) {
			*to = append(*to, value)
		}
	}
	for i := range items {
		it := &items[i]
		add(&s.Keys, deref(it.NaturalKey))
		add(&s.Tasks, deref(it.TaskName))
		for _, tag := range it.Tags {
			add(&s.Tags, tag)
		}
		for _, pair := range pairsOf(it.Labels) {
			add(&s.Labels, pair)
		}
		for _, pair := range pairsOf(it.Metadata) {
			add(&s.Meta, pair)
		}
	}
	for _, one := range []*[]string{&s.Keys, &s.Tags, &s.Labels, &s.Meta, &s.Tasks} {
		slices.Sort(*one)
	}
	return s
}

// pairsOf writes the values of an object of texts, numbers and booleans as NAME=VALUE.
func pairsOf(object json.RawMessage) (pairs []string) {
	var values map[string]json.RawMessage
	if json.Unmarshal(object, &values) != nil {
		return nil
	}
	for name, value := range values {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		pairs = append(pairs, fmt.Sprintf("%s=%s", name, text))
	}
	slices.Sort(pairs)
	return pairs
}
