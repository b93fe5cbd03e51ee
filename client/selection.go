package client

import (
	"bytes"
	"encoding/json"
	"net/url"
	"time"
)

// Selection selects items by all of its fields together; the zero value of a field means any. The
// zero Selection selects all items.
type Selection struct {
	Status      []string `json:"status,omitempty"` // such as retry or business-error
	Lifecycle   []string `json:"lifecycle,omitempty"`
	State       []string `json:"state,omitempty"`
	Queue       string   `json:"queue,omitempty"`
	Pipeline    string   `json:"pipeline,omitempty"`
	Worker      string   `json:"worker,omitempty"`  // that holds the item or ran it
	Key         string   `json:"key,omitempty"`     // the natural key
	KeyPart     string   `json:"keyPart,omitempty"` // a part of it, in any case
	Task        string   `json:"task,omitempty"`
	Tag         []string `json:"tag,omitempty"`      // has any of these
	AllTags     bool     `json:"allTags,omitempty"`  // has all of Tag
	Meta        []string `json:"meta,omitempty"`     // KEY=VALUE, all of them
	MetaLike    []string `json:"metaLike,omitempty"` // KEY=Ada*
	Label       []string `json:"label,omitempty"`    // NAME=VALUE, or NAME for any value; all of them
	Band        string   `json:"band,omitempty"`     // high, medium or low
	ErrorKind   []string `json:"errorKind,omitempty"`
	Error       string   `json:"error,omitempty"`   // part of the last failure, in any case
	Payload     string   `json:"payload,omitempty"` // an expression such as amount > 1000
	Deleted     bool     `json:"deleted,omitempty"` // include deleted items
	MinPriority *int     `json:"minPriority,omitempty"`
	MaxPriority *int     `json:"maxPriority,omitempty"`

	// From the first time on, and before the second.
	CreatedSince  time.Time `json:"createdSince,omitzero"`
	CreatedUntil  time.Time `json:"createdUntil,omitzero"`
	DueSince      time.Time `json:"dueSince,omitzero"`
	DueUntil      time.Time `json:"dueUntil,omitzero"`
	StartedSince  time.Time `json:"startedSince,omitzero"`
	StartedUntil  time.Time `json:"startedUntil,omitzero"`
	FinishedSince time.Time `json:"finishedSince,omitzero"`
	FinishedUntil time.Time `json:"finishedUntil,omitzero"`
	FailedSince   time.Time `json:"failedSince,omitzero"` // ended as Failed or Business error
	FailedUntil   time.Time `json:"failedUntil,omitzero"`
	DeadlineSince time.Time `json:"deadlineSince,omitzero"` // of items that have not started
	DeadlineUntil time.Time `json:"deadlineUntil,omitzero"`
}

// query returns the selection as parameters.
func (s *Selection) query() (url.Values, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	values := url.Values{}
	for name, value := range fields {
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				values.Add(name, one.(string)) // all lists are of texts
			}
		case bool:
			values.Set(name, "true")
		case json.Number:
			values.Set(name, v.String())
		case string:
			values.Set(name, v)
		}
	}
	return values, nil
}
