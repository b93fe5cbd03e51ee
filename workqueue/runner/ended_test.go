package runner_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// Ended is called with the outcome that is written: an output that does not match the queue's
// schema is a failure, even if its pipeline succeeded.
func TestEndedGetsOutcomeAfterSchemaCheck(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		orders := workqueue.Queue{Name: "orders", QueueSchemas: workqueue.QueueSchemas{OutputSchema: `{"required": ["number"]}`}}
		if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{orders}, "test"); err != nil {
			t.Fatal(err)
		}
		made, err := store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: "orders", Priority: 1000, IntegrationConfig: "ship"}})
		if err != nil {
			t.Fatal(err)
		}
		o := options(store, "ann", func(context.Context, *workqueue.Run) workqueue.Outcome {
			return workqueue.Outcome{Output: `{}`}
		})
		var outcomes []workqueue.Outcome
		o.Ended = func(_ context.Context, it *workqueue.Item, o workqueue.Outcome, _ time.Duration) {
			if it.ID != made[0].ID {
				t.Errorf("Ended was called for item %d, want %d", it.ID, made[0].ID)
			}
			outcomes = append(outcomes, o)
		}
		r := start(t, o)
		assignTo(t, r, assign.AssignParams{})
		if _, err := r.Execute(t.Context(), runner.ExecuteParams{}); err != nil {
			t.Fatal(err)
		}
		if len(outcomes) != 1 || outcomes[0].Verdict != workqueue.Failed || !strings.Contains(outcomes[0].Error, "number") {
			t.Errorf("Ended got %+v, want one failure that names the missing property", outcomes)
		}
		if it := item(t, store, made[0].ID); it.State != workqueue.Cancelled || *it.ErrorKind != workqueue.KindBusiness {
			t.Errorf("the item is %s (%v), want it cancelled because of its data", it.State, it.ErrorKind)
		}
	})
}
