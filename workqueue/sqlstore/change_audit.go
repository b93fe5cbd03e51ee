package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"strconv"

	"botwork/workqueue"
)

// operation is what the parts of one change of items have in common in the audit log.
type operation struct {
	key    string
	filter workqueue.JSONText // "": the items are named by their ids
	reason string
}

// operationOf returns the operation of a change: that of its batch, or one of its own.
func operationOf(c workqueue.Change, f *workqueue.ItemFilter) operation {
	o := operation{key: cmp.Or(c.Batch.Key, workqueue.NewBatchKey()), reason: c.Reason}
	if f != nil {
		o.filter = f.Text()
	}
	return o
}

// entry returns the entry of the audit log for changed items.
func (o operation) entry(a workqueue.Action, items []auditItem) auditEntry {
	e := auditEntry{
		action: workqueue.AuditItemsPrefix + string(a), kind: workqueue.TargetItem, filter: o.filter, changed: len(items),
		operation: o.key, reason: o.reason, items: items,
	}
	if len(items) == 1 && o.filter == "" {
		e.target = strconv.FormatInt(items[0].ItemID, 10)
	}
	return e
}

// actAudited applies an action to picked items, whose rows are locked, and records in the audit log
// which of them it has changed. It returns how many.
func (s *itemChanges) actAudited(ctx context.Context, tx *sql.Tx, c workqueue.Change, picked []pickedItem, o operation) (int, error) {
	entry := func(items []auditItem) auditEntry { return o.entry(c.Action, items) }
	return s.audited(ctx, tx, pickedIDs(picked), auditedColumns(c), entry, func() (int, error) { return s.act(ctx, tx, c, picked) })
}

// audited runs do, which changes some of the items with these ids and returns how many, and writes
// an entry about those that it has changed. The rows must be locked.
func (s *auditing) audited(ctx context.Context, tx *sql.Tx, ids []int64, columns []string,
	entry func([]auditItem) auditEntry, do func() (int, error)) (int, error) {
	before, err := s.before(ctx, tx, ids, columns)
	if err != nil {
		return 0, err
	}
	n, err := do()
	if err != nil || n == 0 {
		return n, err
	}
	items, err := s.since(ctx, tx, before)
	if err != nil || len(items) == 0 {
		return n, err
	}
	return n, s.audit(ctx, tx, entry(items))
}

func pickedIDs(picked []pickedItem) []int64 {
	ids := make([]int64, len(picked))
	for i := range picked {
		ids[i] = picked[i].ID
	}
	return ids
}
