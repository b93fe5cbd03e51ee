// Package botwork is the queue inside a Go program: it opens a database, enqueues items, also in
// a transaction of the program, and runs a worker whose items call functions.
//
//	store, err := botwork.Open(ctx, "sqlite", "botwork.db")
//	…
//	worker := botwork.NewWorker(store, botwork.WorkerOptions{Name: "invoices"})
//	botwork.Handle(worker, "send-invoice", func(ctx context.Context, job *botwork.Job, in Invoice) (Receipt, error) {
//		…
//	})
//	err = worker.Run(ctx)
//
// Items, queues and workers are the same as those of the program botwork, whose commands list,
// change and explain them. A program that also needs pipelines in YAML, settings and the whole
// command line calls Main of package botwork/cmd with handlers of its own instead.
//
// This package, the types that it names, and packages botwork/handlers and
// botwork/handlers/builtin are the interface for programs; the packages below them may change
// with each version.
package botwork

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"time"

	"gorm.io/gorm"

	"botwork/handlers"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// ZeroPriority is the NewItem.Priority of an item that is to have the priority 0.
const ZeroPriority = math.MinInt

// The types of package workqueue that this package uses as they are.
type (
	// PayloadFilter is the part of an ItemFilter that selects by payload: see ParsePayloadFilter.
	PayloadFilter = workqueue.PayloadFilter

	// Outcome is how a run of an item ended.
	Outcome = workqueue.Outcome
)

// Store is an open database. It is safe for concurrent use.
type Store struct{ s *sqlstore.Store }

// Open opens a database and checks that it responds. driver is "sqlite", "sqlserver" or
// "postgres". It does not change the database: see Migrate. Errors contain the DSN without its
// password.
func Open(ctx context.Context, driver, dsn string) (*Store, error) {
	s, err := sqlstore.Open(ctx, sqlstore.Options{Driver: driver, DSN: dsn})
	if err != nil {
		return nil, err
	}
	return &Store{s}, nil
}

// Close closes the database. Stop the workers first.
func (s *Store) Close() error { return s.s.Close() }

// Migrate creates the tables, or brings them up to date. Any number of processes may call it at
// the same time. A worker calls it when it starts.
func (s *Store) Migrate(ctx context.Context) error {
	_, err := s.s.Migrate(ctx)
	return err
}

// DefineQueues creates the queues that do not exist and changes those whose policy differs. by
// is recorded as the author of the change.
func (s *Store) DefineQueues(ctx context.Context, by string, queues ...Queue) error {
	_, err := s.s.DefineQueues(ctx, convertAll(queues, Queue.policy), by)
	return err
}

// Enqueue inserts items, all or none, by the policies of their queues, and returns one result for
// each. If another item already has the key of an item, no item is created for it; its result
// names the existing one, unless the item asks for an error (NewItem.Conflict). An item that its
// queue refuses is a *workqueue.BadItemError, an unknown queue a *workqueue.UnknownQueueError.
func (s *Store) Enqueue(ctx context.Context, items ...NewItem) ([]Enqueued, error) {
	made, err := s.s.Enqueue(ctx, convertAll(items, NewItem.withPriority))
	return enqueued(made), err
}

// EnqueueTx is Enqueue in a transaction of the caller on the same database: the items exist when
// the caller commits, together with its own rows, and are gone when it rolls back. After a
// refused item the transaction can go on; after another error, roll it back.
//
// The keys of the items are locked until the transaction ends, so commit soon. On SQLite, put
// _txlock=immediate into the DSN of the caller: a transaction that reads before it writes may
// find the database busy. On PostgreSQL workers learn of the items at the commit, on the other
// engines within a second.
func (s *Store) EnqueueTx(ctx context.Context, tx *sql.Tx, items ...NewItem) ([]Enqueued, error) {
	made, err := s.s.EnqueueTx(ctx, tx, convertAll(items, NewItem.withPriority))
	return enqueued(made), err
}

