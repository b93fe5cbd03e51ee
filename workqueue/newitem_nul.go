package workqueue

import (
	"fmt"
	"strings"

	"botwork/workqueue/matching"
)

// nulFaults rejects texts that contain the character NUL (U+0000). PostgreSQL cannot
// store it, and a replacement could make two different keys equal.
func (it *NewItem) nulFaults() []error {
	var errs []error
	refuse := func(field, what, text string) {
		if i := strings.IndexByte(text, 0); i >= 0 {
			errs = append(errs, fault(field, "%s: got the character NUL (U+0000) at byte %d of %.40q, want text without it", what, i, text))
		}
	}
	refuse("naturalKey", "natural key", it.NaturalKey)
	refuse("limitKey", "limit key", it.LimitKey)
	refuse("pipeline", "pipeline", it.IntegrationConfig)
	refuse("", "created by", it.CreatedBy)
	refuse("", "task", it.TaskName)
	refuse("queue", "queue", it.QueueName)
	for _, tag := range it.Tags {
		refuse("tags", "tags", tag)
	}
	for key, value := range it.Metadata {
		refuse("metadata", "metadata", key)
		refuse("metadata", fmt.Sprintf("metadata %q", key), value)
	}
	refuseJSON := func(field, text, hint string) {
		if i := escapedNUL(text); i >= 0 {
			errs = append(errs, fault(field, `%s: got the character NUL (\u0000) at byte %d of its JSON, want text without it%s`, field, i, hint))
		}
	}
	if len(it.Labels) > 0 {
		refuseJSON("labels", it.Labels.JSON(), "")
	}
	if len(it.Selectors) > 0 {
		refuseJSON("selectors", matching.SelectorsJSON(it.Selectors), "")
	}
	refuseJSON("payload", string(it.Payload), "; hint: encode binary data, for example as base64")
	return errs
}

// escapedNUL finds the character NUL in a JSON text, raw or as the escape \u0000. It
// returns the offset of the first one; -1: there is none.
func escapedNUL(json string) int {
	if i := strings.IndexByte(json, 0); i >= 0 {
		return i
	}
	const escape = `\u0000`
	for from := 0; ; {
		i := strings.Index(json[from:], escape)
		if i < 0 {
			return -1
		}
		at := from + i
		slashes := 0
		for at-slashes > 0 && json[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at // else the backslash is itself escaped, and the text is u0000
		}
		from = at + len(escape)
	}
}
