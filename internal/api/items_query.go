package api

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/api/auth"
	"botwork/internal/itemquery"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// OptionalInt is a whole number that may be missing.
type OptionalInt struct {
	Value int
	Set   bool
}

// Schema implements huma.SchemaProvider.
func (OptionalInt) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int32", Minimum: new(float64(math.MinInt32)), Maximum: new(float64(math.MaxInt32))}
}

// Receiver implements huma.ParamWrapper.
func (o *OptionalInt) Receiver() reflect.Value { return reflect.ValueOf(o).Elem().Field(0) }

// OnParamSet implements huma.ParamReactor.
func (o *OptionalInt) OnParamSet(isSet bool, _ any) { o.Set = isSet }

// UnmarshalJSON implements json.Unmarshaler.
func (o *OptionalInt) UnmarshalJSON(text []byte) error {
	o.Set = true
	return json.Unmarshal(text, &o.Value)
}

func (o *OptionalInt) pointer() *int {
	if !o.Set {
		return nil
	}
	return &o.Value
}

// ItemSelection is a filter of items: the flags of `botwork items list`, as parameters or as JSON.
type ItemSelection struct {
	Status        []string    `query:"status,explode" json:"status,omitempty" nullable:"false" doc:"only these statuses: scheduled, pending, assigned, running, retry, succeeded, failed, business-error, expired, cancelled, deleted"`
	Lifecycle     []string    `query:"lifecycle,explode" json:"lifecycle,omitempty" nullable:"false" doc:"only these lifecycles: scheduled, pending, assigned, active, retry, completed, archived, deleted"`
	State         []string    `query:"state,explode" json:"state,omitempty" nullable:"false" doc:"only these states: names or numbers, or scheduled, retry, active, completed, archived"`
	Queue         string      `query:"queue" json:"queue,omitempty" minLength:"1" doc:"only this queue"`
	Pipeline      string      `query:"pipeline" json:"pipeline,omitempty" minLength:"1" doc:"only this pipeline"`
	Worker        string      `query:"worker" json:"worker,omitempty" minLength:"1" doc:"only items that this worker holds or ran"`
	Key           string      `query:"key" json:"key,omitempty" minLength:"1" doc:"only this natural key"`
	KeyPart       string      `query:"keyPart" json:"keyPart,omitempty" minLength:"1" doc:"only items whose natural key contains this text, in any case"`
	Task          string      `query:"task" json:"task,omitempty" minLength:"1" doc:"only items of this scheduled task"`
	Tag           []string    `query:"tag,explode" json:"tag,omitempty" nullable:"false" doc:"only items with any of these tags"`
	AllTags       bool        `query:"allTags" json:"allTags,omitempty" doc:"only items with all the tags"`
	Meta          []string    `query:"meta,explode" json:"meta,omitempty" nullable:"false" doc:"only items with all of this metadata, each KEY=VALUE"`
	MetaLike      []string    `query:"metaLike,explode" json:"metaLike,omitempty" nullable:"false" doc:"only items whose metadata matches each KEY=PATTERN: KEY=Ada* for values that begin with Ada, KEY=* for any value"`
	Label         []string    `query:"label,explode" json:"label,omitempty" nullable:"false" doc:"only items with all of these labels, each NAME=VALUE, or NAME for any value"`
	Band          string      `query:"band" json:"band,omitempty" minLength:"1" doc:"only one band: high (above 1000), medium (500 to 1000) or low (below 500)"`
	MinPriority   OptionalInt `query:"minPriority" json:"minPriority,omitzero" doc:"only this priority and above"`
	MaxPriority   OptionalInt `query:"maxPriority" json:"maxPriority,omitzero" doc:"only this priority and below"`
	Deleted       bool        `query:"deleted" json:"deleted,omitempty" doc:"include deleted items"`
	CreatedSince  string      `query:"createdSince" json:"createdSince,omitempty" minLength:"1" doc:"only items created since this time: RFC 3339, 06:00, yesterday, or 6h for six hours ago, in UTC"`
	CreatedUntil  string      `query:"createdUntil" json:"createdUntil,omitempty" minLength:"1" doc:"only items created before this time"`
	DueSince      string      `query:"dueSince" json:"dueSince,omitempty" minLength:"1" doc:"only items due since this time"`
	DueUntil      string      `query:"dueUntil" json:"dueUntil,omitempty" minLength:"1" doc:"only items due before this time"`
	StartedSince  string      `query:"startedSince" json:"startedSince,omitempty" minLength:"1" doc:"only items started since this time"`
	StartedUntil  string      `query:"startedUntil" json:"startedUntil,omitempty" minLength:"1" doc:"only items started before this time"`
	FinishedSince string      `query:"finishedSince" json:"finishedSince,omitempty" minLength:"1" doc:"only items finished since this time"`
	FinishedUntil string      `query:"finishedUntil" json:"finishedUntil,omitempty" minLength:"1" doc:"only items finished before this time"`
	FailedSince   string      `query:"failedSince" json:"failedSince,omitempty" minLength:"1" doc:"only items that ended as Failed or Business error since this time"`
	FailedUntil   string      `query:"failedUntil" json:"failedUntil,omitempty" minLength:"1" doc:"only items that ended as Failed or Business error before this time"`
	DeadlineSince string      `query:"deadlineSince" json:"deadlineSince,omitempty" minLength:"1" doc:"only items that have not started, with a deadline since this time"`
	DeadlineUntil string      `query:"deadlineUntil" json:"deadlineUntil,omitempty" minLength:"1" doc:"only items that have not started, with a deadline before this time"`
	ErrorKind     []string    `query:"errorKind,explode" json:"errorKind,omitempty" nullable:"false" doc:"only items whose last failure has one of these kinds"`
	Error         string      `query:"error" json:"error,omitempty" minLength:"1" doc:"only items whose last failure contains this text, in any case"`
	Payload       string      `query:"payload" json:"payload,omitempty" minLength:"1" doc:"only items whose payload matches this expression, such as amount > 1000 and customer == \"Ada\""`
}

