package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"reflect"
	"slices"
	"strings"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/report"
)

// Columns of items whose values the audit log records. Those of any change come first; deletions
// add what the item was.
var (
	changedColumns = []string{"Id", "Version", "Encrypted", "State", "RetryCount", "ReleaseCount", "AvailableAt", "WorkerId", "DeletedAt", "ErrorKind"}
	deletedColumns = slices.Concat(changedColumns, []string{
		"QueueName", "Priority", "IntegrationConfig", "NaturalKey", "TaskName", "CreatedAt", "CreatedBy", "FinishedAt", "Step", "Error",
	})
)

// sealedColumns are the columns of an encrypted item that are sealed.
var sealedColumns = []string{payloadColumn, metadataColumn}

// auditedColumns returns the columns that a change may change.
func auditedColumns(c workqueue.Change) []string {
	switch c.Action {
	case workqueue.Delete:
		return deletedColumns
	case workqueue.Update:
		return append(slices.Clone(changedColumns), updatedColumns(c.Update)...)
	default:
		return changedColumns
	}
}

func updatedColumns(u *workqueue.ItemUpdate) []string {
	var columns []string
	for _, set := range []struct {
		sets   bool
		column string
	}{
		{u.Queue != "", "QueueName"}, {u.Queue != "" || u.Priority != nil, "Priority"},
		{u.Deadline != nil || u.DeadlineIn != nil || u.SetsFinish(), "DeadlineAt"}, {u.SetsFinish(), "FinishBy"}, {u.Payload != nil, "Payload"},
		{u.Estimate != nil, "EstimatedDurationMs"}, {u.Resilience != nil, "ResilienceConfig"}, {u.LimitKey != nil, "LimitKey"},
		{len(u.AddTags)+len(u.RemoveTags) > 0, "Tags"}, {len(u.Metadata)+len(u.RemoveMetadata) > 0, "Metadata"},
		{len(u.Labels)+len(u.RemoveLabels) > 0, "Labels"}, {u.Selectors != nil, "Selectors"},
	} {
		if set.sets {
			columns = append(columns, set.column)
		}
	}
	return columns
}

// itemsBefore are items before a change.
type itemsBefore struct {
	columns []string
	rows    map[int64]itemRow
}

// before reads items before they are changed. Their rows must be locked, so that what differs
// afterwards was changed by this transaction.
func (s *auditing) before(ctx context.Context, tx *sql.Tx, ids []int64, columns []string) (itemsBefore, error) {
	rows, err := s.itemsNow(ctx, tx, ids, columns)
	return itemsBefore{columns, rows}, err
}

// since returns what has changed since then, in the order of the items' ids. Every change of an
// item raises its version.
func (s *auditing) since(ctx context.Context, tx *sql.Tx, b itemsBefore) ([]auditItem, error) {
	ids := make([]int64, 0, len(b.rows))
	for id := range b.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	now, err := s.itemsNow(ctx, tx, ids, b.columns)
	if err != nil {
		return nil, err
	}
	var changed []auditItem
	for _, id := range ids {
		was := b.rows[id]
		is, present := now[id]
		if present && is.Version == was.Version {
			continue
		}
		var after auditValues
		if present {
			after = is.audited(b.columns)
		}
		differBefore, differAfter := differing(was.audited(b.columns), after)
		if !was.DeletedAt.Valid && (!present || is.DeletedAt.Valid) {
			was.keepFailure(differBefore)
		}
		changed = append(changed, auditItem{id, differBefore.text(), differAfter.text()})
	}
	return changed, nil
}

// keepFailure adds the failure of an item that is deleted, so that reports still count it.
func (r *itemRow) keepFailure(v auditValues) {
	kind := workqueue.ErrorKind(orZero(r.ErrorKind))
	if workqueue.State(r.State) != workqueue.Cancelled || kind == "" || kind == workqueue.KindCancelled || !r.FinishedAt.Valid {
		return
	}
	f := workqueue.Failure{Queue: r.QueueName, Pipeline: string(r.IntegrationConfig), Step: orZero(r.Step), Kind: kind, Error: orZero(r.Error), At: r.FinishedAt.Time}
	v[workqueue.AuditFailure] = valueOf(report.Deleted(&f))
}

func (s *auditing) itemsNow(ctx context.Context, tx *sql.Tx, ids []int64, columns []string) (map[int64]itemRow, error) {
	found := make(map[int64]itemRow, len(ids))
	list := make([]clause.Column, len(columns))
	for i, name := range columns {
		list[i] = column(name)
	}
	for chunk := range slices.Chunk(ids, auditRead) {
		var rows []itemRow
		err := s.in(ctx, tx).Model(&itemRow{}).Clauses(clause.Select{Columns: list}).Where(map[string]any{"Id": chunk}).Find(&rows).Error
		if err != nil {
			return nil, err
		}
		for i := range rows {
			found[rows[i].ID] = rows[i]
		}
	}
	return found, nil
}

// auditRead is how many items one statement reads: SQL Server takes 2,100 parameters.
const auditRead = 1000

// audited returns the values of columns for the audit log.
func (r *itemRow) audited(columns []string) auditValues {
	v := auditValues{}
	row := reflect.ValueOf(r).Elem()
	for _, name := range columns {
		switch name {
		case "Id", "Version", "Encrypted", "Step", "Error": // the last two are for deletedFailure
			continue
		}
		value := row.Field(fieldOfColumn[name]).Interface()
		key := strings.ToLower(name[:1]) + name[1:]
		switch t := value.(type) {
		case database.Time:
			v[key] = valueOf(t.Pointer())
		case nullText:
			switch {
			case r.Encrypted && t != "" && slices.Contains(sealedColumns, name):
				v[key] = marker(string(t), true)
			case name == "IntegrationConfig":
				v[key] = valueOf(string(t))
			default:
				v[key] = brief(valueOrNull(workqueue.JSONText(t)))
			}
		default:
			v[key] = valueOf(value)
		}
	}
	return v
}

func valueOrNull(t workqueue.JSONText) []byte {
	text, err := t.MarshalJSON()
	if err != nil {
		return []byte("null") // unreachable: a text is a valid string
	}
	return text
}

// marker replaces a text that the audit log does not hold. The hash of an encrypted text is that of
// the text as it is stored, so that a reader cannot check a guess of the original.
func marker(text string, encrypted bool) []byte {
	sum := sha256.Sum256([]byte(text))
	return valueOf(struct {
		Encrypted bool   `json:"encrypted,omitempty"`
		Bytes     int    `json:"bytes"`
		SHA256    string `json:"sha256"`
	}{encrypted, len(text), hex.EncodeToString(sum[:])})
}
