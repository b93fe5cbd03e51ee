package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// Item implements workqueue.ItemStore.
func (s *Store) Item(ctx context.Context, id int64) (workqueue.Item, error) {
	var row itemRow
	err := s.retry(ctx, fmt.Sprintf("read item %d", id), func() error {
		row = itemRow{}
		err := s.shown(s.listing.WithContext(ctx)).Where(map[string]any{"Id": id}).Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return workqueue.ErrNotFound
		}
		return err
	})
	if err != nil {
		return workqueue.Item{}, err
	}
	return s.item(&row), nil
}

// Items implements workqueue.ItemStore.
func (s *Store) Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error) {
	var rows []itemRow
	err := s.retry(ctx, "list items", func() error {
		rows = nil
		orm := s.narrow(ctx, s.shown(s.listing.WithContext(ctx)), f)
		if !f.Deleted() {
			orm = orm.Where(map[string]any{"DeletedAt": nil})
		}
		return orm.Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).Limit(orDefault(f.Limit, 100)).Find(&rows).Error
	})
	items := make([]workqueue.Item, len(rows))
	for i := range rows {
		items[i] = s.item(&rows[i])
	}
	return items, err
}

// shown selects all columns, and whether the item is due.
func (s *Store) shown(orm *gorm.DB) *gorm.DB {
	return orm.Model(&itemRow{}).Select("*, CASE WHEN ? <= "+s.engine.dialect().clock+` THEN 1 ELSE 0 END AS "Due"`, column("AvailableAt"), s.nowArg())
}

// narrow adds the conditions of a filter, but for what it says of deleted
// items and of the length of a page.
func (s *Store) narrow(ctx context.Context, orm *gorm.DB, f workqueue.ItemFilter) *gorm.DB {
	equal := map[string]any{}
	for name, value := range map[string]string{
		"QueueName": f.QueueName, "IntegrationConfig": f.Pipeline, "NaturalKey": f.NaturalKey, "TaskName": f.TaskName,
	} {
		if value != "" {
			equal[name] = value
		}
	}
	if len(f.States) > 0 {
		equal["State"] = f.States
	}
	if len(equal) > 0 {
		orm = orm.Where(equal)
	}
	if len(f.Lifecycles) > 0 {
		orm = orm.Where(clause.Or(s.lifecycles(f.Lifecycles)...))
	}
	if len(f.Statuses) > 0 {
		orm = orm.Where(clause.Or(s.statuses(f.Statuses)...))
	}
	if f.Worker != "" {
		ids := s.listing.WithContext(ctx).Model(&workerRow{}).Select("Id").Where(map[string]any{"Name": f.Worker})
		orm = orm.Where(clause.Expr{SQL: "? IN (?)", Vars: []any{column("WorkerId"), ids}})
	}
	if f.Band != (workqueue.Band{}) {
		orm = orm.Where(clause.Gte{Column: column("Priority"), Value: f.Band.Min}).
			Where(clause.Lte{Column: column("Priority"), Value: f.Band.Max})
	}
	if f.BeforeID > 0 {
		orm = orm.Where(clause.Lt{Column: column("Id"), Value: f.BeforeID})
	}
	if len(f.TagsAny) > 0 {
		orm = orm.Where(clause.Or(s.holding("Tags", tagTexts(f.TagsAny))...))
	}
	if len(f.TagsAll) > 0 {
		orm = orm.Where(clause.And(s.holding("Tags", tagTexts(f.TagsAll))...))
	}
	if len(f.Metadata) > 0 {
		orm = orm.Where(clause.And(s.holding("Metadata", metadataTexts(f.Metadata))...))
	}
	return orm
}

// lifecycles are the conditions of each lifecycle, as workqueue.LifecycleOf
// computes them.
func (s *Store) lifecycles(of []workqueue.Lifecycle) []clause.Expression {
	all := make([]clause.Expression, len(of))
	for i, l := range of {
		all[i] = s.lifecycle(l)
	}
	return all
}

func (s *Store) lifecycle(l workqueue.Lifecycle) clause.Expression {
	present := clause.Eq{Column: column("DeletedAt")}
	state := func(states ...any) clause.Expression { return clause.IN{Column: column("State"), Values: states} }
	due := func(compare string) clause.Expression {
		return clause.Expr{SQL: "? " + compare + " " + s.engine.dialect().clock, Vars: []any{column("AvailableAt"), s.nowArg()}}
	}
	switch l {
	case workqueue.LifeDeleted:
		return clause.Neq{Column: column("DeletedAt")}
	case workqueue.LifeActive:
		return clause.And(present, state(workqueue.Blocked))
	case workqueue.LifeCompleted:
		return clause.And(present, state(workqueue.Processed))
	case workqueue.LifeArchived:
		return clause.And(present, state(workqueue.Cancelled))
	case workqueue.LifeAssigned:
		return clause.And(present, state(workqueue.Assigned))
	case workqueue.LifePending:
		return clause.And(present, state(workqueue.Ready, workqueue.Pending), due("<="))
	case workqueue.LifeRetry:
		return clause.And(present, state(workqueue.Ready, workqueue.Pending), due(">"), clause.Gt{Column: column("RetryCount"), Value: 0})
	default:
		return clause.And(present, state(workqueue.Ready, workqueue.Pending), due(">"), clause.Eq{Column: column("RetryCount"), Value: 0})
	}
}

// statuses returns the conditions of each status, as workqueue.StatusOf computes them.
func (s *Store) statuses(of []workqueue.Status) []clause.Expression {
	all := make([]clause.Expression, len(of))
	for i, status := range of {
		all[i] = s.status(status)
	}
	return all
}

func (s *Store) status(status workqueue.Status) clause.Expression {
	kind := func(is workqueue.ErrorKind) clause.Expression {
		return clause.Eq{Column: column("ErrorKind"), Value: string(is)}
	}
	archived := func(kinds clause.Expression) clause.Expression {
		return clause.And(s.lifecycle(workqueue.LifeArchived), kinds)
	}
	switch status {
	case workqueue.StatusScheduled:
		return s.lifecycle(workqueue.LifeScheduled)
	case workqueue.StatusPending:
		return s.lifecycle(workqueue.LifePending)
	case workqueue.StatusAssigned:
		return s.lifecycle(workqueue.LifeAssigned)
	case workqueue.StatusRunning:
		return s.lifecycle(workqueue.LifeActive)
	case workqueue.StatusRetry:
		return s.lifecycle(workqueue.LifeRetry)
	case workqueue.StatusSucceeded:
		return s.lifecycle(workqueue.LifeCompleted)
	case workqueue.StatusDeleted:
		return s.lifecycle(workqueue.LifeDeleted)
	case workqueue.StatusBusinessError:
		return archived(kind(workqueue.KindBusiness))
	case workqueue.StatusExpired:
		return archived(kind(workqueue.KindExpired))
	case workqueue.StatusCancelled:
		return archived(clause.Or(kind(workqueue.KindCancelled), clause.Eq{Column: column("ErrorKind")}))
	default:
		// Failed: with any other kind. NULL is none of these, and so in no list.
		others := clause.IN{Column: column("ErrorKind"), Values: []any{string(workqueue.KindBusiness), string(workqueue.KindExpired), string(workqueue.KindCancelled)}}
		return archived(clause.Not(others))
	}
}
