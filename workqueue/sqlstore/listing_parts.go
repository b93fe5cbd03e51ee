package sqlstore

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// statesOf returns the states that the filter can select.
func statesOf(f *workqueue.ItemFilter) []workqueue.State {
	var byLifecycle, byStatus []workqueue.State
	for _, l := range f.Lifecycles {
		byLifecycle = append(byLifecycle, lifecycleStates(l)...)
	}
	for _, status := range f.Statuses {
		byStatus = append(byStatus, lifecycleStates(statusLifecycle(status))...)
	}
	return slices.DeleteFunc(workqueue.States(), func(s workqueue.State) bool {
		excludes := func(of []workqueue.State) bool { return len(of) > 0 && !slices.Contains(of, s) }
		return excludes(f.States) || excludes(byLifecycle) || excludes(byStatus)
	})
}

// lifecycleStates returns the states that items in a lifecycle may have.
func lifecycleStates(l workqueue.Lifecycle) []workqueue.State {
	switch l {
	case workqueue.LifeActive:
		return []workqueue.State{workqueue.Blocked}
	case workqueue.LifeCompleted:
		return []workqueue.State{workqueue.Processed}
	case workqueue.LifeArchived:
		return []workqueue.State{workqueue.Cancelled}
	case workqueue.LifeAssigned:
		return []workqueue.State{workqueue.Assigned}
	case workqueue.LifeDeleted:
		return workqueue.States()
	default:
		return []workqueue.State{workqueue.Ready, workqueue.Pending}
	}
}

// statusLifecycle returns the only lifecycle of the items with a status.
func statusLifecycle(status workqueue.Status) workqueue.Lifecycle {
	for _, l := range workqueue.Lifecycles() {
		if workqueue.StatusOf(l, nil) == status {
			return l
		}
	}
	return workqueue.LifeArchived
}

// parts returns conditions that together hold for all items of the filter's states, each of them for the items of
// one index of items in a state. It has the words of the condition of that index: with a parameter instead of a
// literal, engines do not use it. There are none if another index is better, or if a state has no such index.
func (s *itemLists) parts(f *workqueue.ItemFilter) (all []clause.Expression) {
	states := statesOf(f)
	if len(states) == 0 || len(states) == len(workqueue.States()) || len(f.IDs) > 0 || f.NaturalKey != "" || f.FromID > 0 ||
		f.Failed != (workqueue.TimeRange{}) || f.Deadline != (workqueue.TimeRange{}) {
		return nil
	}
	part := func(text string, vars ...any) { all = append(all, clause.Expr{SQL: text, Vars: vars}) }
	ended := func(text string, vars ...any) {
		if !f.Finished.Since.IsZero() {
			text, vars = text+" AND ? >= ?", append(vars, column("FinishedAt"), s.engine.timeArg(f.Finished.Since))
		}
		part(text, vars...)
	}
	state, deleted, deadline, retained := column("State"), column("DeletedAt"), column("DeadlineAt"), column("RetainUntil")
	if slices.Contains(states, workqueue.Ready) || slices.Contains(states, workqueue.Pending) {
		// No fence is below 0, but these indexes need the condition.
		part("? IN (0, 4) AND ? >= 0 AND ? IS NULL AND ? IS NULL", state, column("Fence"), deadline, deleted)
		part("? IN (0, 4) AND ? >= 0 AND ? IS NOT NULL AND ? IS NULL", state, column("Fence"), deadline, deleted)
	}
	if slices.Contains(states, workqueue.Blocked) {
		part("? = 1 AND ? IS NULL", state, deleted)
	}
	if slices.Contains(states, workqueue.Assigned) {
		part("? = 5 AND ? IS NULL", state, deleted)
	}
	if slices.Contains(states, workqueue.Cancelled) {
		ended("? = 3 AND ? IS NULL", state, deleted)
	}
	if !slices.Contains(states, workqueue.Processed) {
		return all
	}
	if f.Finished.Since.IsZero() {
		return nil
	}
	// The first column of the index of items that are not kept for a time of their own is the queue. The others
	// are kept from their end on, so at least until the time that the filter begins with.
	notKept := "? = 2 AND ? IS NULL AND ? IS NULL"
	if f.QueueName == "" {
		ended(notKept+" AND ? IN (SELECT ? FROM ?)", state, retained, deleted, column("QueueName"), column("Name"), clause.Table{Name: queueRow{}.TableName()})
	} else {
		ended(notKept, state, retained, deleted)
	}
	part("? = 2 AND ? IS NOT NULL AND ? >= ? AND ? IS NULL", state, retained, retained, s.engine.timeArg(f.Finished.Since), deleted)
	return all
}

// inParts returns the statement that reads columns of the items of the filter, by the indexes of their states if
// they have any.
func (s *itemLists) inParts(ctx context.Context, f workqueue.ItemFilter, names ...string) *gorm.DB {
	parts := s.parts(&f)
	of := func() *gorm.DB { return s.selected(ctx, s.columns(ctx, names), f) }
	if len(parts) == 0 {
		return of()
	}
	return s.union(ctx, parts, of, names)
}

// columns returns the statement that reads columns of all items.
func (s *itemLists) columns(ctx context.Context, names []string) *gorm.DB {
	return s.listing.WithContext(ctx).Model(&itemRow{}).Clauses(chosen(names))
}

func chosen(names []string) clause.Select {
	columns := make([]clause.Column, len(names))
	for i, name := range names {
		columns[i] = column(name)
	}
	return clause.Select{Columns: columns}
}

// union returns the statement that reads columns of the items in any of the parts, from the statement of each.
func (s *itemLists) union(ctx context.Context, parts []clause.Expression, of func() *gorm.DB, names []string) *gorm.DB {
	var texts []string
	var selects []any
	for _, p := range parts {
		texts, selects = append(texts, "?"), append(selects, of().Where(p))
	}
	return s.listing.WithContext(ctx).Table("("+strings.Join(texts, " UNION ALL ")+") AS parts", selects...).Clauses(chosen(names))
}
