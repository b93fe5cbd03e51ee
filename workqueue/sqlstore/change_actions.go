package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/workqueue"
)

// act applies an action to picked items and returns how many it has changed. Each action is a
// statement of package sql, or two.
func (s *itemChanges) act(ctx context.Context, tx *sql.Tx, c workqueue.Change, picked []pickedItem) (int, error) {
	switch c.Action {
	case workqueue.RunNow:
		return s.revive(ctx, tx, c, "change_run", picked)
	case workqueue.Cancel:
		return s.cancel(ctx, tx, c.Reason, picked)
	case workqueue.Archive:
		return s.changePicked(ctx, tx, "change_archive", pickedRows(picked), values{"reason": null(c.Reason), "now": s.nowArg()})
	case workqueue.Repeat:
		return s.revive(ctx, tx, c, "change_repeat", picked)
	case workqueue.Delete:
		return s.deletePicked(ctx, tx, picked, deletion{reason: c.Reason})
	case workqueue.Update:
		return s.update(ctx, tx, c.Update, picked)
	default:
		return 0, fmt.Errorf("action %q changes no item", c.Action)
	}
}

func pickedRows(picked []pickedItem) []pickedRow {
	rows := make([]pickedRow, len(picked))
	for i := range picked {
		rows[i] = picked[i].pickedRow()
	}
	return rows
}

// changePicked runs a statement that changes a batch of picked items, and returns how many it
// has changed. The batch becomes a parameter beside those in v.
func (s *itemChanges) changePicked(ctx context.Context, tx *sql.Tx, statement string, batch any, v values) (int, error) {
	rows, err := jsonRows(batch)
	if err != nil {
		return 0, err
	}
	v["rows"] = rows
	n, err := s.queries.exec(ctx, tx, statement, v)
	return int(n), err
}

// cancel ends items, and takes those that run from their workers, for good: what their runs
// write afterwards is refused like any late result, and their workers stop them when they
// learn of it. The attempts are recorded as failed; their logs end with who cancelled them.
func (s *itemChanges) cancel(ctx context.Context, tx *sql.Tx, reason string, picked []pickedItem) (int, error) {
	rows, err := jsonRows(pickedRows(picked))
	if err != nil {
		return 0, err
	}
	line := ""
	if slices.ContainsFunc(picked, func(p pickedItem) bool { return p.State == workqueue.Blocked }) {
		now, err := s.clock(ctx, tx)
		if err != nil {
			return 0, err
		}
		line = endingLine(ctx, now, "item cancelled", reason)
	}
	cancelled, err := s.queries.ids(ctx, tx, "change_cancel", values{"rows": rows, "reason": null(reason), "line": line, "now": s.nowArg()})
	if err != nil {
		return 0, err
	}
	done := map[int64]bool{}
	for _, id := range cancelled {
		done[id] = true
	}
	notes := map[refRow]attemptRow{}
	var stopped []refRow
	for i := range picked {
		// The statement repeats state and fence: what it changed ran if it ran when it was picked.
		p := &picked[i]
		if p.State != workqueue.Blocked || !done[p.ID] {
			continue
		}
		ref := refRow{ItemID: p.ID, ItemFence: p.Fence}
		stopped = append(stopped, ref)
		notes[ref] = attemptRow{
			refRow: ref, Number: p.RetryCount + 1, Result: "failed", HolderID: p.WorkerID,
			ErrorText: null(reason), Kind: null(string(workqueue.KindCancelled)),
		}
	}
	return len(cancelled), s.writeAttempts(ctx, tx, notes, stopped, time.Time{})
}

// endingLine returns the line that the change adds to the log of a run that it ends: it names the
// actor as the audit log does.
func endingLine(ctx context.Context, now time.Time, message, reason string) string {
	return clean(workqueue.EndingLine(now, message, (&auditEntry{reason: reason}).actor(ctx)))
}

// deletion says why items are deleted, and which of those that were picked.
type deletion struct {
	reason     string
	naturalKey string // "": any
	author     string // who created them; "": anybody
}

// deletePicked deletes items as the policies of their queues say.
func (s *itemChanges) deletePicked(ctx context.Context, tx *sql.Tx, picked []pickedItem, d deletion) (int, error) {
	which := values{"natural_key": null(d.naturalKey), "author": null(d.author)}
	why := maps.Clone(which)
	why["reason"], why["now"] = null(clip(d.reason, reasonLen)), s.nowArg()
	batch := pickedRows(picked)
	hidden, err := s.changePicked(ctx, tx, "change_hide", batch, why)
	if err != nil || hidden == len(picked) {
		return hidden, err
	}
	removed, err := s.changePicked(ctx, tx, "change_remove", batch, which)
	return hidden + removed, err
}
