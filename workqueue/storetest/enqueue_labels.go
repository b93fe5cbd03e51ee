package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// labelled returns an item with labels of every type and selectors of both forms.
func labelled() workqueue.NewItem {
	return workqueue.NewItem{
		IntegrationConfig: Pipeline,
		Labels: matching.Labels{
			"language": matching.Text("português"), "size": matching.Number(0.5), "urgent": matching.Bool(true), "quote": matching.Text(`a "b" <c> \`),
		},
		Selectors: []matching.Selector{
			{Key: "gpu", Operator: matching.Exists},
			{Key: "site", Operator: matching.In, Values: []matching.Value{matching.Text("lisbon"), matching.Text("são joão")}, ExpiresAfter: 45 * time.Second, Expedite: true},
		},
	}
}

// The labels and selectors of labelled as the database stores them.
const (
	labelledLabels    = `{"language":"português","quote":"a \"b\" <c> \\","size":0.5,"urgent":true}`
	labelledSelectors = `[{"key":"gpu","operator":"exists"},{"key":"site","operator":"in","values":["lisbon","são joão"],"expiresAfter":"45s","expedite":true}]`
)

// wantLabelled checks that an item has the labels and selectors of labelled,
// and is marked as expedited.
func (x *fixture) wantLabelled(what string, id int64) {
	x.Helper()
	it := x.show(id)
	if it.Labels != labelledLabels || it.Selectors != labelledSelectors {
		x.Errorf("%s has labels %s\nand selectors %s,\nwant %s\nand %s", what, it.Labels, it.Selectors, labelledLabels, labelledSelectors)
	}
	x.wantExpedite(1, id)
}

func (x *fixture) wantExpedite(want int, id int64) {
	x.Helper()
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Priority" = "Priority" WHERE "Id" = %d AND CAST("Expedite" AS INT) = %d`, id, want)
}

func enqueueLabels(x *fixture) {
	plain := labelled()
	plain.Selectors = plain.Selectors[:1] // nothing is expedited
	made, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{labelled(), plain, {IntegrationConfig: Pipeline, Labels: matching.Labels{}}})
	if err != nil {
		x.Fatal(err)
	}
	x.wantLabelled("an item", made[0].ID)
	if it := x.show(made[1].ID); it.Labels != labelledLabels || it.Selectors != `[{"key":"gpu","operator":"exists"}]` {
		x.Errorf("labels %s and selectors %s, want those of the plain item", it.Labels, it.Selectors)
	}
	x.wantExpedite(0, made[1].ID)
	if it := x.show(made[2].ID); it.Labels != "" || it.Selectors != "" {
		x.Errorf("labels %q and selectors %q of an item without any, want none", it.Labels, it.Selectors)
	}
	x.wantExpedite(0, made[2].ID)

	clone, err := x.Store.ChangeItem(x.ctx, made[0].ID, workqueue.Change{Action: workqueue.Clone})
	if err != nil {
		x.Fatal(err)
	}
	x.wantLabelled("a clone", clone)
}

// A retry as a copy has the labels and selectors of the first item.
func copyKeepsLabels(x *fixture) {
	x.robots(func(q *workqueue.Queue) {
		q.RetryAs, q.Resilience = workqueue.RetryCopy, `{"limit":2,"delay":"5s","jitter":0}`
	})
	it := labelled()
	it.QueueName = forms
	_, h := x.takeNew(it)
	x.end(h, workqueue.RobotEnd{Kind: workqueue.KindError, Error: "no window"},
		workqueue.RobotEnded{State: workqueue.Cancelled, Copied: true, RetryIn: workqueue.Duration(5 * time.Second)})
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{QueueName: forms, States: []workqueue.State{workqueue.Ready}})
	if err != nil || len(items) != 1 {
		x.Fatalf("%d items are waiting, %v; want the copy", len(items), err)
	}
	x.wantLabelled("a copy", items[0].ID)
}

func refuseLabels(x *fixture) {
	bad := labelled()
	bad.Labels = matching.Labels{"a b": matching.Number(1), "none": {}}
	bad.Selectors = append(bad.Selectors, matching.Selector{Key: "ram", Operator: matching.LessThan, Value: matching.Text("9")})
	_, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{labelled(), bad})
	refused, ok := errors.AsType[*workqueue.BadItemError](err)
	if !ok || refused.Index != 1 {
		x.Fatalf("err = %v, want a *BadItemError for the second item", err)
	}
	var fields []string
	for _, e := range refused.Err.(interface{ Unwrap() []error }).Unwrap() {
		if fault, ok := errors.AsType[*workqueue.ItemFault](e); ok {
			fields = append(fields, fmt.Sprintf("%s: %v", fault.Field, fault))
		}
	}
	want := []string{
		`labels: labels.a b: got the key "a b", want a letter or _, then letters, digits, _ - and ., at most 100 characters`,
		"labels: labels.none: got nothing, want text, a number, true or false",
		`selectors: selectors[2].value: got the text "9", want a number after <`,
	}
	if !slices.Equal(fields, want) {
		x.Errorf("faults = %q, want %q", fields, want)
	}
	if items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{}); err != nil || len(items) != 0 {
		x.Errorf("%d items are in the queue (%v), want none", len(items), err)
	}
}
