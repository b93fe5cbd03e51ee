package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// RaiseEvents implements workqueue.NotificationStore.
func (s *notificationStore) RaiseEvents(ctx context.Context, events []workqueue.Event) error {
	return s.retry(ctx, "raise events", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error { return s.raise(ctx, tx, events) })
	})
}

// raise records events in a transaction.
func (s *connection) raise(ctx context.Context, tx *sql.Tx, events []workqueue.Event) error {
	if len(events) == 0 {
		return nil
	}
	type row struct {
		Kind, Queue, Pipeline, Worker string
		Item                          *int64
		Detail                        string
	}
	rows := make([]row, len(events))
	for i, e := range events {
		rows[i] = row{
			Kind: clean(clip(e.Kind, eventKindLen)), Queue: clean(clip(e.Queue, nameLen)), Pipeline: clean(clip(e.Pipeline, nameLen)), Worker: clean(clip(e.Worker, nameLen)),
			Item: workqueue.OrNil(e.ItemID), Detail: clean(clip(e.Detail, workqueue.FailureTextLen)),
		}
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	if _, err := s.queries.exec(ctx, tx, "event_add", values{"rows": batch, "now": s.nowArg()}); err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, tx, "event_expire", values{"age_ms": ms(workqueue.EventAge), "now": s.nowArg()})
	return err
}

// eventKindLen is the longest kind of an event, in UTF-16 units.
const eventKindLen = 100

func (s *notificationStore) mutes(ctx context.Context) ([]workqueue.Mute, error) {
	rows, err := s.queries.query(ctx, s.db, "mute_read", values{"now": s.nowArg()})
	if err != nil {
		return nil, err
	}
	var list []workqueue.Mute
	err = eachRow(rows, func() error {
		var m workqueue.Mute
		var until, at database.Time
		err := rows.Scan(&m.Rule, &m.Group, &until, &m.Reason, &m.By, &at)
		m.Until, m.At = until.Time, at.Time
		list = append(list, m)
		return err
	})
	return list, err
}

// MuteAlerts implements workqueue.NotificationStore.
func (s *notificationStore) MuteAlerts(ctx context.Context, m workqueue.Mute, length time.Duration) error {
	if err := workqueue.CheckMute(length); err != nil {
		return err
	}
	by := cmp.Or(m.By, workqueue.ActorFrom(ctx).Name)
	v := values{
		"key_hash": alertKey(m.Rule, m.Group), "rule": clean(clip(m.Rule, nameLen)), "grouping": clean(clip(m.Group, groupLen)), "for_ms": ms(length),
		"reason": clean(clip(m.Reason, reasonLen)), "by": clean(clip(by, nameLen)), "now": s.nowArg(),
	}
	return s.retry(ctx, "mute notifications", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			if _, err := s.queries.exec(ctx, tx, "mute_remove", values{"key_hash": v["key_hash"]}); err != nil {
				return err
			}
			if _, err := s.queries.exec(ctx, tx, "mute_add", v); err != nil {
				return err
			}
			return s.audit(ctx, tx, auditEntry{
				action: workqueue.AuditNotificationsMute, kind: workqueue.TargetNotification, target: muteTarget(m.Rule, m.Group), changed: 1, by: by, reason: m.Reason,
				after: auditValues{"for": valueOf(workqueue.Duration(length).String())},
			})
		})
	})
}

// muteTarget names a rule or a group in the audit log.
func muteTarget(rule, group string) string {
	if group == "" {
		return rule
	}
	return rule + " " + group
}

// UnmuteAlerts implements workqueue.NotificationStore.
func (s *notificationStore) UnmuteAlerts(ctx context.Context, rule, group, reason string) (changed bool, err error) {
	err = s.retry(ctx, "unmute notifications", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "mute_remove", values{"key_hash": alertKey(rule, group)})
			if changed = n > 0; err != nil || !changed {
				return err
			}
			return s.audit(ctx, tx, auditEntry{
				action: workqueue.AuditNotificationsUnmute, kind: workqueue.TargetNotification, target: muteTarget(rule, group), changed: 1, reason: reason,
			})
		})
	})
	return changed && err == nil, err
}

// RecordTest implements workqueue.NotificationStore.
func (s *notificationStore) RecordTest(ctx context.Context, target string) error {
	return s.retry(ctx, "record a test of a target", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			return s.audit(ctx, tx, auditEntry{action: workqueue.AuditNotificationsTest, kind: workqueue.TargetNotification, target: target, changed: 1})
		})
	})
}
