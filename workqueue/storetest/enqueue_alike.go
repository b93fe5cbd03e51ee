package storetest

import (
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// differences set one field of an item to a value that depends on n.
var differences = map[string]func(it *workqueue.NewItem, n int){
	"nothing": func(*workqueue.NewItem, int) {},
	"queue":   func(it *workqueue.NewItem, n int) { it.QueueName = []string{"", "mail"}[n%2] },
	"state": func(it *workqueue.NewItem, n int) {
		it.State = []workqueue.State{workqueue.Ready, workqueue.Pending}[n%2]
	},
	"priority": func(it *workqueue.NewItem, n int) { it.Priority = n },
	"pipeline": func(it *workqueue.NewItem, n int) { it.IntegrationConfig = fmt.Sprint("p", n) },
	"payload": func(it *workqueue.NewItem, n int) {
		it.Payload = workqueue.JSONText(fmt.Sprintf(`["é\n\"\\", %d]`, n))
	},
	"estimate": func(it *workqueue.NewItem, n int) { it.Estimate = time.Duration(n) * time.Second },
	"resilience": func(it *workqueue.NewItem, n int) {
		it.ResilienceConfig = workqueue.JSONText(fmt.Sprintf(`{"limit":%d}`, n))
	},
	"due":       func(it *workqueue.NewItem, n int) { it.At = someDay.Add(time.Duration(n) * time.Hour) },
	"deadline":  func(it *workqueue.NewItem, n int) { it.Deadline = someDay.Add(time.Duration(n) * time.Hour) },
	"author":    func(it *workqueue.NewItem, n int) { it.CreatedBy = fmt.Sprintf("<\x01%d\t\"\\>", n) },
	"task":      func(it *workqueue.NewItem, n int) { it.TaskName = fmt.Sprint("t", n) },
	"key":       func(it *workqueue.NewItem, n int) { it.NaturalKey = fmt.Sprint("k", n) },
	"limit key": func(it *workqueue.NewItem, n int) { it.LimitKey = fmt.Sprint("l", n) },
	"tags":      func(it *workqueue.NewItem, n int) { it.Tags = []string{"b", fmt.Sprint("a", n)} },
	"metadata":  func(it *workqueue.NewItem, n int) { it.Metadata = map[string]string{"m": fmt.Sprint(n)} },
	"labels":    func(it *workqueue.NewItem, n int) { it.Labels = matching.Labels{"n": matching.Number(float64(n))} },
	"retention": func(it *workqueue.NewItem, n int) { it.Retain = new(time.Duration(n) * time.Second) },
}

var someDay = time.Date(2031, 5, 6, 7, 8, 9, 123e6, time.UTC)

// enqueueAlike: regardless of which fields the items of a call share, each item is stored
// as it would be in a call of its own.
func enqueueAlike(x *fixture) {
	x.exec(1, `INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
	const unset = 0
	for what, set := range differences {
		for name, numbers := range map[string][]int{"all alike": {7, 7, 7}, "all different": {1, 2, 3}, "unset in the first": {unset, 4, 5}, "unset in the last": {4, 5, unset}} {
			items := make([]workqueue.NewItem, len(numbers))
			for i, n := range numbers {
				items[i] = workqueue.NewItem{State: workqueue.Pending, IntegrationConfig: "p", Payload: `{"p":1}`}
				if n != unset {
					set(&items[i], n)
				}
			}
			together, err := x.Store.Enqueue(x.ctx, items)
			if err != nil {
				x.Fatalf("%s, %s: %v", what, name, err)
			}
			for i, made := range together {
				alone, err := x.Store.Enqueue(x.ctx, items[i:i+1])
				if err != nil {
					x.Fatalf("%s, %s: %v", what, name, err)
				}
				if got, want := x.timeless(made.ID), x.timeless(alone[0].ID); got != want {
					x.Errorf("%s, %s: item %d of the call is\n     %s\nwant %s, as in a call of its own", what, name, i+1, got, want)
				}
			}
		}
	}
}

// timeless returns an item as JSON without the fields that differ for each item.
func (x *fixture) timeless(id int64) string {
	x.Helper()
	it := x.show(id)
	if it.AvailableAt.Equal(it.CreatedAt) {
		it.AvailableAt = time.Time{}
	}
	it.ID, it.IdempotencyKey, it.CreatedAt = 0, "", time.Time{}
	return asJSON(it)
}
