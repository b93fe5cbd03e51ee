package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

var _ workqueue.NotificationStore = (*notificationStore)(nil)

// notificationStore keeps the state of alerts.
type notificationStore struct {
	*connection
	*notices
	*enqueuing
	*auditing
}

// alertKey returns the hash that identifies an alert or a mute. Texts would not do: SQL Server compares
// them without case.
func alertKey(rule, group string) string { return access.Hash(rule + "\x00" + group) }

// AlertState implements workqueue.NotificationStore. The version is read first: if another evaluation
// is written while the rest is read, CommitAlerts finds another version.
func (s *notificationStore) AlertState(ctx context.Context) (workqueue.AlertState, error) {
	var state workqueue.AlertState
	err := s.retry(ctx, "read the state of the notifications", func() (err error) {
		state = workqueue.AlertState{Positions: map[workqueue.HappeningSource]time.Time{}}
		if err := s.readTurn(ctx, &state); err != nil {
			return err
		}
		if state.Alerts, err = s.alerts(ctx); err != nil {
			return err
		}
		state.Mutes, err = s.mutes(ctx)
		return err
	})
	return state, err
}

func (s *notificationStore) readTurn(ctx context.Context, state *workqueue.AlertState) error {
	rows, err := s.queries.query(ctx, s.db, "notify_state", values{"now": s.nowArg()})
	if err != nil {
		return err
	}
	var positions nullText
	var evaluated, now database.Time
	err = eachRow(rows, func() error {
		return rows.Scan(&state.Version, &evaluated, &state.EvaluatedBy, &positions, &now)
	})
	if err != nil {
		return err
	}
	state.EvaluatedAt, state.Now = evaluated.Time, now.Time
	if positions == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(positions), &state.Positions); err != nil {
		return fmt.Errorf("read the positions: %w", err)
	}
	return nil
}

func (s *notificationStore) alerts(ctx context.Context) ([]workqueue.Alert, error) {
	rows, err := s.queries.query(ctx, s.db, "alert_read", nil)
	if err != nil {
		return nil, err
	}
	var list []workqueue.Alert
	err = eachRow(rows, func() error {
		var a workqueue.Alert
		var phase string
		var memory nullText
		var began, latest, ended, sent database.Time
		err := rows.Scan(&a.Rule, &a.Group, &phase, &began, &latest, &ended, &sent, &a.Events, &a.Occurrence, &memory)
		a.Phase, a.Memory = workqueue.AlertPhase(phase), workqueue.JSONText(memory)
		a.StartedAt, a.LastAt, a.EndedAt, a.SentAt = began.Time, latest.Time, ended.Pointer(), sent.Pointer()
		list = append(list, a)
		return err
	})
	return list, err
}

// happeningStatement is the statement that lists the happenings of a source, and its parameters.
type happeningStatement struct {
	name       string
	parameters []string
}

var happeningStatements = map[workqueue.HappeningSource]happeningStatement{
	workqueue.FromItems:    {"happening_items", []string{"since", "limit_rows", "except_queue", "name_len", "text_len"}},
	workqueue.FromRuns:     {"happening_runs", []string{"since", "limit_rows", "text_len"}},
	workqueue.FromLateRuns: {"happening_late", []string{"since", "limit_rows", "late_ms"}},
	workqueue.FromMissed:   {"happening_missed", []string{"since", "limit_rows"}},
	workqueue.FromEvents:   {"happening_events", []string{"limit_rows"}},
	workqueue.FromRisk:     {"happening_risk", []string{"until", "limit_rows", "except_queue", "name_len", "now"}},
}

// Happenings implements workqueue.NotificationStore.
func (s *notificationStore) Happenings(ctx context.Context, f workqueue.HappeningFilter) ([]workqueue.Happening, error) {
	statement, ok := happeningStatements[f.Source]
	if !ok {
		return nil, fmt.Errorf("list happenings: unknown source %q", f.Source)
	}
	all := values{
		"since": s.engine.timeArg(f.Since), "until": s.engine.timeArg(f.Until), "late_ms": ms(workqueue.RunOnTime), "except_queue": workqueue.NotificationQueue,
		"limit_rows": min(orDefault(f.Limit, workqueue.MaxHappenings), workqueue.MaxHappenings), "now": s.nowArg(),
		"name_len": workqueue.FailurePipelineLen, "text_len": workqueue.FailureTextLen,
	}
	v := values{}
	for _, name := range statement.parameters {
		v[name] = all[name]
	}
	var list []workqueue.Happening
	err := s.retry(ctx, "list happenings", func() error {
		list = nil
		rows, err := s.reading.query(ctx, s.readers, statement.name, v)
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			n := workqueue.Happening{Source: f.Source}
			var queue, pipeline, step, kind, text, worker nullText
			var at, planned database.Time
			var item sql.NullInt64
			err := rows.Scan(&n.ID, &at, &queue, &pipeline, &step, &kind, &text, &worker, &planned, &item)
			n.At, n.PlannedAt, n.ItemID = at.Time, planned.Time, item.Int64
			n.Queue, n.Pipeline, n.Step, n.Kind, n.Text, n.Worker = string(queue), string(pipeline), string(step), string(kind), string(text), string(worker)
			list = append(list, n)
			return err
		})
	})
	return list, err
}
