package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/escalation"
)

// escalationStore implements workqueue.EscalationStore. It changes items as a person does.
type escalationStore struct {
	*connection
	changes *itemChanges
}

// EscalationFigures implements workqueue.EscalationStore.
func (s *escalationStore) EscalationFigures(ctx context.Context) (f workqueue.EscalationFigures, err error) {
	err = s.retry(ctx, "read the figures for escalation", func() error {
		f = workqueue.EscalationFigures{Queues: map[string]escalation.Figures{}, Pipelines: map[string]escalation.Figures{}}
		now, err := s.clock(ctx, s.readers)
		if err != nil {
			return err
		}
		rows, err := s.reading.query(ctx, s.readers, "gauge_now", values{"now": s.engine.timeArg(now)})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var queue, pipeline, band, worker string
			var waits, runs int
			var oldest database.Time
			if err := rows.Scan(&queue, &pipeline, &band, &worker, &waits, &oldest, &runs); err != nil {
				return err
			}
			count := func(of map[string]escalation.Figures, name string) {
				sum := of[name]
				sum.Running += runs
				if worker != "" {
					sum.Assigned += waits
				} else if waits > 0 {
					sum.Length += waits
					sum.Oldest = max(sum.Oldest, now.Sub(oldest.Time))
				}
				of[name] = sum
			}
			count(f.Queues, queue)
			if name := seriesPipeline(pipeline); name != "" {
				count(f.Pipelines, name)
			}
			return nil
		})
	})
	return f, err
}

// EscalationTurn implements workqueue.EscalationStore.
func (s *escalationStore) EscalationTurn(ctx context.Context, e workqueue.Escalation, holds bool) (turn workqueue.EscalationTurn, ok bool, err error) {
	v := values{
		"scope": string(e.Scope), "owner": e.Owner, "rule_name": e.Rule.Name, "holds": bit(holds), "conditional": bit(e.Rule.When != ""),
		"now": s.nowArg(),
	}
	err = s.retry(ctx, "apply the "+e.String(), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			v["turn_ms"] = ms(workqueue.EscalationPeriod)
			if turn, ok, err = s.turn(ctx, tx, "escalation_turn", v); ok || err != nil {
				return err
			}
			delete(v, "turn_ms")
			turn, ok, err = s.turn(ctx, tx, "escalation_new", v)
			return err
		})
	})
	if classify(err) == uniqueError {
		return turn, false, nil // another process was faster
	}
	turn.Escalation, turn.Operation = e, workqueue.NewBatchKey()
	return turn, ok && holds && err == nil, err
}

func (s *escalationStore) turn(ctx context.Context, tx *sql.Tx, statement string, v values) (turn workqueue.EscalationTurn, ok bool, err error) {
	rows, err := s.queries.query(ctx, tx, statement, v)
	if err != nil {
		return turn, false, err
	}
	err = eachRow(rows, func() error {
		var since, acted, now database.Time
		ok = true
		err := rows.Scan(&turn.ID, &since, &acted, &now)
		turn.Since, turn.Now = since.Time, now.Time
		turn.Began = !turn.Since.IsZero() && acted.Before(turn.Since)
		return err
	})
	return turn, ok, err
}

// bit returns a flag as all engines compare it.
func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

// WouldEscalate implements workqueue.EscalationStore.
func (s *escalationStore) WouldEscalate(ctx context.Context, e workqueue.Escalation, since time.Time, limit int) (n int, err error) {
	if e.Rule.Announces() {
		return 0, nil
	}
	states, err := s.EscalationStates(ctx, 0)
	if err != nil {
		return 0, err
	}
	turn := workqueue.EscalationTurn{Escalation: e, Since: since}
	for _, state := range states {
		if state.Scope == e.Scope && s.engine.queueKey(state.Owner) == s.engine.queueKey(e.Owner) && state.Rule == e.Rule.Name {
			turn.ID = state.ID
		}
	}
	found, err := s.due(ctx, &turn, limit)
	return len(found), err
}

// EscalationStates implements workqueue.EscalationStore.
func (s *escalationStore) EscalationStates(ctx context.Context, itemID int64) (states []workqueue.EscalationState, err error) {
	err = s.retry(ctx, "read what rules of escalation did", func() error {
		states = nil
		rows, err := s.reading.query(ctx, s.readers, "escalation_states", values{"item": itemID})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var st workqueue.EscalationState
			var since, acted database.Time
			err := rows.Scan(&st.Scope, &st.Owner, &st.Rule, &since, &acted, &st.Items, &st.Step, &st.ID)
			st.ActiveSince, st.ActedAt = since.Pointer(), acted.Pointer()
			states = append(states, st)
			return err
		})
	})
	return states, err
}

