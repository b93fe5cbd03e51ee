package sqlstore

import (
	"context"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.AuditStore = (*auditLog)(nil)

// auditLog reads the audit log.
type auditLog struct {
	*connection
}

// auditRow is BotAuditLog.
type auditRow struct {
	ID         int64 `gorm:"column:Id;primaryKey"`
	At         database.Time
	Actor      string
	Via        string
	Host       string
	Action     string
	TargetKind string
	Target     string
	Filter     nullText
	Changed    int64
	Before     nullText
	After      nullText
	Reason     string
	Operation  *string
}

func (auditRow) TableName() string { return "BotAuditLog" }

func (r *auditRow) entry() workqueue.AuditEntry {
	return workqueue.AuditEntry{
		ID: r.ID, At: r.At.Time, Actor: r.Actor, Via: workqueue.Via(r.Via), Host: r.Host, Action: r.Action,
		TargetKind: r.TargetKind, Target: r.Target, Filter: workqueue.JSONText(r.Filter), Changed: r.Changed,
		Before: workqueue.JSONText(r.Before), After: workqueue.JSONText(r.After), Reason: r.Reason, Operation: r.Operation,
	}
}

// auditItemRow is BotAuditItems.
type auditItemRow struct {
	ID            int64 `gorm:"column:Id;primaryKey"`
	AuditID       int64 `gorm:"column:AuditId"`
	ItemID        int64 `gorm:"column:ItemId"`
	Before, After nullText
}

func (auditItemRow) TableName() string { return "BotAuditItems" }

// auditPage is the number of rows that a list has if its caller names none.
const auditPage = 100

// AuditEntries implements workqueue.AuditStore.
func (s *auditLog) AuditEntries(ctx context.Context, f workqueue.AuditFilter) ([]workqueue.AuditEntry, error) {
	var rows []auditRow
	var ofItem []auditItemRow
	err := s.retry(ctx, "list the audit log", func() error {
		rows, ofItem = nil, nil
		err := s.auditSelected(ctx, f).Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).
			Limit(orDefault(f.Limit, auditPage)).Find(&rows).Error
		if err != nil || f.ItemID == 0 || len(rows) == 0 {
			return err
		}
		return s.listing.WithContext(ctx).Where(map[string]any{"ItemId": f.ItemID}).
			Where(clause.Gte{Column: column("AuditId"), Value: rows[len(rows)-1].ID}).Order(ascending("Id")).Find(&ofItem).Error
	})
	entries := make([]workqueue.AuditEntry, len(rows))
	for i := range rows {
		entries[i] = rows[i].entry()
		for _, it := range ofItem {
			if it.AuditID == rows[i].ID {
				entries[i].Before, entries[i].After = workqueue.JSONText(it.Before), workqueue.JSONText(it.After)
			}
		}
	}
	return entries, err
}

func (s *auditLog) auditSelected(ctx context.Context, f workqueue.AuditFilter) *gorm.DB {
	orm := s.listing.WithContext(ctx).Model(&auditRow{})
	equal := map[string]any{}
	for name, value := range map[string]string{"Actor": f.Actor, "TargetKind": f.TargetKind, "Target": f.Target} {
		if value != "" {
			equal[name] = value
		}
	}
	if f.ID > 0 {
		equal["Id"] = f.ID
	}
	if f.Action != "" {
		equal["Action"] = f.Action
	}
	if f.Action != "" && !strings.Contains(f.Action, ".") {
		equal["Action"] = actionsOf(f.Action)
	}
	if len(equal) > 0 {
		orm = orm.Where(equal)
	}
	if !f.Since.IsZero() {
		orm = orm.Where(clause.Gte{Column: column("At"), Value: s.engine.timeArg(f.Since)})
	}
	if !f.Until.IsZero() {
		orm = orm.Where(clause.Lt{Column: column("At"), Value: s.engine.timeArg(f.Until)})
	}
	if f.BeforeID > 0 {
		orm = orm.Where(clause.Lt{Column: column("Id"), Value: f.BeforeID})
	}
	if f.ItemID > 0 {
		ids := s.listing.WithContext(ctx).Model(&auditItemRow{}).Select("AuditId").Where(map[string]any{"ItemId": f.ItemID})
		orm = orm.Where(clause.Expr{SQL: "? IN (?)", Vars: []any{column("Id"), ids}})
	}
	return orm
}

// actionsOf lists the actions that a noun has; a noun without any selects nothing.
func actionsOf(noun string) []string {
	actions := []string{noun}
	for _, a := range workqueue.AuditActions() {
		if strings.HasPrefix(a, noun+".") {
			actions = append(actions, a)
		}
	}
	return actions
}

// AuditItems implements workqueue.AuditStore.
func (s *auditLog) AuditItems(ctx context.Context, entryID, afterID int64, limit int) ([]workqueue.AuditItem, error) {
	var rows []auditItemRow
	err := s.retry(ctx, "list the items of an audit entry", func() error {
		rows = nil
		return s.listing.WithContext(ctx).Where(map[string]any{"AuditId": entryID}).Where(clause.Gt{Column: column("Id"), Value: afterID}).
			Order(ascending("Id")).Limit(orDefault(limit, auditPage)).Find(&rows).Error
	})
	items := make([]workqueue.AuditItem, len(rows))
	for i, r := range rows {
		items[i] = workqueue.AuditItem{
			ID: r.ID, EntryID: r.AuditID, ItemID: r.ItemID, Before: workqueue.JSONText(r.Before), After: workqueue.JSONText(r.After),
		}
	}
	return items, err
}
