package sqlstore

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gorm.io/gorm/clause"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// labelled returns the conditions of the filter on labels. The names and values are parameters that
// engines compare with those in the column, so no character has a meaning in them.
func (s *itemLists) labelled(f *workqueue.ItemFilter) (all []clause.Expression) {
	add := func(text string, vars map[string]any) {
		vars["column"], vars["object"] = column("Labels"), flatObject
		all = append(all, clause.NamedExpr{SQL: text, Vars: []any{vars}})
	}
	for _, name := range f.HasLabels {
		add(s.engine.dialect().hasLabel, map[string]any{"name": clean(name), "part": clean(name)})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Labels)) {
		add(s.engine.dialect().labelIs, labelVars(clean(name), clean(f.Labels[name])))
	}
	return all
}

// labelVars returns the parameters of labelIs.
func labelVars(name, value string) map[string]any {
	vars := map[string]any{"name": name, "text": value, "part": value, "number": nil, "literal": nil}
	if value == "true" || value == "false" {
		vars["literal"] = value
	}
	// Rows that users write may have another notation of a number, so it is compared as a number, and its text
	// may be missing from the row.
	if f, err := strconv.ParseFloat(value, 64); err == nil && matching.Number(f).Plain() == value {
		vars["number"], vars["literal"], vars["part"] = value, value, name
	}
	return vars
}

// flatObject is the pattern of a JSON object of texts, numbers and booleans. PostgreSQL has no test whether a
// text is JSON before version 16, and its cast would fail the whole list for one bad row. The pattern also
// refuses the escapes that the cast refuses: NUL and halves of surrogate pairs.
var flatObject = func() string {
	text := `"(?:[^"\\\u0001-\u001F]|\\["\\/bfnrt]|\\u(?:[1-9a-cA-CeEfF]HHH|[dD][0-7]HH|0[1-9a-fA-F]HH|00[1-9a-fA-F]H|000[1-9a-fA-F]|[dD][89abAB]HH\\u[dD][c-fC-F]HH))*"`
	text = strings.ReplaceAll(text, "H", "[0-9a-fA-F]")
	pair := text + `\s*:\s*(?:` + text + `|true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?)`
	return `^\s*\{\s*(?:` + pair + `\s*(?:,\s*(?=")|(?=\})))*\}\s*$` // with pair only once, it is twice as fast
}()
