package matching

import (
	"maps"
	"strings"
	"unicode/utf8"
)

// WorkerBroken is the automatic label of a worker whose pipeline files have faults:
// the names of those pipelines.
const WorkerBroken = "BrokenPipelines"

// AutomaticLabel reports whether a worker sets the label of this key itself.
func AutomaticLabel(key string) bool {
	return key == WorkerID || key == WorkerName || key == WorkerBroken
}

const brokenSeparator = ", "

// WithBroken returns a worker's labels with these broken pipelines, or without the
// label if there are none. Names that do not fit into the label are left out. The
// labels themselves stay unchanged.
func (l Labels) WithBroken(names []string) Labels {
	next := make(Labels, len(l)+1)
	maps.Copy(next, l)
	delete(next, WorkerBroken)
	var list strings.Builder
	count := 0
	for _, name := range names {
		if list.Len() > 0 {
			name = brokenSeparator + name
		}
		if count += utf8.RuneCountInString(name); count > maxText {
			break
		}
		list.WriteString(name)
	}
	if list.Len() == 0 || len(next) >= MaxLabels {
		return next
	}
	next[WorkerBroken] = Text(list.String())
	return next
}

// Broken returns the pipelines that a worker's labels name as broken.
func (l Labels) Broken() []string {
	value, ok := l[WorkerBroken]
	if !ok || value.kind != text || value.text == "" {
		return nil
	}
	return strings.Split(value.text, brokenSeparator)
}
