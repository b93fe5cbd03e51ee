package learned

import (
	"strings"
	"unicode/utf16"

	"botwork/workqueue"
)

// Kind is the kind of thing that a learned duration belongs to.
type Kind string

// The kinds, from the most general to the most specific. An estimate prefers the
// most specific one that has enough runs.
const (
	OfPipeline Kind = "pipeline" // all items that run it
	OfTask     Kind = "task"     // the items that a task created
	OfKey      Kind = "key"      // items whose natural keys begin alike
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{OfPipeline, OfTask, OfKey} }

// Key names a group of runs that are likely to take equally long.
type Key struct {
	Kind Kind

	// Pipeline is the pipeline's name; "" for a task whose items contain their
	// pipeline. A task that gets another pipeline starts to learn from zero.
	Pipeline string

	// Name is the task's name, or the beginning of the natural keys; "" for OfPipeline.
	Name string
}

// The lengths of the columns of a key, in UTF-16 units.
const pipelineLen, nameLen = 200, 400

// Keys lists the keys that a run of an item counts for: its pipeline unless the
// item contains it, its task, and the beginning of its natural key if the
// pipeline's profile has a separator.
func Keys(integrationConfig, task, naturalKey string, p workqueue.Profile) []Key {
	pipeline := Pipeline(integrationConfig)
	var keys []Key
	if pipeline != "" {
		keys = append(keys, Key{Kind: OfPipeline, Pipeline: pipeline})
	}
	if task = keyName(task, nameLen); task != "" {
		keys = append(keys, Key{Kind: OfTask, Pipeline: pipeline, Name: task})
	}
	if prefix := keyPrefix(naturalKey, p); pipeline != "" && prefix != "" {
		keys = append(keys, Key{Kind: OfKey, Pipeline: pipeline, Name: prefix})
	}
	return keys
}

// Pipeline returns the pipeline's name in an IntegrationConfig; "" if the config is
// a whole pipeline.
func Pipeline(integrationConfig string) string {
	if workqueue.InlinePipeline(integrationConfig) {
		return ""
	}
	return keyName(integrationConfig, pipelineLen)
}

// keyPrefix returns a natural key up to its first separator; "" if it has none.
func keyPrefix(naturalKey string, p workqueue.Profile) string {
	if p.KeySeparator == "" {
		return ""
	}
	prefix, _, found := strings.Cut(naturalKey, p.KeySeparator)
	if !found {
		return ""
	}
	return keyName(prefix, nameLen)
}

// keyName returns a name as its column stores it on every engine. A pass calls it
// for each item, so the common case, a short ASCII name, is checked first.
func keyName(name string, most int) string {
	name = strings.TrimSpace(name)
	if printableASCII(name) && len(name) <= most {
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

func printableASCII(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
