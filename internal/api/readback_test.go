package api_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// readBackStore fails the reads that follow a change.
type readBackStore struct {
	api.Store
	changed atomic.Bool
}

var errHeld = errors.New("another session holds the row")

func (s *readBackStore) ChangeItem(ctx context.Context, id int64, c workqueue.Change) (int64, error) {
	s.changed.Store(true)
	return s.Store.ChangeItem(ctx, id, c)
}

func (s *readBackStore) CreateQueue(ctx context.Context, q workqueue.Queue, by string) error {
	s.changed.Store(true)
	return s.Store.CreateQueue(ctx, q, by)
}

func (s *readBackStore) OverrideQueue(ctx context.Context, q workqueue.Queue, by string) (bool, error) {
	s.changed.Store(true)
	return s.Store.OverrideQueue(ctx, q, by)
}

func (s *readBackStore) Item(ctx context.Context, id int64) (workqueue.Item, error) {
	if s.changed.Load() {
		return workqueue.Item{}, errHeld
	}
	return s.Store.Item(ctx, id)
}

func (s *readBackStore) Queue(ctx context.Context, name string) (workqueue.Queue, error) {
	if s.changed.Load() {
		return workqueue.Queue{}, errHeld
	}
	return s.Store.Queue(ctx, name)
}

// A change whose result cannot be read is no error: the caller would make it again.
func TestChangesThatCannotBeReadBack(t *testing.T) {
	store := &readBackStore{}
	s := apitest.Start(t, func(o *api.Options) { store.Store, o.Store = o.Store, store })
	id := create(t, s, `{"pipeline": "p"}`)
	editor := as(t, s, access.Editor)
	after := func() { store.changed.Store(false) }

	editor.do("POST", "/queues", object{"name": "mail", "settings": object{"ttl": "7d"}}).Want(t, 201)
	after()
	a := editor.do("PATCH", "/queues/mail", object{"settings": object{"ttl": "1d"}}).Want(t, 200)
	if q := apitest.Decode[struct{ TTL string }](t, a); q.TTL != "24h0m0s" || a.Header.Get("ETag") != `"2"` {
		t.Errorf("the answer has the ETag %s and %s", a.Header.Get("ETag"), a.Body)
	}
	after()
	got := apitest.Decode[struct {
		ID     int64
		Status *string
	}](t, editor.do("POST", "/items/"+itoa(id)+"/cancel", nil).Want(t, 200))
	after()
	it, err := s.Store.Item(t.Context(), id)
	if err != nil || got.ID != id || got.Status != nil || it.State != workqueue.Cancelled {
		t.Errorf("answered %+v; the item is %s, %v", got, it.State, err)
	}
}
