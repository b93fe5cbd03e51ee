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
// there is none.
func (s *Store) clone(ctx context.Context, id int64, by string) (clone int64, err error) {
	key, err := s.uniqueKeyOf(ctx, id)
	if err != nil {
		return 0, err
	}
	var from itemRow
	err = s.orm.WithContext(ctx).Select("QueueName", "Encrypted", "Payload", "Metadata").Where(map[string]any{"Id": id}).Take(&from).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	queue, err := s.queue(ctx, from.QueueName)
	if err != nil {
		return 0, err
	}
	var life *int64
	if queue.TTL > 0 {
		life = new(ms(time.Duration(queue.TTL)))
	}
	insert := func(on runner) error {
		ids, err := s.queries.ids(ctx, on, "clone", values{
			"id": id, "unique_key": null(key), "life_ms": life, "author": null(clip(by, nameLen)), "now": s.nowArg(),
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		clone = ids[0]
		if from.Encrypted {
			return s.sealAnew(ctx, on, id, clone, &from)
		}
		return nil
	}
	if from.Encrypted {
		err = s.tx(ctx, func(tx *sql.Tx) error { return insert(tx) })
	} else {
		err = insert(s.db)
	}
	return clone, err
}

// uniqueKeyOf is the key under which the natural key of an item must be
// unique by the present policy of its queue; "" when it need not, or when there
// is no such item.
func (s *Store) uniqueKeyOf(ctx context.Context, id int64) (string, error) {
	var row itemRow
	err := s.orm.WithContext(ctx).Select("QueueName", "NaturalKey").Where(map[string]any{"Id": id}).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) || err == nil && row.NaturalKey == nil {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	queue, err := s.queue(ctx, row.QueueName)
	if err != nil {
		return "", err
	}
	return queue.UniqueKey(*row.NaturalKey), nil
}

// cloneEach clones items, the oldest first, and passes over those whose key
// must be unique.
func (s *Store) cloneEach(ctx context.Context, ids []int64, by string) ([]int64, error) {
	var clones []int64
	for _, id := range slices.Backward(ids) {
		clone, err := s.ChangeItem(ctx, id, workqueue.Change{Action: workqueue.Clone, By: by})
		if err != nil && !refused(err) {
			return clones, err
		}
		if err == nil {
			clones = append(clones, clone)
		}
	}
	return clones, nil
}

// duplicateOf finds the item that has what the item with this id would take.
func (s *Store) duplicateOf(ctx context.Context, id int64) error {
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
func (s *Store) holder(ctx context.Context, where map[string]any) (int64, error) {
	var ids []int64
	err := s.orm.WithContext(ctx).Model(&itemRow{}).Where(where).Order(clause.OrderByColumn{Column: column("Id")}).Pluck("Id", &ids).Error
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// unfinished are the states in which an item holds its content key.
var unfinished = []workqueue.State{workqueue.Ready, workqueue.Blocked, workqueue.Pending, workqueue.Assigned}
