package sqlstore_test

import (
	"errors"
	"fmt"
	"testing"

	"botwork/workqueue"
)

// Items of tasks are inserted by the policy of their queue, like all items.

func TestTasksOfAnEncryptedQueue(t *testing.T) {
	eachSealed(t, func(x *sealed) {
		row := workqueue.TaskRow{Name: "pay", Active: true, QueueName: "secret", Pipeline: "pay", Importance: 1, Definition: "one"}
		if _, err := x.store.DefineTasks(t.Context(), []workqueue.TaskRow{row}, "test"); err != nil {
			t.Fatal(err)
		}
		payload := func(scope string) workqueue.JSONText {
			return workqueue.JSONText(fmt.Sprintf(`{"card":%q,"for":%q}`, secretPayload, scope))
		}
		var windows []workqueue.TaskWindow
		for _, scope := range []string{"ann", "bob", "cid"} {
			w := taskWindow("pay", scope)
			w.Item.QueueName, w.Item.Payload = "secret", payload(scope)
			windows = append(windows, w)
		}
		made, err := x.store.FireTasks(t.Context(), windows, "test")
		if err != nil || len(made) != 3 {
			t.Fatalf("FireTasks = %v, %v, want three items", made, err)
		}
		for _, it := range made {
			x.wantSealed(it.ID, 1)
			if got := x.show(x.store, it.ID); got.Payload != payload(it.Scope) || !got.Encrypted {
				t.Errorf("the item for %s holds %s", it.Scope, got.Payload)
			}
		}
		items := []workqueue.ScopedItem{windows[0].ScopedItem}
		ids, err := x.store.RunTask(t.Context(), "pay", workqueue.BatchPart{}, items)
		if err != nil || len(ids) != 1 {
			t.Fatalf("RunTask = %v, %v, want one item", ids, err)
		}
		x.wantSealed(ids[0], 1)
	})
}

func TestTasksWithItemsThatTheQueueRefuses(t *testing.T) {
	eachSealed(t, func(x *sealed) {
		strict := workqueue.Queue{Name: "strict", PriorityOffset: 40}
		strict.PayloadSchema = `{"type": "object", "required": ["card"]}`
		row := workqueue.TaskRow{Name: "pay", Active: true, QueueName: "strict", Pipeline: "pay", Importance: 1, Definition: "one"}
		if _, err := x.store.DefineQueues(t.Context(), []workqueue.Queue{strict}, "test"); err != nil {
			t.Fatal(err)
		}
		if _, err := x.store.DefineTasks(t.Context(), []workqueue.TaskRow{row}, "test"); err != nil {
			t.Fatal(err)
		}
		good, bad := taskWindow("pay", "ann"), taskWindow("pay", "bob")
		good.Item.QueueName, good.Item.Payload = "strict", `{"card":1}`
		bad.Item.QueueName, bad.Item.Payload = "strict", `{}`
		var refused *workqueue.BadItemError
		if made, err := x.store.FireTasks(t.Context(), []workqueue.TaskWindow{good, bad}, "test"); !errors.As(err, &refused) {
			t.Errorf("FireTasks = %v, %v, want a *BadItemError", made, err)
		}
		if records, err := x.store.Firings(t.Context(), workqueue.FiringFilter{Schedule: "task:pay", Limit: 10}); err != nil || len(records) > 0 {
			t.Errorf("the refused windows left records %v, %v", records, err)
		}
		made, err := x.store.FireTasks(t.Context(), []workqueue.TaskWindow{good}, "test")
		if err != nil || len(made) != 1 || made[0].Priority != 590 || x.show(x.store, made[0].ID).Priority != 590 {
			t.Errorf("FireTasks = %+v, %v, want one item with the queue's offset, 590", made, err)
		}
		if waiting, err := x.store.WaitingTaskItems(t.Context(), workqueue.Ready, 0, 10); err != nil || len(waiting) != 1 {
			t.Errorf("waiting: %v, %v: the offset was mistaken for a change by a user", waiting, err)
		}
	})
}
