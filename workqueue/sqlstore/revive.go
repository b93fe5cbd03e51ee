package sqlstore

import (
	"context"
	"errors"
	"maps"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

// keysToTake returns the keys that finished items among ids need again when they are
// repeated: of deleted items, and of items whose key a copy has got. "" is for a deleted
// item that needs none.
func (s *Store) keysToTake(ctx context.Context, ids []int64) (map[int64]string, error) {
	var without []itemRow
	err := s.orm.WithContext(ctx).Select("Id", "QueueName", "NaturalKey", "DeletedAt").
		Where(map[string]any{"Id": ids, "State": []workqueue.State{workqueue.Processed, workqueue.Cancelled}}).
		Where(clause.Or(clause.Neq{Column: column("DeletedAt")}, clause.Eq{Column: column("UniqueKey")})).
		Find(&without).Error
	if err != nil {
		return nil, err
	}
	keys := map[int64]string{}
	for i := range without {
		key, err := s.presentKey(ctx, &without[i])
		if err != nil {
			return nil, err
		}
		if key != "" || without[i].DeletedAt.Valid {
			keys[without[i].ID] = key
		}
	}
	return keys, nil
}

// presentKey is the key under which an item's natural key must be unique by the
// present policy of its queue; "" when it need not.
func (s *Store) presentKey(ctx context.Context, row *itemRow) (string, error) {
	if row.NaturalKey == nil {
		return "", nil
	}
	queue, err := s.queue(ctx, row.QueueName)
	if _, unknown := errors.AsType[*workqueue.UnknownQueueError](err); unknown {
		return "", nil // a hand has written it: no policy, no scope
	}
	if err != nil {
		return "", err
	}
	return queue.UniqueKey(*row.NaturalKey), nil
}

// revive makes finished items wait again, and what waits be due, each with the
// columns that the action sets. Those in keys take their natural key; when
// another item has it the whole page is refused by the index.
func (s *Store) revive(a workqueue.Action, keys map[int64]string, columns func() map[string]any, from func(...workqueue.State) *gorm.DB) (int, error) {
	n := 0
	withKeys := slices.Sorted(maps.Keys(keys))
	for _, id := range withKeys {
		set := columns()
		set["UniqueKey"] = null(keys[id])
		one, err := rows(from(workqueue.Processed, workqueue.Cancelled).Where(map[string]any{"Id": id}).Updates(set))
		if n += one; err != nil {
			return n, err
		}
	}
	others := from(a.From()...).Where(map[string]any{"DeletedAt": nil})
	if len(withKeys) > 0 {
		others = others.Not(map[string]any{"Id": withKeys})
	}
	rest, err := rows(others.Updates(columns()))
	return n + rest, err
}
