package sqlstore

import (
	"encoding/json"
	"maps"
	"slices"

	"gorm.io/gorm/clause"
)

// Tags are stored as a JSON array of strings, metadata as a JSON object of strings, both
// without spaces and escaped as by encoding/json, so that a search for a part of the text
// finds them on every engine. A quote inside a value is escaped, so no value can look like
// a tag or a pair.

// tagTexts are the pieces of JSON that tags leave in their column.
func tagTexts(tags []string) []string {
	texts := make([]string, len(tags))
	for i, tag := range tags {
		texts[i] = quoted(tag)
	}
	return texts
}

// metadataTexts are the pieces of JSON that pairs leave in their column.
func metadataTexts(pairs map[string]string) []string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		texts = append(texts, quoted(key)+":"+quoted(pairs[key]))
	}
	return texts
}

func quoted(text string) string {
	json, err := json.Marshal(clean(text))
	if err != nil {
		return `""` // a string always has JSON
	}
	return string(json)
}

// holding are the conditions that a column holds each of the texts.
func (s *Store) holding(name string, texts []string) []clause.Expression {
	all := make([]clause.Expression, len(texts))
	for i, text := range texts {
		all[i] = clause.Expr{SQL: s.engine.dialect().contains, Vars: []any{column(name), text}}
	}
	return all
}
