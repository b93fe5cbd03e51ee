package api

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"botwork/workqueue"
)

// namedQueues knows each field of a change that names a queue. A field whose name suggests one must be
// listed here, and namedQueues must return its value.
func TestNamedQueuesKnowsEachField(t *testing.T) {
	reaches := map[string]any{
		"NewItem.QueueName": &workqueue.NewItem{QueueName: "b"},
		"ItemUpdate.Queue":  &workqueue.ItemUpdate{Queue: "b"},
		"Rule.MoveTo":       queueChange{&workqueue.Queue{Name: "b"}, &workqueue.Queue{Name: "b", Escalation: `[{"name":"x","after":"1d","moveTo":"b"}]`}},
		"Queue.Name":        queueChange{&workqueue.Queue{}, &workqueue.Queue{Name: "b"}},
	}
	rule, _ := reflect.TypeFor[workqueue.Escalation]().FieldByName("Rule")
	for _, of := range []reflect.Type{reflect.TypeFor[workqueue.NewItem](), reflect.TypeFor[workqueue.ItemUpdate](), reflect.TypeFor[workqueue.Queue](), rule.Type} {
		for _, f := range reflect.VisibleFields(of) {
			name := of.Name() + "." + f.Name
			suggests := f.Type.Kind() == reflect.String && !f.Anonymous && (strings.Contains(f.Name, "Queue") || strings.HasSuffix(f.Name, "To"))
			if suggests && reaches[name] == nil {
				t.Errorf("%s may name a queue: add it to namedQueues and to this test", name)
			}
		}
	}
	for name, change := range reaches {
		if got := namedQueues(change); !slices.Contains(got, "b") {
			t.Errorf("%s: got %q, want b", name, got)
		}
	}
	if got := namedQueues(&workqueue.ItemUpdate{}); len(got) != 0 {
		t.Errorf("an update that moves nothing: got %q", got)
	}
}
