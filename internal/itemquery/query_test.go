package itemquery_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/itemquery"
	"botwork/workqueue"
)

func TestFilter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	low := 1200
	q := itemquery.Query{
		Statuses: []string{"pending,business-error", "Failed"}, Queue: "mail", Tags: []string{"a,b", "c"}, AllTags: true, Meta: []string{"k=v=w"}, MetaLike: []string{"c=Ada*"},
		Labels: []string{"gpu=true", "site", "note=a=b", "empty="}, Band: "HIGH", MinPriority: &low, ErrorKinds: []string{"timeout"}, Times: map[string]string{"failedSince": "06:00", "createdUntil": "2026-02-01"}, Payload: "amount > 1",
	}
	got, faults := q.Filter(itemquery.Options{Now: now, Zone: time.UTC})
	if len(faults) > 0 {
		t.Fatal(faults[0])
	}
	if got.Payload == nil {
		t.Error("got no filter by payload")
	}
	got.Payload = nil
	want := workqueue.ItemFilter{
		Statuses: []workqueue.Status{workqueue.StatusPending, workqueue.StatusBusinessError, workqueue.StatusFailed}, QueueName: "mail", TagsAll: []string{"a,b", "c"},
		Metadata: map[string]string{"k": "v=w"}, MetadataBegins: map[string]string{"c": "Ada"},
		Labels: map[string]string{"gpu": "true", "note": "a=b", "empty": ""}, HasLabels: []string{"site"}, Band: workqueue.Band{Min: 1200, Max: 1<<31 - 1}, ErrorKinds: []workqueue.ErrorKind{"timeout"},
		Failed: workqueue.TimeRange{Since: now.Add(-6 * time.Hour)}, Created: workqueue.TimeRange{Until: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("filter (-want +got):\n%s", diff)
	}
}

// All faults come at once, each with its field.
func TestFaults(t *testing.T) {
	low, high := 10, 5
	q := itemquery.Query{
		Statuses: []string{"pendign"}, Lifecycles: []string{"x"}, States: []string{"y"}, AllTags: true, Meta: []string{"m"}, MetaLike: []string{"a=*b*"}, Labels: []string{"=x", "gpu=a", "gpu=b"}, ErrorKinds: []string{"z"},
		MinPriority: &low, MaxPriority: &high, Times: map[string]string{"dueSince": "soon", "startedSince": "2026-02-01", "startedUntil": "2026-01-01"}, Payload: "amount >",
	}
	_, faults := q.Filter(itemquery.Options{Zone: time.UTC})
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
		if !strings.Contains(f.Message, f.Field) {
			t.Errorf("the message %q does not name %s", f.Message, f.Field)
		}
	}
	want := []string{"allTags", "payload", "state", "lifecycle", "status", "meta", "metaLike", "label", "label", "errorKind", "dueSince", "startedSince", "minPriority"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if faults[4].Hint == "" {
		t.Error("a mistyped status has no suggestion")
	}
	q = itemquery.Query{Tags: []string{""}}
	_, faults = q.Filter(itemquery.Options{Zone: time.UTC, Written: func(field string) bool { return field == "queue" || field == "createdSince" }})
	if len(faults) != 3 {
		t.Errorf("empty texts: got the faults %v, want queue, createdSince and tag", faults)
	}
}
