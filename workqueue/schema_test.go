package workqueue_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

const amountSchema = `{"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number"}}}`

func TestSchemas(t *testing.T) {
	queue := &workqueue.Queue{Name: "invoices", QueueSchemas: workqueue.QueueSchemas{
		PayloadSchema: amountSchema, OutputSchema: `{"type": "string"}`, AnalyticsSchema: `{"type": "objekt"}`,
	}}
	var schemas workqueue.Schemas
	tests := map[string]struct {
		err  error
		want *workqueue.SchemaError
	}{
		"fits":      {schemas.CheckPayload(queue, `{"amount": 1.5, "more": null}`), nil},
		"an output": {schemas.CheckOutput(queue, `"done"`), nil},
		"no schema": {schemas.CheckPayload(&workqueue.Queue{Name: "free"}, `anything at all`), nil},
		"every fault": {schemas.CheckPayload(&workqueue.Queue{Name: "q", QueueSchemas: workqueue.QueueSchemas{
			PayloadSchema: `{"properties": {"a": {"type": "string"}, "b": {"items": {"minimum": 2}}}}`,
		}}, `{"a": 1, "b": [3, 1]}`), &workqueue.SchemaError{Queue: "q", What: "payload",
			Problems: []string{"payload.a: got number, want string", "payload.b.1: minimum: got 1, want 2"}}},
		"no payload": {schemas.CheckPayload(queue, ""), &workqueue.SchemaError{Queue: "invoices", What: "payload",
			Problems: []string{"payload: got null, want object"}}},
		"not JSON": {schemas.CheckOutput(queue, `done`), &workqueue.SchemaError{Queue: "invoices", What: "output",
			Problems: []string{`output: not JSON: invalid character 'd' looking for beginning of value; a text is JSON in double quotes`}}},
		"an invalid schema": {schemas.CheckAnalytics(queue, `{}`), &workqueue.SchemaError{Queue: "invoices", What: "analytics", Unusable: true,
			Problems: []string{
				"schema.type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'",
				"schema.type: got string, want array",
			}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got *workqueue.SchemaError
			if tt.err != nil && !errors.As(tt.err, &got) {
				t.Fatalf("error is %T (%v), want a *SchemaError", tt.err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSchemaErrorTexts(t *testing.T) {
	for want, err := range map[string]*workqueue.SchemaError{
		`the payload does not match the schema of the queue "invoices": payload.a: got number, want string; payload.b: got null, want array`: {
			Queue: "invoices", What: "payload", Problems: []string{"payload.a: got number, want string", "payload.b: got null, want array"}},
		`the output schema of the queue "mail" cannot be used: the schema is not JSON: unexpected EOF; hint: correct it in botwork.yaml, or in the row of BotQueues`: {
			Queue: "mail", What: "output", Unusable: true, Problems: []string{"the schema is not JSON: unexpected EOF"}},
	} {
		if got := err.Error(); got != want {
			t.Errorf("error reads\n     %s\nwant %s", got, want)
		}
	}
}

// More schemas than the cache holds, from many goroutines: each item is checked with the
// current schema of its queue.
func TestSchemasChange(t *testing.T) {
	var schemas workqueue.Schemas
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 200 {
				want := (n*200 + i) % 600
				q := &workqueue.Queue{QueueSchemas: workqueue.QueueSchemas{PayloadSchema: workqueue.JSONText(fmt.Sprintf(`{"const": %d}`, want))}}
				if err := schemas.CheckPayload(q, workqueue.JSONText(fmt.Sprint(want))); err != nil {
					t.Error(err)
				}
				err := schemas.CheckPayload(q, workqueue.JSONText(fmt.Sprint(want+1)))
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("value must be %d", want)) {
					t.Errorf("payload %d for the schema of %d: error %v", want+1, want, err)
				}
			}
		})
	}
	wg.Wait()
}
