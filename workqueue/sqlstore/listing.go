package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// itemLists reads items and their attempts for people.
type itemLists struct {
	*connection
	*itemRows
}

// Item implements workqueue.ItemStore.
func (s *itemLists) Item(ctx context.Context, id int64) (workqueue.Item, error) {
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
func (s *itemLists) Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error) {
	f, cut, err := s.bounded(ctx, f)
	if err != nil {
		return nil, err
	}
	items, err := s.items(ctx, f)
	if f.Sort.NewestFirst() && len(items) == orDefault(f.Limit, 100) {
		cut = nil // the page is full, and the next one follows its last item
	}
	return items, leftOut(err, cut)
}

func (s *itemLists) items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error) {
	if f.Payload != nil {
		return s.itemsByPayload(ctx, f)
	}
	var rows []itemRow
	err := s.retry(ctx, "list items", func() error {
		rows = nil
		ids, err := s.fewIDs(ctx, f)
		if err != nil {
			return err
		}
		if ids == nil {
			return s.page(ctx, f).Find(&rows).Error
		}
		rows, err = s.itemsOf(ctx, f, ids)
		return err
	})
	items := make([]workqueue.Item, len(rows))
	for i := range rows {
		items[i] = s.item(&rows[i])
	}
	return items, err
}

const (
	// mostFew is how many items are few: to read and sort their ids costs less than to look for them among all items.
	mostFew = 10_000

	// mostIDs is how many ids a statement names.
	mostIDs = 500
)

// fewIDs returns the ids of all items of a list in its order, if that is the order of the ids and the filter selects a
// few items of an index of their states; otherwise nil.
func (s *itemLists) fewIDs(ctx context.Context, f workqueue.ItemFilter) ([]int64, error) {
	if _, sorts := sortColumns[f.Sort.By]; sorts || len(s.parts(&f)) == 0 {
		return nil, nil
	}
	ids := []int64{}
	if err := s.inParts(ctx, f, "Id").Limit(mostFew+1).Pluck("Id", &ids).Error; err != nil || len(ids) > mostFew {
		return nil, err
	}
	slices.Sort(ids)
	if f.Sort.NewestFirst() {
		slices.Reverse(ids)
	}
	return ids, nil
}

