package remote

import (
	"reflect"
	"testing"
	"time"

	"botwork/client"
	"botwork/internal/itemquery"
	"botwork/workqueue"
)

// A filter that is written for the API and read by it selects the same items.
func TestSelectionOfFilters(t *testing.T) {
	now := time.Date(2026, 1, 31, 13, 45, 0, 123_000_000, time.UTC)
	low, high := 5, 900
	for name, q := range map[string]itemquery.Query{
		"nothing": {},
		"words": {
			Statuses: []string{"business-error", "retry"}, Queue: "mail", Pipeline: "hello", Worker: "w", Key: "k", KeyPart: "K%_", Task: "t",
			ErrorKinds: []string{"timeout"}, ErrorPart: "connection, refused",
		},
		"states":     {States: []string{"Ready,5"}},
		"lifecycles": {Lifecycles: []string{"active", "deleted"}},
		"any tag":    {Tags: []string{"a", "b,c"}, Meta: []string{"b=2", "a=1,2", "c="}, MetaLike: []string{"z=A*", "y=*"}},
		"labels":     {Labels: []string{"site=a=b", "gpu", "gpu=true", "empty=", "ram"}},
		"all tags":   {Tags: []string{"a", "b"}, AllTags: true},
		"priorities": {MinPriority: &low, MaxPriority: &high},
		"a band":     {Band: "high"},
		"payload":    {Payload: `amount > 1000 and customer == "Ada"`},
		"times": {Times: map[string]string{
			"createdSince": "6h", "createdUntil": "now", "dueSince": "2026-01-01", "dueUntil": "2026-01-02T10:00:00Z", "startedSince": "yesterday", "startedUntil": "today",
			"finishedSince": "7d", "finishedUntil": "1h", "failedSince": "06:00", "failedUntil": "07:00", "deadlineSince": "2026-01-31", "deadlineUntil": "2026-02-01",
		}},
		"deleted": {Queue: "mail", Deleted: true},
	} {
		read := func(q itemquery.Query) workqueue.ItemFilter {
			filter, faults := q.Filter(itemquery.Options{Now: now, Zone: time.UTC})
			if len(faults) > 0 {
				t.Fatalf("%s: %v", name, faults[0])
			}
			q.Widen(&filter)
			return filter
		}
		want := read(q)
		s := selectionOf(&want)
		if got := read(queryOf(&s)); got.Text() != want.Text() {
			t.Errorf("%s: got %s, want %s", name, got.Text(), want.Text())
		}
	}
	// A field that is added to filters must be written, too. CountAtMost selects nothing,
	// and FromID and LookAt are for lists of a server.
	if n := reflect.TypeFor[workqueue.ItemFilter]().NumField(); n != 32 {
		t.Errorf("a filter has %d fields, want 32: write the others in selectionOf", n)
	}
}

// queryOf reads a selection as the API does.
func queryOf(s *client.Selection) itemquery.Query {
	q := itemquery.Query{
		Statuses: s.Status, Lifecycles: s.Lifecycle, States: s.State, Queue: s.Queue, Pipeline: s.Pipeline, Worker: s.Worker, Key: s.Key, KeyPart: s.KeyPart, Task: s.Task,
		Tags: s.Tag, AllTags: s.AllTags, Meta: s.Meta, MetaLike: s.MetaLike, Labels: s.Label, Band: s.Band, MinPriority: s.MinPriority, MaxPriority: s.MaxPriority, Deleted: s.Deleted,
		ErrorKinds: s.ErrorKind, ErrorPart: s.Error, Payload: s.Payload, Times: map[string]string{},
	}
	for name, at := range map[string]time.Time{
		"createdSince": s.CreatedSince, "createdUntil": s.CreatedUntil, "dueSince": s.DueSince, "dueUntil": s.DueUntil, "startedSince": s.StartedSince,
		"startedUntil": s.StartedUntil, "finishedSince": s.FinishedSince, "finishedUntil": s.FinishedUntil, "failedSince": s.FailedSince, "failedUntil": s.FailedUntil,
		"deadlineSince": s.DeadlineSince, "deadlineUntil": s.DeadlineUntil,
	} {
		if !at.IsZero() {
			q.Times[name] = at.Format(time.RFC3339Nano)
		}
	}
	return q
}
