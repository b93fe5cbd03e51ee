package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"gorm.io/gorm"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore/check"
)

// What a filter says about states, for tests of its plans.
var (
	LifecycleStates = lifecycleStates
	StatusLifecycle = statusLifecycle
)

// ForgetPolicies makes the next insert read the queues again, so that a test knows which
// statements it sends.
func (s *Store) ForgetPolicies() {
	p := s.policies
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues = nil
}

// CopyPolicies gives the store the queues as another store reads them now, so that its next
// calls do not read them.
func (s *Store) CopyPolicies(ctx context.Context, from *Store) error {
	if err := from.readPolicies(ctx); err != nil {
		return err
	}
	source, p := from.policies, s.policies
	source.mu.Lock()
	queues, read := source.queues, source.read
	source.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queues, p.read = queues, read
	return nil
}

// FinishWithoutStatistics does what Finish does for plain successes, without the statistics, for the
// benchmark that compares the two.
func (s *Store) FinishWithoutStatistics(ctx context.Context, workerID int64, instanceID string, finishes []workqueue.Finish) error {
	rows := make([]finishRow, len(finishes))
	refs := make([]refRow, len(finishes))
	for i := range finishes {
		row, err := s.finishRow(&finishes[i])
		if err != nil {
			return err
		}
		rows[i], refs[i] = row, row.refRow
	}
	slices.SortFunc(rows, func(a, b finishRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	lost, _, err := s.change(ctx, "finish items", fenced{
		statement: "finish", refs: refs, runs: map[refRow]run{},
		values: values{"worker": workerID, "instance": instanceID, "rows": batch, "now": s.nowArg()},
	})
	if err == nil && len(lost) > 0 {
		err = fmt.Errorf("lost %v", lost)
	}
	return err
}

// EndedWithoutSnapshot returns what the check of the statistics finds on an engine without snapshots.
// between is called after the count.
func (s *Store) EndedWithoutSnapshot(ctx context.Context, between func()) (check.Ended, error) {
	return checkedStore{s}.ended(ctx, s.readers, between)
}

// RecountWithoutSnapshot returns what a recount would correct on an engine without snapshots, and the
// queues in which items ended during each count.
func (s *Store) RecountWithoutSnapshot(ctx context.Context, counted func()) ([]workqueue.StatisticsCorrection, []string, error) {
	r, err := s.recount(ctx, s.readers, func(int64, int64) { counted() })
	return r.corrections(), slices.Sorted(maps.Keys(r.moved)), err
}

// NoticeRate and NoticeBurst limit the notices of a process.
const NoticeRate, NoticeBurst = noticeRate, noticeBurst

// ListenBy makes the store listen with another DSN than it notifies with, like a pooler that
// changes the connection with each transaction.
func (s *Store) ListenBy(dsn string) { s.dsn = dsn }

// SendNotice sends a notice at once, and reports whether any process listens.
func (s *Store) SendNotice(n workqueue.Notice) (bool, error) { return s.sendNotice(n) }

// RecordListening makes other processes believe that this one listens.
func (s *Store) RecordListening(ctx context.Context) error { return s.recordListening(ctx) }

// BeginMigration runs the first part of a migration.
func (s *Store) BeginMigration(ctx context.Context) (end func(), err error) {
	turn, err := s.engine.lockMigrations(ctx, s.connection)
	return turn.end, err
}

// InTx runs a statement in a transaction on the connection for writing.
func (s *Store) InTx(ctx context.Context, statement string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	})
}

// OneType gives texts one SQL Server type, as the store does.
func OneType(args []any) []any { return oneType(args) }

// The largest number of rows that one statement writes.
const (
	RescueBatch  = rescueBatch
	WriteBatch   = writeBatch
	EnqueueBatch = enqueueBatch
	ChangePage   = changePage
)

// WatchRetries calls seen with each error that is retried, until stop is called. Do not use a
// store while calling WatchRetries or stop.
func WatchRetries(seen func(error)) (stop func()) {
	transient = retries().OnRetry(func(e failsafe.ExecutionEvent[any]) { seen(e.LastError()) }).Build()
	return func() { transient = retries().Build() }
}

// WatchListings calls seen with each statement that lists or counts items, once the database has
// answered, with the values of its parameters. The list of values is valid only during the call.
func (s *Store) WatchListings(seen func(text string, args []any)) error {
	watch := func(orm *gorm.DB) {
		if !orm.DryRun && strings.Contains(orm.Statement.SQL.String(), (itemRow{}).TableName()) { // a part of another statement is dry
			seen(orm.Statement.SQL.String(), orm.Statement.Vars)
		}
	}
	callbacks := s.listing.Callback()
	return errors.Join(callbacks.Query().After("gorm:query").Register("watch", watch), callbacks.Row().After("gorm:row").Register("watch", watch))
}

// SetLockNotice changes how long a change waits before it looks who holds rows. Call it before the first change.
func (s *Store) SetLockNotice(d time.Duration) { s.lockNotice = d }

// FinishTogether ends checkouts as calls that have collected do. It returns those that are settled; nil for the
// others, which run by themselves.
func (s *Store) FinishTogether(ctx context.Context, holds []workqueue.Hold, ends []workqueue.RobotEnd) []*workqueue.RobotEnded {
	calls := make([]*gathered[ending], len(holds))
	for i, h := range holds {
		calls[i] = &gathered[ending]{call: &ending{doing: doingOf(ends[i].Kind), hold: h, end: ends[i]}}
	}
	s.endTogether(ctx, calls)
	settled := make([]*workqueue.RobotEnded, len(calls))
	for i, c := range calls {
		if c.settled {
			settled[i] = &c.call.ended
		}
	}
	return settled
}

// ExtendTogether is FinishTogether for leases.
func (s *Store) ExtendTogether(ctx context.Context, holds []workqueue.Hold, leases []time.Duration) []*time.Time {
	calls := make([]*gathered[extension], len(holds))
	for i, h := range holds {
		calls[i] = &gathered[extension]{call: &extension{hold: h, lease: leases[i]}}
	}
	s.extendTogether(ctx, calls)
	settled := make([]*time.Time, len(calls))
	for i, c := range calls {
		if c.settled {
			settled[i] = &c.call.until
		}
	}
	return settled
}
