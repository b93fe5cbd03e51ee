package workqueue

import (
	"context"
	"time"
)

// WaitingStore finds waiting items without the assignment lock.
type WaitingStore interface {
	// Waits reports whether an item of the band is due and waits for a worker, in a
	// queue that is not paused and that workers may run.
	Waits(ctx context.Context, band Band) (bool, error)

	// RowHolders returns the sessions of the database that hold rows of these items in an
	// open transaction, by item: workers pass over such items. On SQLite there are none,
	// since an open transaction holds the whole database. On SQL Server it returns for each
	// such item all sessions that hold rows of items, because the server does not say
	// which. It returns none that the login may not see: on SQL Server it needs VIEW SERVER
	// STATE, on Azure SQL Database VIEW DATABASE STATE.
	RowHolders(ctx context.Context, ids ...int64) ([]RowHolder, error)

	// OpenSessions returns the sessions that hold rows of any items, or the whole table, in
	// an open transaction, with the rights of RowHolders. ItemID is 0.
	OpenSessions(ctx context.Context) ([]RowHolder, error)

	// Ready returns what there is to do for a worker: items of the band that are
	// assigned to it and have not started, that wait as Waits reports them, or that
	// were assigned to other workers some seconds ago and have not started. It is one
	// search along indexes, for a caller that asks each second. If several values
	// apply, it returns the first in the order ItemsDue, ItemsAssigned, ItemsWait,
	// ItemsElsewhere. next is the time until a scheduled item becomes due, of any
	// band and queue; 0: none does within a minute.
	Ready(ctx context.Context, workerID int64, band Band) (r Readiness, next time.Duration, err error)

	// Listen calls notify with a notice when items become ready or are assigned, until
	// ctx ends; then it returns nil. It reports at once what this store does itself
	// and, if the engine has notifications, as PostgreSQL does, what other processes
	// do. Notices may be lost, late or duplicate. There is none for changes made by
	// hand or when a scheduled time arrives, so callers also poll Ready.
	//
	// notify must return at once; it is called from several goroutines. Listen calls
	// trouble with the reason why notices from others do not arrive, and with nil
	// when they arrive again. On engines without notifications it never calls
	// trouble.
	Listen(ctx context.Context, notify func(Notice), trouble func(error)) error
}

// Readiness is what there is to do.
type Readiness int

// The values of Readiness.
const (
	NothingReady   Readiness = iota
	ItemsWait                // for an assignment pass
	ItemsAssigned            // to the worker, and not started
	ItemsDue                 // for an assignment pass: they became due or were created in the last two seconds
	ItemsElsewhere           // assigned to another worker for a second or more, and not started
)

// RecentlyDue and HeldElsewhere are the times that ItemsDue and ItemsElsewhere use. Of
// newly created items only the latest hundred count.
const (
	RecentlyDue   = 2 * time.Second
	HeldElsewhere = time.Second
)

// SoonDue is how long before an item becomes due a notice may report it. Callers of Ready find
// items that become due later in time.
const SoonDue = time.Second

// Notice reports items that can be worked on now.
type Notice struct {
	// Band covers their priorities; other priorities may lie between.
	Band Band

	// Workers are the workers that they were assigned to; none: they wait for an
	// assignment pass.
	Workers []int64

	// Soon is set if they become due within SoonDue, or may be due already: ask Ready before a
	// pass.
	Soon bool

	// Others is set if the notice is from another process: many processes may receive
	// it.
	Others bool

	// Ended lists queues in which this process has ended runs, so that their limits may
	// allow more. Such a notice says nothing else: its other fields are not set.
	Ended []string
}
