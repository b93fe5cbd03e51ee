package sqlstore

import (
	"encoding/json"
	"maps"
	"slices"

	"gorm.io/gorm/clause"
)

// Tags are stored as a JSON array of strings, metadata as a JSON object of strings. Both have
// no spaces and are escaped as by encoding/json, so a text search finds them on every engine.
// Quotes inside a value are escaped, so no value can look like a tag or a pair.

// tagTexts returns the JSON text of each tag.
func tagTexts(tags []string) []string {
	texts := make([]string, len(tags))
	for i, tag := range tags {
		texts[i] = quoted(tag)
	}
	return texts
}

// metadataTexts returns the JSON text of each pair.
func metadataTexts(pairs map[string]string) []string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		texts = append(texts, quoted(key)+":"+quoted(pairs[key]))
	}
	return texts
}

// metadataBeginnings returns the JSON text of the beginning of each pair.
func metadataBeginnings(pairs map[string]string) []string {
	texts := metadataTexts(pairs)
	for i := range texts {
		texts[i] = texts[i][:len(texts[i])-1] // the quote
	}
	return texts
}

func quoted(text string) string {
	json, err := json.Marshal(clean(text))
	if err != nil {
		return `""` // cannot happen: every string has a JSON form
	}
	return string(json)
}

// holding returns the conditions that a column contains each of the texts.
func (s *itemLists) holding(name string, texts []string) []clause.Expression {
	all := make([]clause.Expression, len(texts))
	for i, text := range texts {
		all[i] = clause.NamedExpr{SQL: s.engine.dialect().contains, Vars: []any{map[string]any{"column": column(name), "text": text}}}
	}
	return all
}