func (s *ItemSelection) query() itemquery.Query {
	return itemquery.Query{
		Statuses: s.Status, Lifecycles: s.Lifecycle, States: s.State, Queue: s.Queue, Pipeline: s.Pipeline, Worker: s.Worker,
		Key: s.Key, KeyPart: s.KeyPart, Task: s.Task, Tags: s.Tag, AllTags: s.AllTags, Meta: s.Meta, MetaLike: s.MetaLike, Labels: s.Label, Band: s.Band,
		MinPriority: s.MinPriority.pointer(), MaxPriority: s.MaxPriority.pointer(), Deleted: s.Deleted, ErrorKinds: s.ErrorKind, ErrorPart: s.Error, Payload: s.Payload,
		Times: map[string]string{
			"createdSince": s.CreatedSince, "createdUntil": s.CreatedUntil, "dueSince": s.DueSince, "dueUntil": s.DueUntil,
			"startedSince": s.StartedSince, "startedUntil": s.StartedUntil, "finishedSince": s.FinishedSince, "finishedUntil": s.FinishedUntil,
			"failedSince": s.FailedSince, "failedUntil": s.FailedUntil, "deadlineSince": s.DeadlineSince, "deadlineUntil": s.DeadlineUntil,
		},
	}
}

// filter returns the filter for the caller. empty is true if it selects by nothing but the queues
// that the caller is bound to.
func (s *ItemSelection) filter(ctx context.Context, location string, written func(string) bool) (filter workqueue.ItemFilter, empty bool, err error) {
	q := s.query()
	filter, faults := q.Filter(itemquery.Options{Now: time.Now(), Zone: time.UTC, Written: written})
	if len(faults) > 0 {
		p := problem(http.StatusUnprocessableEntity, "invalid-filter", "the filter is not valid")
		for _, f := range faults {
			p.Errors = append(p.Errors, Fault{Location: location + "." + f.Field, Message: f.Message, Hint: f.Hint})
		}
		return filter, false, p
	}
	empty = reflect.ValueOf(filter).IsZero()
	q.Widen(&filter)
	if filter.Payload != nil && !seesEncrypted(ctx) {
		filter.Payload = filter.Payload.PlainOnly()
	}
	filter.QueueName, err = queueFor(ctx, filter.QueueName, location)
	return filter, empty, err
}

// queueFor returns the queue that a request is about. A caller that is bound to one queue need not
// name it; one that is bound to several must.
func queueFor(ctx context.Context, queue, location string) (string, error) {
	p := auth.From(ctx)
	switch {
	case queue != "":
		return queue, mayQueue(ctx, queue)
	case len(p.Queues) == 0:
		return "", nil
	case len(p.Queues) == 1:
		return p.Queues[0], nil
	default:
		refused := problem(http.StatusUnprocessableEntity, "queue-needed", "the caller is bound to %d queues, so the request must name one", len(p.Queues))
		refused.Errors = []Fault{{Location: location + ".queue", Message: fmt.Sprintf("got none, want one of %v", p.Queues)}}
		return "", refused
	}
}

// seesEncrypted reports whether the caller may see the payload, the output and the metadata of
// encrypted items.
func seesEncrypted(ctx context.Context) bool { return auth.From(ctx).Role.Includes(access.Editor) }

// SelectionQuery is the filter of items as parameters of a request.
type SelectionQuery struct {
	ItemSelection
	url url.URL
}

// Resolve implements huma.Resolver: it keeps the URL, which huma does not pass to the handler.
func (s *SelectionQuery) Resolve(ctx huma.Context) []error {
	s.url = ctx.URL()
	return nil
}

// listParameters may be repeated.
var listParameters = map[string]bool{"status": true, "lifecycle": true, "state": true, "tag": true, "meta": true, "metaLike": true, "label": true, "errorKind": true}

// selected returns the filter of the parameters. An empty one is refused, because an unset variable
// in a script must not select all items.
func (s *SelectionQuery) selected(ctx context.Context) (workqueue.ItemFilter, error) {
	values := s.url.Query()
	var faults []Fault
	for name, list := range values {
		switch {
		case len(list) > 1 && !listParameters[name]:
			faults = append(faults, Fault{Location: "query." + name, Message: fmt.Sprintf("got it %d times, want it once", len(list))})
		case len(list) == 1 && list[0] == "":
			faults = append(faults, Fault{Location: "query." + name, Message: "got an empty text; omit it to match any"})
		}
	}
	if len(faults) > 0 {
		p := problem(http.StatusUnprocessableEntity, "invalid-filter", "the parameters are not valid")
		p.Errors = faults
		return workqueue.ItemFilter{}, p
	}
	filter, _, err := s.filter(ctx, "query", func(field string) bool { return values.Has(field) })
	return filter, err
}

// pageAfter returns the relative URL of the same list with another cursor.
func (s *SelectionQuery) pageAfter(name string, id int64) string {
	values := s.url.Query()
	values.Set(name, strconv.FormatInt(id, 10))
	return s.url.Path + "?" + values.Encode()
}

// linkNext returns the Link header of a next page; "" if there is none.
func linkNext(next *string) string {
	if next == nil {
		return ""
	}
	return "<" + *next + `>; rel="next"`
}