// dueItem is an item on which the next step of a rule is due.
type dueItem struct {
	id        int64
	state     workqueue.State
	version   int64
	priority  int
	selectors nullText
	due       time.Time
	step      int
}

// due finds items on which the next step of a rule is due.
func (s *escalationStore) due(ctx context.Context, turn *workqueue.EscalationTurn, limit int) (found []dueItem, err error) {
	statement, v := s.dueStatement(turn, limit)
	err = s.retry(ctx, "find items for the "+turn.String(), func() error {
		found = nil
		rows, err := s.reading.query(ctx, s.readers, statement, v)
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var it dueItem
			var due database.Time
			err := rows.Scan(&it.id, &it.state, &it.version, &it.priority, &it.selectors, &due, &it.step)
			it.due = due.Time
			found = append(found, it)
			return err
		})
	})
	// The order in which all statements lock items.
	slices.SortStableFunc(found, func(a, b dueItem) int { return cmp.Compare(a.id, b.id) })
	return found, err
}

func (s *escalationStore) dueStatement(turn *workqueue.EscalationTurn, limit int) (statement string, v values) {
	r := &turn.Rule
	v = values{"rule": turn.ID, "after_ms": ms(r.After), "limit_rows": limit, "now": s.nowArg()}
	if turn.Scope == workqueue.EscalateQueue && (r.Action() == escalation.ActionMove || r.Action() == escalation.ActionCancel) {
		v["queue"], v["keep"] = turn.Owner, r.Keep
		return "escalation_beyond", v
	}
	v["every_ms"], v["since"], v["cap"] = int64(0), nil, nil
	v["selective"], v["assigned"] = bit(r.Relax != nil), bit(r.Raise != nil)
	if !turn.Since.IsZero() {
		v["since"] = s.engine.timeArg(turn.Since)
	}
	if r.Raise != nil {
		v["every_ms"] = ms(r.Raise.Every)
		if r.Raise.To != nil {
			v["cap"] = *r.Raise.To
		}
	}
	if turn.Scope == workqueue.EscalatePipeline {
		v["pipeline"] = turn.Owner
		return "escalation_due_pipeline", v
	}
	v["queue"] = turn.Owner
	return "escalation_due", v
}

// escalatedRow is an item inside the JSON parameter of the statements that escalate it.
type escalatedRow struct {
	ItemID     int64 `json:"ItemId"`
	OldVersion int64
	NewVersion int64 // the version of the item after the change; the same if the rule does not change it
	NewStep    int

	OldState, OldPrio, NewPrio int
	SetsSelectors              int
	SelectorText               *string
	Expedited                  int
}

// row returns what the rule does to an item. A rule that finds nothing to change leaves the item as
// it is, but its step counts.
func (it *dueItem) row(turn *workqueue.EscalationTurn) escalatedRow {
	r := &turn.Rule
	row := escalatedRow{
		ItemID: it.id, OldVersion: it.version, NewVersion: it.version + 1, OldState: int(it.state), OldPrio: it.priority, NewPrio: it.priority,
		NewStep: max(r.Step(it.due, turn.Since, turn.Now), it.step+1), // it may have become due since the turn began
	}
	changes := true
	switch r.Action() {
	case escalation.ActionRaise:
		row.NewPrio = r.Raise.Raised(it.priority, row.NewStep-it.step)
		changes = row.NewPrio != it.priority
	case escalation.ActionRelax:
		changes = row.relax(r.Relax, string(it.selectors))
	case escalation.ActionNotify:
		changes = false
	}
	if !changes {
		row.NewVersion = it.version
	}
	return row
}

func (row *escalatedRow) changes() bool { return row.NewVersion != row.OldVersion }

var _ workqueue.EscalationStore = (*escalationStore)(nil)

// refusedText is the error of an item that a rule cannot change.
func refusedText(id int64, err error) *workqueue.BadUpdateError {
	return &workqueue.BadUpdateError{ItemID: id, Err: fmt.Errorf("item %d: %w", id, err)}
}
