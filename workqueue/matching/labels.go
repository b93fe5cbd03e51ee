package matching

import (
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"
)

// The labels that every worker has automatically: the id of its row, and its name as
// text. Its settings cannot override them.
const (
	WorkerID   = "Id"
	WorkerName = "Name"
)

// MaxLabels is the maximum number of labels of an item or a worker.
const MaxLabels = 100

// maxKey bounds a label's key, in characters.
const maxKey = 100

// labelKey matches a valid key of a label.
var labelKey = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}_.-]*$`)

const wantedKey = "a letter or _, then letters, digits, _ - and ., at most 100 characters"

// Labels are values by key. Keys that differ in case are different.
type Labels map[string]Value

// ParseLabels reads labels from a JSON object; "" and null are no labels. An error
// contains every fault. The valid labels are returned in addition to the error, so
// that a mistake in a row edited by hand affects only the label that has it.
func ParseLabels(s string) (Labels, error) {
	if s == "" {
		return nil, nil
	}
	v, err := parseJSON(s)
	if err != nil {
		return nil, err
	}
	return DecodeLabels(v)
}

// DecodeLabels is ParseLabels for decoded JSON or YAML.
func DecodeLabels(v any) (Labels, error) {
	var c collector
	labels := c.labels(nil, v)
	return labels, c.err()
}

func (c *collector) labels(path []string, v any) Labels {
	if v == nil {
		return nil
	}
	written, ok := v.(map[string]any)
	if !ok {
		c.add(path, "got %s, want a mapping from keys to values", kindOf(v))
		return nil
	}
	if len(written) > MaxLabels {
		c.add(path, "got %d labels, want at most %d", len(written), MaxLabels)
		return nil
	}
	labels := make(Labels, len(written))
	for _, key := range slices.Sorted(maps.Keys(written)) {
		value, err := ValueOf(written[key])
		if !goodKey(key) {
			c.add(under(path, key), "got the key %.40q, want %s", key, wantedKey)
			continue
		}
		if err != nil {
			c.add(under(path, key), "%v", err)
			continue
		}
		labels[key] = value
	}
	return labels
}

func goodKey(key string) bool {
	return labelKey.MatchString(key) && utf8.RuneCountInString(key) <= maxKey
}

// Validate checks labels that were not decoded. It returns all faults at once, as
// Faults.
func (l Labels) Validate() error {
	plain := make(map[string]any, len(l))
	for key, value := range l {
		plain[key] = value.Any()
	}
	_, err := DecodeLabels(plain)
	return err
}

// WorkerLabels returns the labels of a worker: its own and the automatic ones, which
// override them. The own labels stay unchanged.
func WorkerLabels(id int64, name string, own Labels) Labels {
	labels := make(Labels, len(own)+2)
	maps.Copy(labels, own)
	labels[WorkerID] = Number(float64(id))
	labels[WorkerName] = Text(name)
	return labels
}

// Or adds the labels of the fallback that l does not have. It changes neither.
func (l Labels) Or(fallback Labels) Labels {
	if len(l) == 0 {
		return fallback
	}
	if len(fallback) == 0 {
		return l
	}
	merged := maps.Clone(fallback)
	maps.Copy(merged, l)
	return merged
}

// Any returns the labels as plain Go values.
func (l Labels) Any() map[string]any {
	plain := make(map[string]any, len(l))
	for key, value := range l {
		plain[key] = value.Any()
	}
	return plain
}

// JSON returns the labels in the order of their keys, as the database stores them; ""
// if there are none. Equal labels give equal texts.
func (l Labels) JSON() string {
	if len(l) == 0 {
		return ""
	}
	return canonical(map[string]Value(l))
}
