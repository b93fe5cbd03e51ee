package process_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/workqueue"
)

// With resume, the next attempt goes on at the step that failed, also on another worker, and the end of the
// item removes what was recorded.
func TestResume(t *testing.T) {
	inBubble(t, func(x *virtual) {
		var called []string
		fails := 2
		x.kinds["Call"] = func(_ context.Context, call *handlers.Call) (any, error) {
			called = append(called, call.Step)
			if strings.HasSuffix(call.Step, "b") && fails > 0 {
				fails--
				return nil, errors.New("boom")
			}
			return call.Step, nil
		}
		id := x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: `
resume: true
resilience: {limit: 3, delay: 1s, jitter: 0}
steps:
  - {name: a, handler: Call}
  - {name: lines, foreach: [x, y], steps: [{name: check, handler: Call}]}
  - {name: post, steps: [{name: one, handler: Call}, {name: b, handler: Call}]}
`})
		for _, worker := range []string{"w1", "w2", "w3"} {
			x.runOnce(x.newOptions(worker), medium)
			time.Sleep(5 * time.Second)
			if worker == "w1" {
				if records, err := x.store.Steps(x.Context(), id); err != nil || len(records) != 3 {
					x.Errorf("records after the first attempt = %v, %v, want those of a, lines and post / one", records, err)
				}
			}
		}
		if it := x.item(id); it.State != workqueue.Processed || string(it.Output) != `"post / b"` {
			x.Errorf("item = %s, %s, %s", it.State, it.Output, text(it.Error))
		}
		if got, want := strings.Join(called, ", "), "a, lines[0] / check, lines[1] / check, post / one, post / b, post / b, post / b"; got != want {
			x.Errorf("called %s, want %s", got, want)
		}
		if records, err := x.store.Steps(x.Context(), id); err != nil || len(records) > 0 {
			x.Errorf("records after the end = %v, %v, want none", records, err)
		}
	})
}

// An item that has failed for good goes on where it failed with one more attempt, and begins at the step
// that a person names.
func TestRepeatFromStep(t *testing.T) {
	inBubble(t, func(x *virtual) {
		var called []string
		x.kinds["Call"] = func(_ context.Context, call *handlers.Call) (any, error) {
			called = append(called, call.Step)
			if call.Step == "post / two" {
				return nil, handlers.Permanent(errors.New("boom"))
			}
			return call.Step, nil
		}
		id := x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: `
resume: true
steps:
  - {name: a, handler: Call}
  - {name: b, handler: Call}
  - {name: post, steps: [{name: one, handler: Call}, {name: two, handler: Call}]}
`})
		for _, c := range []struct {
			change workqueue.Change
			want   string
		}{
			{workqueue.Change{}, "a, b, post / one, post / two"},
			{workqueue.Change{Action: workqueue.RunNow}, "post / two"},
			{workqueue.Change{Action: workqueue.Repeat, FromStep: "post / two"}, "post / two"},
			{workqueue.Change{Action: workqueue.Repeat, FromStep: "post"}, "post / one, post / two"},
			{workqueue.Change{Action: workqueue.Repeat, FromStep: "b"}, "b, post / one, post / two"},
			{workqueue.Change{Action: workqueue.Repeat}, "a, b, post / one, post / two"},
		} {
			if c.change.Action != "" {
				if _, err := x.store.ChangeItem(x.Context(), id, c.change); err != nil {
					x.Fatal(err)
				}
			}
			called = nil
			x.runOnce(x.newOptions("w1"), medium)
			if it := x.item(id); it.State != workqueue.Cancelled {
				x.Errorf("%s from %q: the item is %s", c.change.Action, c.change.FromStep, it.State)
			}
			if got := strings.Join(called, ", "); got != c.want {
				x.Errorf("%s from %q: called %s, want %s", c.change.Action, c.change.FromStep, got, c.want)
			}
		}
	})
}
