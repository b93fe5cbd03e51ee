package clitest

import (
	"context"
	"errors"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// ErrLost is the error of a lost answer.
var ErrLost = errors.New("unexpected EOF")

// LossyStore loses the answers to some calls, although the calls are executed.
type LossyStore struct {
	storetest.Store
	Lose  func(call int) (carriedOut, lost bool)
	calls int
}

func (s *LossyStore) answer(part workqueue.BatchPart, do func() error) error {
	s.calls++
	carriedOut, lost := s.Lose(s.calls)
	if !lost {
		return do()
	}
	if carriedOut {
		if err := do(); err != nil {
			return err
		}
	}
	return &workqueue.UnansweredError{BatchPart: part, Err: ErrLost}
}

func (s *LossyStore) EnqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) (got []workqueue.Enqueued, err error) {
	return got, s.answer(part, func() (err error) { got, err = s.Store.EnqueueBatch(ctx, part, items); return err })
}

func (s *LossyStore) ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (got workqueue.ChangeResult, err error) {
	return got, s.answer(c.Batch, func() (err error) { got, err = s.Store.ChangeItems(ctx, f, c); return err })
}

func (s *LossyStore) PurgeQueue(ctx context.Context, p workqueue.PurgeParams) (got workqueue.PurgeResult, err error) {
	return got, s.answer(p.Batch, func() (err error) { got, err = s.Store.PurgeQueue(ctx, p); return err })
}

// Rows counts the items of the project's database.
func Rows(t *testing.T) int {
	t.Helper()
	return len(Decode[[]struct{ ID int64 }](t, Must(t, "items", "list", "--limit", "10000", "-o", "json")))
}
