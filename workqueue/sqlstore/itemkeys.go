package sqlstore

import (
	"context"
	"slices"

	sqlfiles "botwork/sql"
)

// keyRow is a unique key inside a JSON parameter.
type keyRow struct {
	Kind string // "unique", "content" or "timed"
	Hash string
}

// keys returns the keys that no other item may have; nil for most items.
func (r *newItemRow) keys() []keyRow {
	if !r.keyed() {
		return nil
	}
	var keys []keyRow
	for _, key := range [...]struct {
		kind string
		cell sqlfiles.Cell
	}{{"unique", sqlfiles.UniqueCell}, {"content", sqlfiles.ContentCell}, {"timed", sqlfiles.TimedCell}} {
		if hash, ok := r.cells[key.cell].(string); ok {
			keys = append(keys, keyRow{key.kind, hash})
		}
	}
	return keys
}

func (r *newItemRow) keyed() bool {
	return r.cells[sqlfiles.UniqueCell] != nil || r.cells[sqlfiles.ContentCell] != nil || r.cells[sqlfiles.TimedCell] != nil
}

// holder returns the id of the item that has one of the row's keys, and that key; 0 if none has.
func (r *newItemRow) holder(of map[keyRow]int64) (int64, keyRow) {
	for _, key := range r.keys() {
		if id := of[key]; id != 0 {
			return id, key
		}
	}
	return 0, keyRow{}
}

// holders returns the items that have the rows' keys.
func (e *enqueue) holders(ctx context.Context, on runner) (map[keyRow]int64, error) {
	var keys []keyRow
	for i := range e.rows {
		keys = append(keys, e.rows[i].keys()...)
	}
	holders := map[keyRow]int64{}
	for chunk := range slices.Chunk(keys, enqueueBatch) {
		batch, err := jsonRows(chunk)
		if err != nil {
			return nil, err
		}
		rows, err := e.s.queries.query(ctx, on, "key_holders", values{"rows": batch, "now": e.s.nowArg()})
		if err != nil {
			return nil, err
		}
		err = eachRow(rows, func() error {
			var key keyRow
			var id int64
			if err := rows.Scan(&key.Kind, &key.Hash, &id); err != nil {
				return err
			}
			holders[key] = id
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return holders, nil
}

// freeTimedKeys frees those of the rows' keys whose time has passed.
func (e *enqueue) freeTimedKeys(ctx context.Context, on runner) error {
	type hashRow struct{ Hash string }
	var hashes []hashRow
	for i := range e.rows {
		if hash, ok := e.rows[i].cells[sqlfiles.TimedCell].(string); ok {
			hashes = append(hashes, hashRow{hash})
		}
	}
	for chunk := range slices.Chunk(hashes, enqueueBatch) {
		batch, err := jsonRows(chunk)
		if err != nil {
			return err
		}
		if _, err := e.s.queries.exec(ctx, on, "free_timed_keys", values{"rows": batch, "now": e.s.nowArg()}); err != nil {
			return err
		}
	}
	return nil
}
