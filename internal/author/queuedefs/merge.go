package queuedefs

import (
	"encoding/json"
	"fmt"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// Merge returns the settings of Change as Patch takes them: Patch with the result is Change with the
// settings. Change replaces a value as a whole, so parts of an object that are not given are null.
func Merge(q workqueue.Queue, settings []string) (map[string]json.RawMessage, error) {
	if _, err := Change(q, settings); err != nil {
		return nil, err
	}
	merged := map[string]json.RawMessage{}
	for _, setting := range settings {
		key, text, _ := strings.Cut(setting, "=")
		key = strings.TrimSpace(key)
		root, findings := strictyaml.Parse("command line", []byte("value: "+text+"\n"))
		if err := plainErrors(findings); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		value, err := json.Marshal(withParts(&q, key, root.Get("value").Any()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		merged[key] = value
	}
	return merged, nil
}

// withParts returns a value with null for each part that can be set alone and is not given.
func withParts(q *workqueue.Queue, path string, value any) any {
	object, ok := value.(map[string]any)
	if !ok || len(object) == 0 || !hasParts(path, object) {
		return value
	}
	all := map[string]any{}
	for _, part := range parts(q, path) {
		all[part] = nil
	}
	for part, value := range object {
		all[part] = withParts(q, path+"."+part, value)
	}
	return all
}

// parts returns the parts of a key that can be set alone: of retry and distribution, those that the
// queue has.
func parts(q *workqueue.Queue, path string) (names []string) {
	for key := range copyKey {
		if part, ok := strings.CutPrefix(key, path+"."); ok && !strings.Contains(part, ".") {
			names = append(names, part)
		}
	}
	for _, stored := range []struct {
		path string
		text workqueue.JSONText
	}{{"retry", q.Resilience}, {"distribution", q.Distribution}} {
		object := map[string]json.RawMessage{}
		if stored.path == path && json.Unmarshal([]byte(stored.text), &object) == nil {
			for part := range object {
				names = append(names, part)
			}
		}
	}
	return names
}
