package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"botwork/pipelines"
)

// settingValues returns the values of the settings, of all environments, below a path.
func (sc *scope) settingValues(path ...string) []symbol {
	names := map[string]bool{}
	for _, v := range sc.v.project.Values {
		fields, _ := valueAt(v, path).(map[string]any)
		for name, value := range fields {
			names[name] = names[name] || value != nil
		}
	}
	var list []symbol
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] {
			list = append(list, sc.settingValue(slices.Concat(path, []string{name})))
		}
	}
	return list
}

// settingValue describes a value: its type in the first environment that sets it, and what it is in
// each of them.
func (sc *scope) settingValue(path []string) symbol {
	key := path[len(path)-1]
	s := symbol{name: key, kind: kindConstant}
	var lines []string
	for _, v := range sc.v.project.Values {
		value := valueAt(v, path)
		if s.typ == "" {
			s.typ = valueType(value)
		}
		if _, isMapping := value.(map[string]any); isMapping {
			s.members = func() []symbol { return sc.settingValues(path...) }
		}
		lines = append(lines, fmt.Sprintf("- %s: %s", v.File, shownValue(key, value)))
	}
	s.doc = "a value of the settings:\n\n" + strings.Join(lines, "\n")
	return s
}

func valueAt(v pipelines.Values, path []string) any {
	var at any = v.Data
	for _, name := range path {
		fields, _ := at.(map[string]any)
		at = fields[name]
	}
	return at
}

// shownValue is a value in Markdown.
func shownValue(key string, value any) string {
	const most = 80
	data, err := json.Marshal(value)
	text := string(data)
	switch {
	case value == nil:
		return "not set"
	case err != nil || pipelines.LooksSecret(key, fmt.Sprint(value)):
		return "`<secret>`"
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return "`" + strings.ReplaceAll(text, "`", "'") + "`"
}

func valueType(value any) string {
	switch value.(type) {
	case nil:
		return ""
	case string:
		return "text"
	case bool:
		return "true or false"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	default:
		return "number"
	}
}
