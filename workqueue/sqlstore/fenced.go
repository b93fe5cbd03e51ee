package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"maps"
)

// fenced is a statement that changes a batch of running items of one worker or of robots.
// Its WHERE repeats the state, the worker and instance (or the robot and lock key), and the
// fence.
type fenced struct {
	statement string
	refs      []refRow          // the claims that the statement names
	robots    map[refRow]heldBy // those of robots; nil: a worker's
	values    values            // with "worker", "instance" and "rows"

	// plain are claims that a separate statement ends in the same transaction; the batch in
	// values has the others.
	plain plainEnds

	// then writes what belongs to the changed claims, in the same transaction. more reports
	// whether there is anything to write.
	then func(on runner, changed []refRow) error
	more bool

	// runs receives what the statement returns about the changed claims; nil if it returns
	// nothing.
	runs map[refRow]run
}

// errSetShrank reports that a lease was lost between two statements of one transaction. The
// transaction is rolled back and run again.
var errSetShrank = errors.New("an item lost its lease while it was written")

// once splits the list into the first entry for each claim and the others. A joined UPDATE
// changes and counts a row once, however often the batch names it.
func once[T any](all []T, claim func(*T) refRow) (firsts, others []T) {
	seen := make(map[refRow]bool, len(all))
	for i := range all {
		seen[claim(&all[i])] = true
	}
	if len(seen) == len(all) {
		return all, nil
	}
	for i := range all {
		if ref := claim(&all[i]); seen[ref] {
			delete(seen, ref)
			firsts = append(firsts, all[i])
		} else {
			others = append(others, all[i])
		}
	}
	return firsts, others
}

// change runs a fenced statement of a worker. It returns the ids of items whose lease was lost, and
// the claims that the statement passed over.
func (s *leaseStore) change(ctx context.Context, doing string, f fenced) (lost []int64, locked []refRow, err error) {
	var unchanged []refRow
	run := func(on runner) error {
		changed, err := s.changed(ctx, on, f)
		if err != nil {
			return err
		}
		unchanged = missing(f.refs, changed)
		if !f.more {
			return nil
		}
		return f.then(on, changed)
	}
	write := func() error {
		if s.engine.isSingle(&f) {
			return s.engine.alone(ctx, s.connection, run)
		}
		return s.tx(ctx, func(tx *sql.Tx) error { return run(tx) })
	}
	err = s.retry(ctx, doing, func() error {
		for range 3 {
			if err := write(); !errors.Is(err, errSetShrank) {
				return err
			}
		}
		return errSetShrank
	})
	if err != nil {
		return nil, nil, err
	}
	locked, err = s.lockedAmong(ctx, f.values["worker"].(int64), f.values["instance"].(string), unchanged)
	return itemIDs(missing(unchanged, locked)), locked, err
}

// changed runs the statement and returns the claims that it changed.
func (s *leaseStore) changed(ctx context.Context, on runner, f fenced) ([]refRow, error) {
	if len(f.plain) == 0 {
		return s.engine.changeFenced(ctx, s.connection, on, f)
	}
	f.values = maps.Clone(f.values) // the transaction may be run again
	ended, err := s.engine.writePlain(ctx, s.connection, on, f.plain, f.values, f.runs)
	if err != nil || len(f.plain) == len(f.refs) {
		return ended, err
	}
	others, err := s.engine.changeFenced(ctx, s.connection, on, f)
	return append(ended, others...), err
}
