package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
)

// fixture is the environment of one test: its own database, the factory, and
// checks with complete failure messages.
type fixture struct {
	*testing.T
	Harness
	*Factory

	ctx      context.Context
	instants int // number of instants that the test has used
}

func newFixture(t *testing.T, h Harness) *fixture {
	return &fixture{T: t, Harness: h, Factory: NewFactory(t, h.Store), ctx: t.Context()}
}

// The bands of the product.
var (
	highBand   = workqueue.Band{Min: 1001, Max: workqueue.EveryPriority.Max}
	mediumBand = workqueue.Band{Min: 500, Max: 1000}
	lowBand    = workqueue.Band{Min: workqueue.EveryPriority.Min, Max: 499}
)

// Times in the distant past and future for every clock, as SQL literals.
const (
	longAgo = `'2001-01-01 00:00:00.000'`
	farAway = `'2099-01-01 00:00:00.000'`
)

// show reads an item.
func (x *fixture) show(id int64) workqueue.Item {
	x.Helper()
	item, err := x.Store.Item(x.ctx, id)
	if err != nil {
		x.Fatal(err)
	}
	return item
}

// attempts reads the attempts of an item.
func (x *fixture) attempts(id int64) []workqueue.Attempt {
	x.Helper()
	attempts, err := x.Store.Attempts(x.ctx, id)
	if err != nil {
		x.Fatal(err)
	}
	return attempts
}

// claim claims up to limit items of any priority.
func (x *fixture) claim(w workqueue.Worker, limit int) []workqueue.Item {
	x.Helper()
	items, err := x.Store.Claim(x.ctx, claimParams(w, limit))
	if err != nil {
		x.Fatal(err)
	}
	return items
}

func claimParams(w workqueue.Worker, limit int) workqueue.ClaimParams {
	return workqueue.ClaimParams{
		WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: limit, Lease: leaseTime,
	}
}

// pass runs an assignment pass that must succeed.
func (x *fixture) pass(do func(ctx context.Context, tx workqueue.AssignTx) error) {
	x.Helper()
	if err := x.Store.Assign(x.ctx, do); err != nil {
		x.Fatal(err)
	}
}

// due lists the ids that a pass sees as due, in its order.
func (x *fixture) due(band workqueue.Band, limit int) []int64 {
	x.Helper()
	var ids []int64
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		items, err := tx.DueItems(ctx, band, workqueue.Full{}, limit)
		for _, it := range items {
			ids = append(ids, it.ID)
		}
		return err
	})
	return ids
}

// finish writes ends of runs and returns the ids of lost items.
func (x *fixture) finish(w workqueue.Worker, ends ...workqueue.Finish) []int64 {
	x.Helper()
	lost, err := x.Store.Finish(x.ctx, w.ID, w.InstanceID, ends)
	if err != nil {
		x.Fatal(err)
	}
	return lost
}

// exec changes rows by hand and checks that it changes n rows.
func (x *fixture) exec(n int64, format string, args ...any) {
	x.Helper()
	statement := fmt.Sprintf(format, args...)
	if got := x.Exec(x.T, statement); got != n {
		x.Fatalf("%s changed %d rows, want %d", statement, got, n)
	}
}

// wantState checks the states of items.
func (x *fixture) wantState(want workqueue.State, ids ...int64) {
	x.Helper()
	for _, id := range ids {
		if got := x.show(id).State; got != want {
			x.Errorf("item %d is %s, want %s", id, got, want)
		}
	}
}

// wantSame checks that an item has not changed.
func (x *fixture) wantSame(before workqueue.Item) {
	x.Helper()
	after := x.show(before.ID)
	if got, want := asJSON(after), asJSON(before); got != want || after.Version != before.Version {
		x.Errorf("item %d has changed:\n got version %d, %s\nwant version %d, %s", before.ID, after.Version, got, before.Version, want)
	}
}

// wantIDs checks ids and their order.
func (x *fixture) wantIDs(what string, got, want []int64) {
	x.Helper()
	if !slices.Equal(got, want) {
		x.Errorf("%s = %v, want %v", what, got, want)
	}
}

// wantTransition checks the error of a refused change.
func (x *fixture) wantTransition(err error, id int64, verb string, state workqueue.State) {
	x.Helper()
	var refused *workqueue.TransitionError
	if !errors.As(err, &refused) {
		x.Fatalf("%s of an item that is %s: error %v, want a *TransitionError", verb, state, err)
	}
	if refused.ItemID != id || refused.Verb != verb || refused.State != state {
		x.Errorf("%s: refused %+v, want item %d, verb %s, state %s", verb, refused, id, verb, state)
	}
}

// idsOf lists the ids of items in their order.
func idsOf(items []workqueue.Item) []int64 {
	ids := make([]int64, len(items))
	for i, it := range items {
		ids[i] = it.ID
	}
	return ids
}

// asJSON formats a value for comparisons and messages.
// It leaves out the version of an item, which most tests do not count: those of changes and
// updates do, and a test of package sql wants each statement to raise it.
func asJSON(v any) string {
	if it, ok := v.(workqueue.Item); ok {
		it.Version = 0
		v = it
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// deref formats the value of a pointer, for messages.
func deref[T any](p *T) string {
	if p == nil {
		return "NULL"
	}
	return fmt.Sprint(*p)
}

// wantClean checks that a time is in UTC and has no more than milliseconds.
func (x *fixture) wantClean(what string, at *time.Time) {
	x.Helper()
	switch {
	case at == nil || at.IsZero():
		x.Errorf("%s is not set", what)
	case at.Location() != time.UTC:
		x.Errorf("%s = %s, want it in UTC", what, at)
	case !at.Equal(at.Truncate(time.Millisecond)):
		x.Errorf("%s = %s, want whole milliseconds", what, at.Format(time.RFC3339Nano))
	}
}
