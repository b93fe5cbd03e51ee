package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"

	"botwork/workqueue"
)

// auditing writes the audit log. Each entry is written in the transaction of its change.
type auditing struct {
	*connection
}

// auditEntry is an entry to be written.
type auditEntry struct {
	action, kind, target string

	filter        workqueue.JSONText // "": none
	changed       int
	before, after auditValues
	reason        string // of the call; "": that of the context's actor, which is always that of a command

	// operation is the key of a change that takes several transactions: they share one entry.
	operation string

	items []auditItem

	// by is the name of the actor if the context has none. robot is the robot that makes the
	// change, whatever the context says.
	by, robot string
}

// auditItem is a changed item inside a JSON parameter.
type auditItem struct {
	ItemID      int64 `json:"ItemId"`
	Was, Became *string
}

// actor returns who makes the change.
func (e *auditEntry) actor(ctx context.Context) workqueue.Actor {
	a := workqueue.ActorFrom(ctx)
	if e.robot != "" {
		a.Name, a.Via = e.robot, workqueue.ViaRobot
	}
	a.Name = cmp.Or(a.Name, e.by)
	if a.Via != workqueue.ViaCLI { // a command stores a text with items even if its user gave no reason
		a.Reason = cmp.Or(e.reason, a.Reason)
	}
	return a
}

// audit writes an entry, or adds to the entry of its operation.
func (s *auditing) audit(ctx context.Context, tx *sql.Tx, e auditEntry) error {
	id, err := s.auditID(ctx, tx, &e)
	if err != nil || len(e.items) == 0 {
		return err
	}
	rows, err := jsonRows(e.items)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, tx, "audit_items", values{"audit": id, "rows": rows})
	return err
}

func (s *auditing) auditID(ctx context.Context, tx *sql.Tx, e *auditEntry) (int64, error) {
	target := clean(clip(e.target, nameLen))
	if e.operation != "" {
		ids, err := s.queries.ids(ctx, tx, "audit_extend", values{
			"operation": e.operation, "action": e.action, "target": target, "changed": e.changed,
		})
		if err != nil || len(ids) > 0 {
			return first(ids), err
		}
	}
	a := e.actor(ctx)
	ids, err := s.queries.ids(ctx, tx, "audit_add", values{
		"actor": clean(clip(a.Name, nameLen)), "via": string(a.Via), "host": clean(clip(a.Host, nameLen)),
		"action": e.action, "target_kind": e.kind, "target": target, "filter": null(string(e.filter)), "changed": e.changed,
		"before": e.before.text(), "after": e.after.text(), "reason": clean(clip(a.Reason, reasonLen)),
		"operation": null(e.operation), "now": s.nowArg(),
	})
	return first(ids), err
}

// first returns the first id, or 0 if there is none.
func first(ids []int64) int64 {
	if len(ids) == 0 {
		return 0
	}
	return ids[0]
}

// auditValues are the values of a row before or after a change, by the names of their columns in
// camel case.
type auditValues map[string]json.RawMessage

// text returns the values as a column stores them; nil if there are none.
func (v auditValues) text() *string {
	if len(v) == 0 {
		return nil
	}
	text, err := workqueue.MarshalPlain(map[string]json.RawMessage(v))
	if err != nil {
		return nil // unreachable: all values are JSON
	}
	return null(string(text))
}

// valueOf returns a value for the audit log.
func valueOf(v any) json.RawMessage {
	text, err := workqueue.MarshalPlain(v)
	if err != nil {
		return json.RawMessage("null") // unreachable: all values are plain
	}
	return brief(text)
}

// brief replaces a value that is too long for the audit log.
func brief(value json.RawMessage) json.RawMessage {
	if len(value) <= workqueue.AuditTextLimit {
		return value
	}
	return marker(string(value), false)
}

// rowValues returns the fields of a row that a struct describes, without those that are left out.
func rowValues(row any, leaveOut ...string) (auditValues, error) {
	fields, err := workqueue.RecordedFields(row)
	if err != nil {
		return nil, err
	}
	for _, name := range leaveOut {
		delete(fields, name)
	}
	for name, value := range fields {
		fields[name] = brief(value)
	}
	return fields, nil
}

// differing returns the values that differ. A nil map is a row that does not exist: then it returns
// those values of the other row that are not NULL.
func differing(before, after auditValues) (was, became auditValues) {
	was, became = auditValues{}, auditValues{}
	for name, value := range before {
		if string(value) != string(after[name]) && (after != nil || string(value) != "null") {
			was[name] = value
		}
	}
	for name, value := range after {
		if string(value) != string(before[name]) && (before != nil || string(value) != "null") {
			became[name] = value
		}
	}
	return was, became
}