// EnqueueGorm is EnqueueTx for a transaction of gorm: the db that its Transaction passes to the
// function, or that Begin returns.
func (s *Store) EnqueueGorm(ctx context.Context, tx *gorm.DB, items ...NewItem) ([]Enqueued, error) {
	made, err := s.s.EnqueueGorm(ctx, tx, convertAll(items, NewItem.withPriority))
	return enqueued(made), err
}

// Item returns one item, or workqueue.ErrNotFound.
func (s *Store) Item(ctx context.Context, id int64) (Item, error) {
	it, err := s.s.Item(ctx, id)
	return Item(it), err
}

// Items lists the items that the filter selects, the newest first unless it says otherwise, at
// most 100 if it has no limit.
func (s *Store) Items(ctx context.Context, f ItemFilter) ([]Item, error) {
	items, err := s.s.Items(ctx, workqueue.ItemFilter(f))
	return convertAll(items, func(it workqueue.Item) Item { return Item(it) }), err
}

// Cancel ends an item that waits, is assigned or runs: its run is stopped, and it is not tried
// again. The reason becomes its error; "" for none. An item that has finished is a
// *workqueue.TransitionError, an unknown one workqueue.ErrNotFound; so with Repeat and Update.
//
// These changes are in the audit log. Its actor is that of ctx: see workqueue.WithActor.
func (s *Store) Cancel(ctx context.Context, id int64, reason string) error {
	return s.change(ctx, id, workqueue.Change{Action: workqueue.Cancel, Reason: reason})
}

// Repeat runs a finished item, also a deleted one, again as if it were new, under the same id.
func (s *Store) Repeat(ctx context.Context, id int64) error {
	return s.change(ctx, id, workqueue.Change{Action: workqueue.Repeat})
}

// Update changes values of an item that has not finished. A running item accepts only tags,
// metadata and the priority of its next attempt. Values that the item cannot have are a
// *workqueue.BadUpdateError.
func (s *Store) Update(ctx context.Context, id int64, u ItemUpdate) error {
	values := workqueue.ItemUpdate(u)
	return s.change(ctx, id, workqueue.Change{Action: workqueue.Update, Update: &values})
}

func (s *Store) change(ctx context.Context, id int64, c workqueue.Change) error {
	_, err := s.s.ChangeItem(ctx, id, c)
	return err
}

// Pause stops the assignment of a queue's items; running ones continue. Pausing a paused queue is
// no error. An unknown queue is workqueue.ErrNotFound; so with Resume.
func (s *Store) Pause(ctx context.Context, queue string) error {
	_, err := s.s.PauseQueue(ctx, queue)
	return err
}

// Resume ends the pause of a queue.
func (s *Store) Resume(ctx context.Context, queue string) error {
	_, err := s.s.ResumeQueue(ctx, queue)
	return err
}

// ParsePayloadFilter reads an expression over payloads, such as amount > 1000 and customer == "Ada".
// A search by payload that left items out is a *workqueue.IncompleteError, beside what it found.
func ParsePayloadFilter(text string) (*PayloadFilter, error) {
	return workqueue.ParsePayloadFilter(text)
}

// Permanent marks err as a failure that no later attempt can fix, such as a wrong parameter: the
// item is cancelled at once. A nil err stays nil.
func Permanent(err error) error { return handlers.Permanent(err) }

// Business marks err as a failure caused by wrong data: a person must fix the data, so it is
// retried only if the queue's policy allows it. A nil err stays nil.
func Business(err error) error { return handlers.Business(err) }

// Snooze returns an error that makes the item ready again after d, counting no attempt.
func Snooze(d time.Duration, reason string) error { return handlers.Snooze(d, reason) }

// RetryAfter marks err with the least time until the next attempt, such as another system has
// asked for. A nil err stays nil.
func RetryAfter(err error, d time.Duration) error { return handlers.RetryAfter(err, d) }

// Payload returns a value as the payload of an item, in JSON. It panics if package json cannot
// encode the value, as with a channel or a cycle.
func Payload(value any) workqueue.JSONText {
	text, err := json.Marshal(value)
	if err != nil {
		panic("botwork.Payload: " + err.Error())
	}
	return workqueue.JSONText(text)
}
