package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// clone makes a new item like one that is there and returns its id; 0 when
// there is none, or when it does not match the filter, unless that is nil.
func (s *itemChanges) clone(ctx context.Context, id int64, f *workqueue.ItemFilter, c workqueue.Change, part batchPart, o operation) (clone int64, err error) {
	key := ""
	if c.NewKey == "" {
		if key, err = s.uniqueKeyOf(ctx, id); err != nil {
			return 0, err
		}
	}
	var from itemRow
	err = s.orm.WithContext(ctx).Select("QueueName", "Version", "IntegrationConfig", "Encrypted", "Payload", "Metadata").Where(map[string]any{"Id": id}).Take(&from).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	switch {
	case c.IfVersion != 0 && from.Version != c.IfVersion, f != nil && f.QueueName != "" && f.QueueName != from.QueueName:
		return 0, nil
	case c.RefuseInline && workqueue.InlinePipeline(string(from.IntegrationConfig)):
		return 0, &workqueue.BadUpdateError{ItemID: id, Err: workqueue.ErrInlinePipeline}
	}
	queue, err := s.queue(ctx, from.QueueName)
	if err != nil {
		return 0, err
	}
	var life *int64
	if queue.TTL > 0 {
		life = new(ms(time.Duration(queue.TTL)))
	}
	insert := func(tx *sql.Tx) error {
		ids, err := s.queries.ids(ctx, tx, "clone", values{
			"id": id, "queue": from.QueueName, "unique_key": null(key), "life_ms": life, "author": null(clip(c.By, nameLen)), "now": s.nowArg(),
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		clone = ids[0]
		if f != nil && f.Payload != nil {
			if err := s.matchingClone(ctx, tx, clone, id, f.Payload); err != nil {
				return err
			}
		}
		if c.NewKey != "" {
			if err := s.rekey(ctx, tx, clone, c.NewKey, &queue); err != nil {
				return err
			}
		}
		if err := s.keepEnqueued(ctx, tx, clone); err != nil {
			return err
		}
		if from.Encrypted {
			return s.sealCopy(ctx, tx, id, clone, &from)
		}
		return nil
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		clone = 0
		if err := insert(tx); err != nil || clone == 0 {
			return err
		}
		became := auditValues{"clone": valueOf(clone)}
		entry := o.entry(workqueue.Clone, []auditItem{{ItemID: id, Became: became.text()}})
		entry.by = c.By
		if err := s.audit(ctx, tx, entry); err != nil {
			return err
		}
		return s.recordChange(ctx, tx, part, workqueue.ChangeResult{Changed: 1, Clones: []int64{clone}})
	})
	if errors.Is(err, errNoMatch) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return clone, nil
}

// errNoMatch rolls a clone back.
var errNoMatch = errors.New("the payload no longer matches")

// matchingClone returns errNoMatch if the payload that a new clone was given does not match. If it is
// sealed, then still for the original.
func (s *itemChanges) matchingClone(ctx context.Context, tx *sql.Tx, clone, original int64, filter *workqueue.PayloadFilter) error {
	var row itemRow
	if err := payloadColumns(s.in(ctx, tx)).Where(map[string]any{"Id": clone}).Take(&row).Error; err != nil {
		return err
	}
	row.ID = original
	if matches, _ := s.matches(filter, &row); !matches {
		return errNoMatch
	}
	return nil
}

// rekey gives a new clone its own natural key.
func (s *itemChanges) rekey(ctx context.Context, tx *sql.Tx, clone int64, key string, queue *workqueue.Queue) error {
	key = clean(key)
	_, err := s.queries.exec(ctx, tx, "robot_change", values{
		"id": clone, "fence": 0, "sets_metadata": 0, "metadata": nil, "sets_tags": 0, "tags": nil, "priority": nil,
		"sets_key": 1, "natural_key": key, "unique_key": null(queue.UniqueKey(key)),
	})
	return err
}

// duplicateOfClone finds the item that has the new key of a clone.
func (s *itemChanges) duplicateOfClone(ctx context.Context, id int64, key string) error {
	var row itemRow
	if err := s.orm.WithContext(ctx).Select("QueueName").Where(map[string]any{"Id": id}).Take(&row).Error; err != nil {
		return err
	}
	queue, err := s.queue(ctx, row.QueueName)
	if err != nil {
		return err
	}
	holder, err := s.holder(ctx, map[string]any{"UniqueKey": queue.UniqueKey(clean(key))})
	if err != nil {
		return err
	}
	return &workqueue.DuplicateError{ItemID: holder, What: fmt.Sprintf("natural key %q", key)}
}

// uniqueKeyOf is presentKey of an item by its id; "" when there is none.
func (s *itemChanges) uniqueKeyOf(ctx context.Context, id int64) (string, error) {
	var row itemRow
	err := s.orm.WithContext(ctx).Select("QueueName", "NaturalKey").Where(map[string]any{"Id": id}).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return presentKey(row.NaturalKey, func() (workqueue.Queue, error) { return s.queue(ctx, row.QueueName) })
}

// cloneEach clones items, the oldest first, and passes over those whose key
// must be unique, or whose payload no longer matches the filter.
func (s *itemChanges) cloneEach(ctx context.Context, ids []int64, f *workqueue.ItemFilter, c workqueue.Change, o operation, result *workqueue.ChangeResult) error {
	for _, id := range slices.Backward(ids) {
		clone, err := s.changeItem(ctx, id, f, c, o)
		switch {
		case err == nil:
			result.Changed++
			result.Clones = append(result.Clones, clone)
		case !passedOver(err, result):
			return err
		}
	}
	return nil
}

// inlineOnes returns those of the items that have a whole pipeline in place of a name, as refused.
func (s *itemChanges) inlineOnes(ctx context.Context, ids []int64) (refused []*workqueue.BadUpdateError, err error) {
	err = s.retry(ctx, "check the pipelines of items", func() error {
		refused = nil
		for chunk := range slices.Chunk(ids, changePage) {
			var rows []itemRow
			if err := s.orm.WithContext(ctx).Select("Id", "IntegrationConfig").Where(map[string]any{"Id": chunk}).Order(ascending("Id")).Find(&rows).Error; err != nil {
				return err
			}
			for i := range rows {
				if workqueue.InlinePipeline(string(rows[i].IntegrationConfig)) {
					refused = append(refused, &workqueue.BadUpdateError{ItemID: rows[i].ID, Err: workqueue.ErrInlinePipeline})
				}
			}
		}
		return nil
	})
	return refused, err
}

// duplicateOf finds the item that has what the item with this id would take.
func (s *itemChanges) duplicateOf(ctx context.Context, id int64) error {
	var row struct{ QueueName, NaturalKey, ContentKey *string }
	err := s.orm.WithContext(ctx).Model(&itemRow{}).
		Clauses(clause.Select{Columns: []clause.Column{column("QueueName"), column("NaturalKey"), column("ContentKey")}}).
		Where(map[string]any{"Id": id}).Take(&row).Error
	if err != nil {
		return err
	}
	unique, err := s.uniqueKeyOf(ctx, id)
	if err != nil {
		return err
	}
	if unique != "" {
		holder, err := s.holder(ctx, map[string]any{"UniqueKey": unique})
		if err != nil || holder != 0 {
			return cmp.Or(err, error(&workqueue.DuplicateError{ItemID: holder, What: fmt.Sprintf("natural key %q", *row.NaturalKey)}))
		}
	}
	if row.ContentKey != nil {
		holder, err := s.holder(ctx, map[string]any{"ContentKey": *row.ContentKey, "State": unfinished})
		if err != nil || holder != 0 {
			return cmp.Or(err, error(&workqueue.DuplicateError{ItemID: holder, What: sameContent}))
		}
	}
	return errors.New("a key that must be unique is taken")
}

// sameContent is what items have in common whose content key is the same.
const sameContent = "queue, pipeline and payload"

// holder is the id of the item that the conditions pick; 0 for none.
func (s *itemChanges) holder(ctx context.Context, where map[string]any) (int64, error) {
	var ids []int64
	err := s.orm.WithContext(ctx).Model(&itemRow{}).Where(where).Order(clause.OrderByColumn{Column: column("Id")}).Pluck("Id", &ids).Error
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// unfinished are the states in which an item holds its content key.
var unfinished = []workqueue.State{workqueue.Ready, workqueue.Blocked, workqueue.Pending, workqueue.Assigned}
