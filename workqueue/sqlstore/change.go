package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// itemChanges does what users ask of items: run now, cancel, repeat, clone, delete, update.
type itemChanges struct {
	*connection
	*policies
	*notices
	*batches
	*itemLists
	*itemRows
	*bookkeeping
	*archive
	*auditing
	*queueStore
}

// ChangeItem implements workqueue.ItemStore.
func (s *itemChanges) ChangeItem(ctx context.Context, id int64, c workqueue.Change) (clone int64, err error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	err = s.connection.bounded(ctx, func(ctx context.Context) error {
		clone, err = s.changeItem(ctx, id, nil, c, operationOf(c, nil))
		return err
	})
	return clone, err
}

// changeItem is ChangeItem for an item of a page. One that the filter, unless it is nil, no
// longer selects is refused like one whose state forbids the action.
func (s *itemChanges) changeItem(ctx context.Context, id int64, f *workqueue.ItemFilter, c workqueue.Change, o operation) (clone int64, err error) {
	doing := fmt.Sprintf("%s item %d", c.Action, id)
	part := changePart(c, -id)
	if before, found, err := s.changedBefore(ctx, part); err != nil || found {
		return firstClone(before), err
	}
	changed := 0
	err = s.retry(ctx, doing, func() (err error) {
		if c.DryRun {
			return nil
		}
		if c.Action == workqueue.Clone {
			clone, err = s.clone(ctx, id, f, c, part, o)
			return err
		}
		changed, err = s.apply(ctx, c, []int64{id}, f, part, 0, o)
		return s.naming(ctx, err)
	})
	err = unanswered(part.BatchPart, err)
	s.readyIf(err == nil && (clone > 0 || changed > 0 && c.MakesReady()))
	switch {
	case classify(err) == uniqueError:
		if before, found, err := s.changedBefore(ctx, part); err != nil || found {
			return firstClone(before), err // another call has done it in this moment
		}
		if c.Action == workqueue.Update {
			return 0, fmt.Errorf("%s: %w", doing, s.duplicateOfUpdate(ctx, id, c.Update))
		}
		if c.NewKey != "" {
			return 0, fmt.Errorf("%s: %w", doing, s.duplicateOfClone(ctx, id, c.NewKey))
		}
		return 0, fmt.Errorf("%s: %w", doing, s.duplicateOf(ctx, id))
	case err != nil || clone > 0:
		return clone, err
	case changed > 0:
		if c.Action == workqueue.Cancel || c.Action == workqueue.Archive {
			_ = s.trimAllArchives(ctx) // the change is done; what this leaves, the next one takes
		}
		return 0, nil
	}
	item, err := s.Item(ctx, id)
	switch {
	case errors.Is(err, workqueue.ErrNotFound):
		return 0, fmt.Errorf("%s: %w", doing, workqueue.ErrNotFound)
	case err != nil:
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	if c.DryRun && c.Allows(&item) && (c.IfVersion == 0 || c.IfVersion == item.Version) {
		refused, err := s.refusals(ctx, c, []int64{id})
		if err == nil && len(refused) > 0 {
			err = refused[0]
		}
		return 0, err
	}
	return 0, c.Refuse(&item)
}

// changePage bounds a page of ChangeItems: SQL Server takes 2,100 parameters
// and locks a table from 5,000 rows on. dryPage bounds one that only counts.
const (
	changePage = 500
	dryPage    = 10_000
)

// ChangeItems implements workqueue.ItemStore.
func (s *itemChanges) ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (result workqueue.ChangeResult, err error) {
	err = s.connection.bounded(ctx, func(ctx context.Context) error {
		result, err = s.changeItems(ctx, f, c)
		return err
	})
	return result, err
}

func (s *itemChanges) changeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (workqueue.ChangeResult, error) {
	if err := c.Validate(); err != nil {
		return workqueue.ChangeResult{}, err
	}
	if c.NewKey != "" {
		return workqueue.ChangeResult{}, errors.New("clone items: got a new natural key, which is for one item")
	}
	if c.FromStep != "" {
		return workqueue.ChangeResult{}, errors.New("repeat items: got a step, which is for one item")
	}
	part, o := changePart(c, c.Batch.Part), operationOf(c, &f)
	if before, found, err := s.changedBefore(ctx, part); err != nil || found {
		return before, err
	}
	var result workqueue.ChangeResult
	page := changePage
	if c.DryRun {
		page = dryPage
	}
	limit := min(orDefault(f.Limit, page), page)
	ids, err := s.changeable(ctx, f, c, limit, &result)
	if err != nil || len(ids) == 0 {
		return result, err
	}
	result.Top = ids[0] + 1
	if c.DryRun {
		result.Refusals, err = s.refusals(ctx, c, ids)
		result.Changed = len(ids) - len(result.Refusals)
		return result, err
	}
	if c.Action == workqueue.Clone {
		err = s.cloneEach(ctx, ids, &f, c, o, &result)
		s.readyIf(result.Changed > 0)
		return result, err
	}
	err = s.retry(ctx, string(c.Action)+" items", func() error {
		result.Changed, err = s.apply(ctx, c, ids, &f, part, result.Next, o)
		return s.naming(ctx, err)
	})
	err = unanswered(part.BatchPart, err)
	s.readyIf(err == nil && result.Changed > 0 && c.MakesReady())
	if c.Action == workqueue.Cancel || c.Action == workqueue.Archive {
		_ = s.trimAllArchives(ctx) // as above
	}
	_, bad := errors.AsType[*workqueue.BadUpdateError](err)
	if classify(err) != uniqueError && !bad {
		return result, err
	}
	if before, found, err := s.changedBefore(ctx, part); err != nil || found {
		return before, err // another call has done it in this moment
	}
	// One of them would take a key that another item has by now, or cannot have the new values:
	// the items are changed one by one.
	for _, id := range ids {
		switch _, err := s.changeItem(ctx, id, &f, c, o); {
		case err == nil:
			result.Changed++
		case !passedOver(err, &result):
			return result, err
		}
	}
	return result, nil
}

// passedOver reports whether an item may not be changed or is gone, so that the others
// continue. Items whose key is in use are counted.
func passedOver(err error, result *workqueue.ChangeResult) bool {
	if errors.Is(err, workqueue.ErrNotFound) {
		return true
	}
	if _, ok := errors.AsType[*workqueue.DuplicateError](err); ok {
		result.KeysTaken++
		return true
	}
	if bad, ok := errors.AsType[*workqueue.BadUpdateError](err); ok {
		result.Refusals = append(result.Refusals, bad)
		return true
	}
	_, ok := errors.AsType[*workqueue.TransitionError](err)
	return ok
}

// changeable lists the ids of a page, and sets the next page.
func (s *itemChanges) changeable(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change, limit int, result *workqueue.ChangeResult) ([]int64, error) {
	if f.Payload != nil {
		return s.changeableByPayload(ctx, f, c, limit, result)
	}
	var ids []int64
	err := s.retry(ctx, "list items to "+string(c.Action), func() error {
		ids = nil
		return s.allowed(ctx, s.listing.WithContext(ctx).Model(&itemRow{}), c, &f).
			Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).Limit(limit).Pluck("Id", &ids).Error
	})
	if err == nil && len(ids) == limit {
		result.Next = ids[limit-1]
	}
	return ids, err
}

// allowed adds the conditions of items that a change is allowed for and that a filter selects.
// Without a filter an action that takes deleted items takes each of them, with one only if the
// filter includes them.
func (s *itemChanges) allowed(ctx context.Context, orm *gorm.DB, c workqueue.Change, f *workqueue.ItemFilter) *gorm.DB {
	orm = orm.Where(map[string]any{"State": c.From()})
	if c.IfVersion != 0 {
		orm = orm.Where(map[string]any{"Version": c.IfVersion})
	}
	if !c.Action.AllowsDeleted() || f != nil && !f.Deleted() {
		orm = orm.Where(map[string]any{"DeletedAt": nil})
	}
	if f == nil {
		return orm
	}
	return s.narrow(ctx, orm, *f)
}