// itemsOf returns the first page of the items with these ids that the filter still selects.
func (s *itemLists) itemsOf(ctx context.Context, f workqueue.ItemFilter, ids []int64) (rows []itemRow, err error) {
	for limit := orDefault(f.Limit, 100); len(ids) > 0 && len(rows) < limit; {
		some := ids[:min(len(ids), limit-len(rows), mostIDs)]
		ids = ids[len(some):]
		var found []itemRow
		selected := s.selected(ctx, s.shown(s.listing.WithContext(ctx)), f).Where(map[string]any{"Id": some})
		if err := sorted(selected, f.Sort).Find(&found).Error; err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// page returns the statement for Items without a payload. An order other than that of the ids sorts
// all items that the filter selects. It sorts only their ids: SQLite needed ten seconds to sort a
// million whole items, the latest first, and needs one for their ids.
func (s *itemLists) page(ctx context.Context, f workqueue.ItemFilter) *gorm.DB {
	limit := orDefault(f.Limit, 100)
	by, sorts := sortColumns[f.Sort.By]
	if !sorts {
		return sorted(s.selected(ctx, s.shown(s.listing.WithContext(ctx)), f), f.Sort).Limit(limit)
	}
	ids := sorted(s.inParts(ctx, f, "Id", by), f.Sort).Limit(limit)
	ids = s.listing.WithContext(ctx).Table("(?) AS found", ids).Clauses(clause.Select{Columns: []clause.Column{column("Id")}})
	return sorted(s.shown(s.listing.WithContext(ctx)).Where(clause.Expr{SQL: "? IN (?)", Vars: []any{column("Id"), ids}}), f.Sort)
}

// CountItems implements workqueue.ItemStore.
func (s *itemLists) CountItems(ctx context.Context, f workqueue.ItemFilter) (n int64, err error) {
	f, cut, err := s.bounded(ctx, f)
	switch {
	case err != nil:
		return 0, err
	case f.Payload != nil:
		n, err = s.countByPayload(ctx, f)
	default:
		err = s.retry(ctx, "count items", func() (err error) {
			n, err = s.count(ctx, f)
			return err
		})
	}
	if f.CountAtMost > 0 && n == f.CountAtMost {
		cut = nil // it found as many as it was to count
	}
	return n, leftOut(err, cut)
}

func (s *itemLists) count(ctx context.Context, f workqueue.ItemFilter) (n int64, err error) {
	ids := s.inParts(ctx, f, "Id")
	if f.CountAtMost > 0 {
		ids = ids.Limit(int(f.CountAtMost))
	}
	err = s.listing.WithContext(ctx).Table("(?) AS counted", ids).Count(&n).Error
	return n, err
}

// selected adds the conditions of the filter. Deleted items are selected only on request.
func (s *itemLists) selected(ctx context.Context, orm *gorm.DB, f workqueue.ItemFilter) *gorm.DB {
	orm = s.narrow(ctx, orm, f)
	if !f.Deleted() {
		orm = orm.Where(map[string]any{"DeletedAt": nil})
	}
	return orm
}

// sortColumns are the columns of the sort keys.
var sortColumns = map[workqueue.SortKey]string{
	workqueue.SortPriority: "Priority", workqueue.SortCreated: "CreatedAt", workqueue.SortDue: "AvailableAt",
	workqueue.SortStarted: "StartedAt", workqueue.SortFinished: "FinishedAt",
}

// sorted orders items. Engines differ in whether NULL comes first or last, so here it is last.
func sorted(orm *gorm.DB, by workqueue.ItemSort) *gorm.DB {
	name, ok := sortColumns[by.By]
	if !ok {
		return orm.Order(clause.OrderByColumn{Column: column("Id"), Desc: by.By == "" || by.Descending})
	}
	direction := ""
	if by.Descending {
		direction = " DESC"
	}
	return orm.Order(clause.OrderBy{Expression: clause.Expr{
		SQL: "CASE WHEN ? IS NULL THEN 1 ELSE 0 END, ?" + direction + ", ? DESC", Vars: []any{column(name), column(name), column("Id")},
	}})
}

// shown selects all columns, whether the item is due, and the reason of a snooze that is the latest
// attempt of an item that waits. The database reads the attempts only of items that have run and
// are not due, one row of each. An item that runs again from zero has no StartedAt.
func (s *itemLists) shown(orm *gorm.DB) *gorm.DB {
	due := "? <= " + s.engine.dialect().clock
	return orm.Model(&itemRow{}).Select("*, CASE WHEN "+due+` THEN 1 ELSE 0 END AS "Due",
		CASE WHEN "State" = 0 AND "DeletedAt" IS NULL AND "StartedAt" IS NOT NULL AND NOT (`+due+`)
		THEN (SELECT COALESCE(a."Error", '') FROM "BotWorkItemAttempts" a
			WHERE a."Id" = (SELECT MAX(b."Id") FROM "BotWorkItemAttempts" b WHERE b."ItemId" = "BotWorkQueueItems"."Id")
				AND a."Fence" = "BotWorkQueueItems"."Fence" AND a."Outcome" = 'snoozed')
		END AS "SnoozeReason"`, column("AvailableAt"), s.nowArg(), column("AvailableAt"), s.nowArg())
}

// narrow adds the conditions of the filter, except those about deleted items, payloads and the page
// size.
func (s *itemLists) narrow(ctx context.Context, orm *gorm.DB, f workqueue.ItemFilter) *gorm.DB {
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
	if len(f.IDs) > 0 {
		equal["Id"] = f.IDs
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
	if f.FromID > 0 {
		orm = orm.Where(clause.Gte{Column: column("Id"), Value: f.FromID})
	}
	for _, condition := range s.searched(&f) {
		orm = orm.Where(condition)
	}
	if len(f.TagsAny) > 0 {
		orm = orm.Where(clause.Or(s.holding("Tags", tagTexts(f.TagsAny))...))
	}
	if len(f.TagsAll) > 0 {
		orm = orm.Where(clause.And(s.holding("Tags", tagTexts(f.TagsAll))...))
	}
	if len(f.MetadataBegins) > 0 {
		orm = orm.Where(clause.And(s.holding("Metadata", metadataBeginnings(f.MetadataBegins))...))
	}
	if len(f.Metadata) > 0 {
		orm = orm.Where(clause.And(s.holding("Metadata", metadataTexts(f.Metadata))...))
	}
	for _, condition := range s.labelled(&f) {
		orm = orm.Where(condition)
	}
	return orm
}

// searched returns the conditions on times, errors and parts of texts.
func (s *itemLists) searched(f *workqueue.ItemFilter) (all []clause.Expression) {
	for _, c := range []struct {
		column string
		in     workqueue.TimeRange
	}{{"CreatedAt", f.Created}, {"AvailableAt", f.Due}, {"StartedAt", f.Started}, {"FinishedAt", f.Finished}, {"FinishedAt", f.Failed}, {"DeadlineAt", f.Deadline}} {
		if !c.in.Since.IsZero() {
			all = append(all, clause.Gte{Column: column(c.column), Value: s.engine.timeArg(c.in.Since)})
		}
		if !c.in.Until.IsZero() {
			all = append(all, clause.Lt{Column: column(c.column), Value: s.engine.timeArg(c.in.Until)})
		}
	}
	if f.Failed != (workqueue.TimeRange{}) {
		// The first two are implied. With them, engines read IX_BotWorkQueueItems_Archived, whose first
		// column is the queue; SQL Server needs the state as a literal for that.
		all = append(all, clause.Expr{SQL: fmt.Sprintf("? = %d", workqueue.Cancelled), Vars: []any{column("State")}})
		if f.QueueName == "" {
			all = append(all, clause.Expr{SQL: "? IN (SELECT ? FROM ?)", Vars: []any{column("QueueName"), column("Name"), clause.Table{Name: queueRow{}.TableName()}}})
		}
		all = append(all, clause.Or(s.status(workqueue.StatusFailed), s.status(workqueue.StatusBusinessError)))
	}
	if f.Deadline != (workqueue.TimeRange{}) {
		// The first two are the same: SQLite uses IX_BotWorkQueueItems_Deadline only with the words of its
		// condition, and the other engines only with theirs.
		state := column("State")
		all = append(all, clause.Expr{SQL: "? IN (0, 4, 5) AND ? NOT BETWEEN 1 AND 3 AND ? IS NOT NULL", Vars: []any{state, state, column("DeadlineAt")}})
	}
	if len(f.ErrorKinds) > 0 {
		kinds := make([]any, len(f.ErrorKinds))
		for i, kind := range f.ErrorKinds {
			kinds[i] = string(kind)
		}
		all = append(all, clause.IN{Column: column("ErrorKind"), Values: kinds})
	}
	if f.ErrorPart != "" {
		all = append(all, containing("Error", f.ErrorPart))
	}
	if f.KeyPart != "" {
		all = append(all, containing("NaturalKey", f.KeyPart))
	}
	return all
}

// likeSpecial are the characters with a meaning in a pattern of LIKE: the brackets on SQL Server.
var likeSpecial = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "[", `\[`)

// containing is the condition that a text contains a part, in any case as far as the engine knows
// it: SQLite knows only that of ASCII letters.
func containing(name, part string) clause.Expression {
	return clause.Expr{SQL: `LOWER(?) LIKE LOWER(?) ESCAPE '\'`, Vars: []any{column(name), "%" + likeSpecial.Replace(clean(part)) + "%"}}
}

// lifecycles returns the conditions of each lifecycle, as workqueue.LifecycleOf computes them.
func (s *itemLists) lifecycles(of []workqueue.Lifecycle) []clause.Expression {
	all := make([]clause.Expression, len(of))
	for i, l := range of {
		all[i] = s.lifecycle(l)
	}
	return all
}

func (s *itemLists) lifecycle(l workqueue.Lifecycle) clause.Expression {
	if l == workqueue.LifeDeleted {
		return clause.Neq{Column: column("DeletedAt")}
	}
	var states []any
	for _, one := range lifecycleStates(l) {
		states = append(states, one)
	}
	all := []clause.Expression{clause.Eq{Column: column("DeletedAt")}, clause.IN{Column: column("State"), Values: states}}
	due := func(compare string) {
		all = append(all, clause.Expr{SQL: "? " + compare + " " + s.engine.dialect().clock, Vars: []any{column("AvailableAt"), s.nowArg()}})
	}
	switch l {
	case workqueue.LifePending:
		due("<=")
	case workqueue.LifeRetry:
		due(">")
		all = append(all, clause.Gt{Column: column("RetryCount"), Value: 0})
	case workqueue.LifeScheduled:
		due(">")
		all = append(all, clause.Eq{Column: column("RetryCount"), Value: 0})
	}
	return clause.And(all...)
}

// statuses returns the conditions of each status, as workqueue.StatusOf computes them.
func (s *itemLists) statuses(of []workqueue.Status) []clause.Expression {
	all := make([]clause.Expression, len(of))
	for i, status := range of {
		all[i] = s.status(status)
	}
	return all
}

func (s *itemLists) status(status workqueue.Status) clause.Expression {
	kind := func(is workqueue.ErrorKind) clause.Expression {
		return clause.Eq{Column: column("ErrorKind"), Value: string(is)}
	}
	archived := func(kinds clause.Expression) clause.Expression {
		return clause.And(s.lifecycle(workqueue.LifeArchived), kinds)
	}
	if l := statusLifecycle(status); l != workqueue.LifeArchived {
		return s.lifecycle(l)
	}
	switch status {
	case workqueue.StatusBusinessError:
		return archived(kind(workqueue.KindBusiness))
	case workqueue.StatusExpired:
		return archived(kind(workqueue.KindExpired))
	case workqueue.StatusCancelled:
		return archived(clause.Or(kind(workqueue.KindCancelled), clause.Eq{Column: column("ErrorKind")}))
	default:
		// Failed has any other kind. NULL does not match NOT IN.
		others := clause.IN{Column: column("ErrorKind"), Values: []any{string(workqueue.KindBusiness), string(workqueue.KindExpired), string(workqueue.KindCancelled)}}
		return archived(clause.Not(others))
	}
}

func column(name string) clause.Column { return clause.Column{Name: name} }
