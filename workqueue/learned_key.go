package workqueue

import (
	"strings"
	"unicode/utf16"
)

// DurationKind is what a learned duration is of.
type DurationKind string

// The kinds, in the order in which an estimate asks for them last.
const (
	OfPipeline DurationKind = "pipeline" // all items that run it
	OfTask     DurationKind = "task"     // the items that a task has made
	OfKey      DurationKind = "key"      // items whose natural keys begin alike
)

// DurationKinds lists the kinds.
func DurationKinds() []DurationKind { return []DurationKind{OfPipeline, OfTask, OfKey} }

// DurationKey names runs that are likely to take as long as one another.
type DurationKey struct {
	Kind DurationKind

	// Pipeline is a name; "" for a task whose pipeline stands in its items. A
	// task that gets another pipeline is learned anew.
	Pipeline string

	// Name is the task's, or the beginning of the natural keys; "" for OfPipeline.
	Name string
}

// The lengths of the columns of a key, in UTF-16 units.
const durationPipelineLen, durationNameLen = 200, 400

// DurationKeys lists what a run of an item teaches something about: its pipeline
// unless that stands in the item itself, its task, and the beginning of its
// natural key where the pipeline says how far that goes.
func DurationKeys(integrationConfig, task, naturalKey string, p Profile) []DurationKey {
	pipeline := DurationPipeline(integrationConfig)
	var keys []DurationKey
	if pipeline != "" {
		keys = append(keys, DurationKey{Kind: OfPipeline, Pipeline: pipeline})
	}
	if task = durationName(task, durationNameLen); task != "" {
		keys = append(keys, DurationKey{Kind: OfTask, Pipeline: pipeline, Name: task})
	}
	if prefix := p.keyPrefix(naturalKey); pipeline != "" && prefix != "" {
		keys = append(keys, DurationKey{Kind: OfKey, Pipeline: pipeline, Name: prefix})
	}
	return keys
}

// InlinePipeline tells whether an IntegrationConfig is a whole pipeline and not
// the name of one: it begins with a brace, has more than one line or holds
// "steps:". Blanks around it do not count.
func InlinePipeline(integrationConfig string) bool {
	text := strings.TrimSpace(integrationConfig)
	return strings.HasPrefix(text, "{") || strings.Contains(text, "\n") || strings.Contains(text, "steps:")
}

// DurationPipeline returns the name in an IntegrationConfig; "" when it has none.
func DurationPipeline(integrationConfig string) string {
	if InlinePipeline(integrationConfig) {
		return ""
	}
	return durationName(integrationConfig, durationPipelineLen)
}

// keyPrefix is a natural key up to its first separator; "" when it has none.
func (p Profile) keyPrefix(naturalKey string) string {
	if p.KeySeparator == "" {
		return ""
	}
	prefix, _, found := strings.Cut(naturalKey, p.KeySeparator)
	if !found {
		return ""
	}
	return durationName(prefix, durationNameLen)
}

// durationName is a name as its column holds it on every engine. Most are so
// already, and that is quickly seen: a pass asks for each item.
func durationName(name string, most int) string {
	name = strings.TrimSpace(name)
	if plain(name) && len(name) <= most {
		return name
	}
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD")
	for at, r := range name {
		if most -= utf16.RuneLen(r); most < 0 {
			return strings.TrimSpace(name[:at])
		}
	}
	return name
}

// plain tells that a text has only letters, digits and signs of ASCII.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
