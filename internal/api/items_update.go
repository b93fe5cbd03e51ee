package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/newitems"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// Change is a new value in a request: it may be missing, or null.
type Change[T any] struct {
	Value T
	Set   bool // it is in the request
	Null  bool
}

// Schema implements huma.SchemaProvider.
func (Change[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	s.Nullable = s.Type != ""
	return &s
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Change[T]) UnmarshalJSON(text []byte) error {
	c.Set = true
	if c.Null = string(text) == "null"; c.Null {
		return nil
	}
	return json.Unmarshal(text, &c.Value)
}

// UpdateBody holds new values of items.
type UpdateBody struct {
	Queue             string                  `json:"queue,omitempty" minLength:"1" doc:"move the item to this queue"`
	Priority          *int                    `json:"priority,omitempty" doc:"the queue's offset is added"`
	At                string                  `json:"at,omitempty" minLength:"1" doc:"not before this time"`
	In                string                  `json:"in,omitempty" minLength:"1" doc:"not before this duration has passed; 0s: now"`
	Deadline          Change[string]          `json:"deadline,omitzero" doc:"cancel the item if it has not started by this time; null: never"`
	DeadlineIn        string                  `json:"deadlineIn,omitempty" minLength:"1" doc:"the same, after this duration"`
	FinishBy          Change[string]          `json:"finishBy,omitzero" doc:"end the item at this time; null: never"`
	FinishIn          string                  `json:"finishIn,omitempty" minLength:"1" doc:"the same, after this duration"`
	EstimatedDuration Change[string]          `json:"estimatedDuration,omitzero" doc:"how long a run is expected to take; null: unknown"`
	Payload           Change[json.RawMessage] `json:"payload,omitzero" doc:"any JSON value; null: none"`
	Resilience        Change[json.RawMessage] `json:"resilience,omitzero" doc:"the whole retry policy; null: the pipeline's"`
	LimitKey          Change[string]          `json:"limitKey,omitzero" doc:"the key for the queue's limits per key; null: none"`
	AddTags           []string                `json:"addTags,omitempty" nullable:"false"`
	RemoveTags        []string                `json:"removeTags,omitempty" nullable:"false"`
	Metadata          map[string]string       `json:"metadata,omitempty" doc:"pairs to set; others stay"`
	RemoveMetadata    []string                `json:"removeMetadata,omitempty" nullable:"false" doc:"keys"`
	Labels            json.RawMessage         `json:"labels,omitempty" doc:"an object of labels to set; others stay"`
	RemoveLabels      []string                `json:"removeLabels,omitempty" nullable:"false" doc:"keys"`
	Selectors         Change[json.RawMessage] `json:"selectors,omitzero" doc:"a list that replaces all selectors; null: none"`
}

// updateReader reads the new values, and collects their faults.
type updateReader struct {
	location string
	faults   []Fault
}

func (r *updateReader) fault(field string, err error) {
	if err != nil {
		r.faults = append(r.faults, Fault{Location: r.location + "." + field, Message: field + ": " + err.Error()})
	}
}

// itemUpdate returns the update that a request describes. All faults are returned at once, below the
// location.
func (a *API) itemUpdate(ctx context.Context, b *UpdateBody, noCheck bool, location string) (*workqueue.ItemUpdate, error) {
	r := &updateReader{location: location}
	u := &workqueue.ItemUpdate{
		Queue: b.Queue, Priority: b.Priority, AddTags: b.AddTags, RemoveTags: b.RemoveTags, Metadata: b.Metadata, RemoveMetadata: b.RemoveMetadata, RemoveLabels: b.RemoveLabels,
	}
	r.times(b, u)
	r.values(b, u)
	if len(r.faults) == 0 {
		if err := u.Validate(); err != nil {
			r.faults = faultsAt(location, ".", err)
		}
	}
	if len(r.faults) > 0 {
		p := problem(http.StatusUnprocessableEntity, "invalid-update", "the new values are not valid")
		p.Errors = r.faults
		return nil, p
	}
	if refused := mayReach(ctx, u, location+".queue"); refused != nil {
		return nil, refused
	}
	if u.Payload != nil {
		checker, err := a.itemChecker(noCheck)
		if err != nil {
			return nil, err
		}
		at := newitems.Place{File: "payload"}
		u.CheckPayload = func(integrationConfig string, payload workqueue.JSONText) error {
			return checker.CheckPayload(integrationConfig, payload, at).Err()
		}
	}
	return u, nil
}

// exclusive refuses two fields of which only one may be given.
func (r *updateReader) exclusive(one, other string, both bool) {
	if both {
		r.faults = append(r.faults, Fault{Location: r.location + "." + other, Message: "got " + one + " and " + other + ", want one of them"})
	}
}

func (r *updateReader) times(b *UpdateBody, u *workqueue.ItemUpdate) {
	r.exclusive("at", "in", b.At != "" && b.In != "")
	r.exclusive("deadline", "deadlineIn", b.Deadline.Set && b.DeadlineIn != "")
	r.exclusive("finishBy", "finishIn", b.FinishBy.Set && b.FinishIn != "")
	for _, f := range []struct {
		field string
		value Change[string]
		to    **time.Time
	}{{"at", Change[string]{Value: b.At, Set: b.At != ""}, &u.At}, {"deadline", b.Deadline, &u.Deadline}, {"finishBy", b.FinishBy, &u.FinishBy}} {
		switch {
		case f.value.Null:
			*f.to = &time.Time{}
		case f.value.Set:
			at, err := newitems.ParseTime(f.value.Value, time.UTC)
			r.fault(f.field, err)
			*f.to = &at
		}
	}
	for _, f := range []struct {
		field, text string
		to          **time.Duration
	}{{"in", b.In, &u.In}, {"deadlineIn", b.DeadlineIn, &u.DeadlineIn}, {"finishIn", b.FinishIn, &u.FinishIn}} {
		if f.text == "" {
			continue
		}
		d, err := newitems.ParseWait(f.text)
		r.fault(f.field, err)
		*f.to = &d
	}
}

func (r *updateReader) values(b *UpdateBody, u *workqueue.ItemUpdate) {
	switch {
	case b.EstimatedDuration.Null:
		u.Estimate = new(time.Duration(0))
	case b.EstimatedDuration.Set:
		d, err := newitems.ParseEstimate(b.EstimatedDuration.Value)
		r.fault("estimatedDuration", err)
		u.Estimate = &d
	}
	if b.Payload.Set {
		u.Payload = new(workqueue.JSONText(b.Payload.Value))
	}
	switch {
	case b.Resilience.Null:
		u.Resilience = new(workqueue.JSONText(""))
	case b.Resilience.Set:
		policy, err := newitems.Resilience(b.Resilience.Value)
		r.fault("resilience", err)
		u.Resilience = &policy
	}
	switch {
	case b.LimitKey.Null:
		u.LimitKey = new("")
	case b.LimitKey.Set && b.LimitKey.Value == "":
		r.faults = append(r.faults, Fault{Location: r.location + ".limitKey", Message: `limitKey: got "", want text; null removes it`})
	case b.LimitKey.Set:
		u.LimitKey = &b.LimitKey.Value
	}
	if len(b.Labels) > 0 && string(b.Labels) != "null" {
		labels, err := matching.ParseLabels(string(b.Labels))
		r.fault("labels", err)
		u.Labels = labels
	}
	switch {
	case b.Selectors.Null:
		u.Selectors = &[]matching.Selector{}
	case b.Selectors.Set:
		selectors, err := matching.ParseSelectors(string(b.Selectors.Value))
		r.fault("selectors", err)
		u.Selectors = &selectors
	}
}
