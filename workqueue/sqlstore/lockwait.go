package sqlstore

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

// lockNotice is how long a change waits before it looks who holds rows and calls Options.Waiting.
const lockNotice = 2 * time.Second

// lockTimeout is how long a change waits for such a row at most, unless the options say otherwise.
const lockTimeout = 30 * time.Second

// bounded runs a change for a caller that waits. If it takes long while other sessions hold rows of
// items in open transactions, Options.Waiting is called with them, and after the lock timeout the change is
// rolled back: the error is a *workqueue.LockWaitError. A change that takes long by itself goes on.
func (s *connection) bounded(ctx context.Context, change func(ctx context.Context) error) error {
	if s.engine.holdersEnd() == "" {
		return change(ctx)
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(s.lockNotice, func() { s.watchLocks(bounded, cancel) })
	defer watch.Stop()
	err := change(bounded)
	if commit, ok := errors.AsType[*commitError](err); ok && commit.unknown() {
		return err // it may be written
	}
	if e, ok := errors.AsType[*workqueue.LockWaitError](context.Cause(bounded)); ok && err != nil {
		return e
	}
	return err
}

// watchLocks looks every other second who holds rows, until ctx ends.
func (s *connection) watchLocks(ctx context.Context, cancel context.CancelCauseFunc) {
	waited, reported := s.lockNotice, false
	for {
		list, err := (&waitingStore{s}).OpenSessions(ctx)
		var holders []workqueue.RowHolder
		for _, h := range list {
			if h.Open == 0 || h.Open >= s.lockNotice {
				holders = append(holders, h)
			}
		}
		if err == nil && len(holders) > 0 {
			if !reported && s.waiting != nil {
				reported = true
				s.waiting(holders)
			}
			if waited >= s.lockTimeout {
				cancel(&workqueue.LockWaitError{Waited: waited, Holders: holders})
				return
			}
		}
		if !sleep(ctx, s.lockNotice) {
			return
		}
		waited += s.lockNotice
	}
}
