package dashboard

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// choice is an option of a list of the form.
type choice struct {
	Value, Text string
	Chosen      bool
}

// Choices returns the options for a condition: the known values, and what the filter has besides, such as several
// statuses together.
func (v itemsPage) Choices(name string, known []string) []choice {
	chosen := strings.Join(v.Filter[name], ",")
	if chosen != "" && !slices.Contains(known, chosen) {
		known = append(slices.Clone(known), chosen)
	}
	var all []choice
	for _, value := range known {
		all = append(all, choice{value, strings.ReplaceAll(value, ",", ", "), value == chosen})
	}
	return all
}

// Each returns the values of a condition that may be repeated, and an empty one for another.
func (v itemsPage) Each(name string) []string {
	return append(slices.Clone(v.Filter[name]), "")
}

// Is reports whether a condition without a value holds.
func (v itemsPage) Is(name string) bool {
	yes, err := strconv.ParseBool(v.Filter.Get(name))
	return err == nil && yes
}

// Kept is what the form has no field for, and keeps.
func (v itemsPage) Kept() url.Values {
	kept := values("sort", v.Sort)
	for _, name := range []string{"lifecycle", "state"} {
		for _, value := range v.Filter[name] {
			kept.Add(name, value)
		}
	}
	return kept
}

// timeField is a field of the form for a time.
type timeField struct{ Name, Title string }

// Times are the fields for times besides the first one.
func (itemsPage) Times() []timeField {
	return []timeField{
		{"createdUntil", "Created before"}, {"dueSince", "Due since"}, {"dueUntil", "Due before"}, {"startedSince", "Started since"}, {"startedUntil", "Started before"},
		{"finishedSince", "Finished since"}, {"finishedUntil", "Finished before"}, {"failedSince", "Failed since"}, {"failedUntil", "Failed before"},
		{"deadlineSince", "Deadline since"}, {"deadlineUntil", "Deadline before"},
	}
}
