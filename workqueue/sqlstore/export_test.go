package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/failsafe-go/failsafe-go"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore/check"
)

// ForgetPolicies makes the next insert read the queues anew, so that a test knows
// which statements it sends.
func (s *Store) ForgetPolicies() {
	s.policies.mu.Lock()
	defer s.policies.mu.Unlock()
	s.policies.queues = nil
}

// KnowPolicies lets the store know the queues as another one reads them now, so
// that its next calls do not look.
func (s *Store) KnowPolicies(ctx context.Context, from *Store) error {
	if err := from.readPolicies(ctx); err != nil {
		return err
	}
	from.policies.mu.Lock()
	queues, read := from.policies.queues, from.policies.read
	from.policies.mu.Unlock()
	s.policies.mu.Lock()
	defer s.policies.mu.Unlock()
	s.policies.queues, s.policies.read = queues, read
	return nil
}

// FinishUnkept is Finish for plain successes without what the statistics take,
// for the benchmark that compares the two.
func (s *Store) FinishUnkept(ctx context.Context, workerID int64, instanceID string, finishes []workqueue.Finish) error {
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
	lost, err := s.change(ctx, "finish items", fenced{
		statement: "finish", refs: refs, runs: map[refRow]run{},
		values: values{"worker": workerID, "instance": instanceID, "rows": batch, "now": s.nowArg()},
	})
	if err == nil && len(lost) > 0 {
		err = fmt.Errorf("lost %v", lost)
	}
	return err
}

// EndedLoosely is what the check of the statistics finds on an engine that does not show
// all as of one moment. between is called when it has counted.
func (s *Store) EndedLoosely(ctx context.Context, between func()) (check.Ended, error) {
	return checkedStore{s}.ended(ctx, s.readers, between)
}

// NoticeRate and NoticeBurst bound the notices of a process.
const NoticeRate, NoticeBurst = noticeRate, noticeBurst

// ListenBy makes the store listen by another DSN than it notifies by, as behind a
// pooler that gives each transaction another connection.
func (s *Store) ListenBy(dsn string) { s.dsn = dsn }

// SendNotice sends a notice at once; false: nobody would hear it.
func (s *Store) SendNotice(n workqueue.Notice) (bool, error) { return s.sendNotice(n) }

// NoteListening has others believe that somebody listens.
func (s *Store) NoteListening(ctx context.Context) error { return s.noteListening(ctx) }

// BeginMigration is what a migration begins with.
func (s *Store) BeginMigration(ctx context.Context) (end func(), err error) {
	turn, err := s.engine.lockMigrations(ctx, s)
	return turn.end, err
}

// InTx runs a statement in a transaction of the connection that writes.
func (s *Store) InTx(ctx context.Context, statement string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	})
}

// OneType makes texts one type of SQL Server, as the store does.
func OneType(args []any) []any { return oneType(args) }

// The most rows that one statement writes.
const (
	RescueBatch  = rescueBatch
	WriteBatch   = writeBatch
	EnqueueBatch = enqueueBatch
)

// WatchRetries tells seen of each error that is answered by another try, until it is
// stopped. Nothing else may use a store when it begins and when it is stopped.
func WatchRetries(seen func(error)) (stop func()) {
	transient = retries().OnRetry(func(e failsafe.ExecutionEvent[any]) { seen(e.LastError()) }).Build()
	return func() { transient = retries().Build() }
}
