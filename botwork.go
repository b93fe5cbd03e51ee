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
	"time"

	"gorm.io/gorm"

	"botwork/handlers"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// The types of package workqueue that this package uses.
type (
	// NewItem describes an item to be enqueued. Only IntegrationConfig is needed: the name of a function
	// (Handle), or of a pipeline that the workers have.
	NewItem = workqueue.NewItem

	// Enqueued is the result for a NewItem.
	Enqueued = workqueue.Enqueued

	// Item is an item as the database has it.
	Item = workqueue.Item

	// ItemFilter selects items for a list.
	ItemFilter = workqueue.ItemFilter

	// PayloadFilter is the part of an ItemFilter that selects by payload: see ParsePayloadFilter.
	PayloadFilter = workqueue.PayloadFilter

	// Queue is the policy of a queue.
	Queue = workqueue.Queue

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
	_, err := s.s.DefineQueues(ctx, queues, by)
	return err
}

// Enqueue inserts items, all or none, by the policies of their queues, and returns one result for
// each. If another item already has the key of an item, no item is created for it; its result
// names the existing one, unless the item asks for an error (NewItem.Conflict). An item that its
// queue refuses is a *workqueue.BadItemError, an unknown queue a *workqueue.UnknownQueueError.
func (s *Store) Enqueue(ctx context.Context, items ...NewItem) ([]Enqueued, error) {
	return s.s.Enqueue(ctx, items)
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
	return s.s.EnqueueTx(ctx, tx, items)
}

// EnqueueGorm is EnqueueTx for a transaction of gorm: the db that its Transaction passes to the
// function, or that Begin returns.
func (s *Store) EnqueueGorm(ctx context.Context, tx *gorm.DB, items ...NewItem) ([]Enqueued, error) {
	return s.s.EnqueueGorm(ctx, tx, items)
}

// Item returns one item, or workqueue.ErrNotFound.
func (s *Store) Item(ctx context.Context, id int64) (Item, error) { return s.s.Item(ctx, id) }

// Items lists the items that the filter selects, the newest first unless it says otherwise, at
// most 100 if it has no limit.
func (s *Store) Items(ctx context.Context, f ItemFilter) ([]Item, error) { return s.s.Items(ctx, f) }

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
