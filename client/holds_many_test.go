package client_test

import (
	"errors"
	"testing"
	"time"

	"botwork/client"
	"botwork/workqueue"
)

// Of many items, each gets its own answer: what one is refused leaves the others alone.
func TestManyHolds(t *testing.T) {
	f := startForms(t, 40)
	ctx, c := t.Context(), f.client
	items, err := c.Take(ctx, "forms", client.Take{Max: 40, Lease: time.Minute})
	if err != nil || len(items) != 40 {
		t.Fatalf("took %d, %v", len(items), err)
	}
	var beats []client.HoldBeat
	for i, it := range items {
		beats = append(beats, client.HoldBeat{Hold: it.Hold()})
		switch i {
		case 3:
			beats[i].Progress = client.Progress{Text: "half", Percent: new(50)}
		case 5:
			beats[i].Hold.LockKey = "another"
		case 7:
			beats[i].Progress = client.Progress{Percent: new(50)}
		}
	}
	if _, err := f.Store.ChangeItem(ctx, items[9].ID, workqueue.Change{Action: workqueue.Cancel, Reason: "not needed"}); err != nil {
		t.Fatal(err)
	}
	beaten, err := c.HeartbeatMany(ctx, beats, time.Hour)
	if err != nil || len(beaten) != 40 {
		t.Fatalf("%d answers, %v", len(beaten), err)
	}
	for i, b := range beaten {
		want := map[int]client.Code{5: client.ErrLeaseLost, 9: client.ErrCancelled}[i]
		if b.ID != items[i].ID || b.Problem != nil || b.Reason != want || b.Continue != (want == "") || b.Continue && time.Until(b.LeaseUntil) < 50*time.Minute {
			t.Errorf("answer %d for item %d: %+v", i, items[i].ID, b)
		}
	}
	if it := f.item(t, items[3].ID); it.Progress == nil || *it.Progress != "half" || *it.ProgressPercent != 50 {
		t.Errorf("progress %v, %v", it.Progress, it.ProgressPercent)
	}

	var ends []client.HoldEnd
	for i, it := range items {
		e := client.HoldEnd{Hold: it.Hold(), Output: map[string]int{"n": i}}
		switch i {
		case 1:
			e = client.HoldEnd{Hold: it.Hold(), Failure: &client.Failure{Error: "no stamp", Analytics: []int{1}}}
		case 2:
			e = client.HoldEnd{Hold: it.Hold(), Failure: &client.Failure{Error: "no name", Business: true}}
		case 4:
			e.Output = "a text"
		case 5:
			e.Hold.LockKey = "another"
		case 6:
			e.Output = nil
		}
		ends = append(ends, e)
	}
	for range 2 { // the second time as if the answer had been lost
		ended, err := c.EndMany(ctx, ends)
		if err != nil || len(ended) != 40 {
			t.Fatalf("%d answers, %v", len(ended), err)
		}
		for i, e := range ended {
			var problem client.Code
			want := client.Ended{State: "Processed"}
			switch i {
			case 1:
				want = client.Ended{State: "Ready", RetryIn: "1h0m0s"}
			case 2:
				want = client.Ended{State: "Cancelled"}
			case 4:
				problem = client.ErrSchemaMismatch
			case 5, 9:
				problem = client.ErrLeaseLost
			}
			switch {
			case e.ID != items[i].ID:
				t.Errorf("answer %d is for item %d, want %d", i, e.ID, items[i].ID)
			case problem == "" && (e.Problem != nil || e.Ended == nil || *e.Ended != want):
				t.Errorf("item %d: %+v, %v; want %+v", i, e.Ended, e.Problem, want)
			case problem != "" && (e.Ended != nil || !errors.Is(e.Problem, problem)):
				t.Errorf("item %d: %+v, %v; want %s", i, e.Ended, e.Problem, problem)
			}
		}
	}
	if it := f.item(t, items[1].ID); it.RetryCount != 1 || it.Analytics != "[1]" || *it.Error != "no stamp" {
		t.Errorf("the failed item: %+v", it)
	}
	if it := f.item(t, items[0].ID); it.Output != `{"n":0}` {
		t.Errorf("output %s", it.Output)
	}
}
