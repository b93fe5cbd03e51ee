package sqlstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// newItemRow is a NewItem inside a JSON parameter. Nil is SQL's NULL.
type newItemRow struct {
	Queue        string
	NewState     int
	Prio         int
	Config       string
	Body         *string `json:",omitempty"`
	EstimateMs   *int64  `json:",omitempty"`
	Policy       *string `json:",omitempty"`
	DueAt        *string `json:",omitempty"`
	DelayMs      int64
	Deadline     *string `json:",omitempty"`
	DeadlineMs   *int64  `json:",omitempty"`
	Author       *string `json:",omitempty"`
	Task         *string `json:",omitempty"`
	KeyText      *string `json:",omitempty"`
	LimitText    *string `json:",omitempty"`
	TagList      *string `json:",omitempty"`
	Meta         *string `json:",omitempty"`
	LabelText    *string `json:",omitempty"`
	SelectorText *string `json:",omitempty"`
	Expedited    int
	KeepMs       *int64 `json:",omitempty"`
	LifeMs       *int64 `json:",omitempty"`
	Sealed       int
	Ticket       *string `json:",omitempty"`
	UniqueHash   *string `json:",omitempty"`
	ContentHash  *string `json:",omitempty"`
	TimedHash    *string `json:",omitempty"`
	TimedMs      *int64  `json:",omitempty"`

	// What is sealed when the id is known; it never reaches a JSON parameter.
	body, meta *string
}

// newItemRow makes the row of an item that its queue has prepared. A row whose
// texts are to be sealed gets a ticket, by which it is found when it has an id.
func (s *Store) newItemRow(it *workqueue.NewItem, q *workqueue.Queue) (newItemRow, error) {
	row := newItemRow{
		Queue: q.Name, NewState: int(it.State), Prio: it.Priority, Config: clean(it.IntegrationConfig),
		Body: null(string(it.Payload)), Policy: null(string(it.ResilienceConfig)),
		DelayMs: ms(it.In), DueAt: s.jsonTime(it.At), Deadline: s.jsonTime(it.Deadline), Author: null(clip(it.CreatedBy, nameLen)),
		Task: null(clip(it.TaskName, nameLen)), KeyText: null(it.NaturalKey), LimitText: null(it.LimitKey),
	}
	var err error
	if row.TagList, err = jsonColumn(slices.Compact(slices.Sorted(slices.Values(it.Tags)))); err != nil {
		return row, fmt.Errorf("tags: %w", err)
	}
	if row.Meta, err = jsonColumn(it.Metadata); err != nil {
		return row, fmt.Errorf("metadata: %w", err)
	}
	row.LabelText = null(clean(it.Labels.JSON()))
	row.SelectorText = null(clean(matching.SelectorsJSON(it.Selectors)))
	if matching.Expedites(it.Selectors) {
		row.Expedited = 1
	}
	if it.Estimate > 0 {
		row.EstimateMs = new(ms(it.Estimate))
	}
	if it.Deadline.IsZero() && it.DeadlineIn > 0 {
		row.DeadlineMs = new(ms(it.DeadlineIn))
	}
	if it.Retain != nil {
		row.KeepMs = new(ms(*it.Retain))
	}
	if q.TTL > 0 {
		row.LifeMs = new(ms(time.Duration(q.TTL)))
	}
	row.UniqueHash = null(q.UniqueKey(clean(it.NaturalKey)))
	switch {
	case it.UniqueFor == workqueue.UniqueWhileUnfinished:
		row.ContentHash = new(contentKey(it, q))
	case it.UniqueFor > 0:
		row.TimedHash, row.TimedMs = new(contentKey(it, q)), new(ms(it.UniqueFor))
	}
	if q.Encrypted {
		if s.cipher == nil {
			return row, fmt.Errorf("the queue %q is encrypted, and this process has no keyset (encryption.keyset)", q.Name)
		}
		row.Sealed, row.Ticket = 1, new("ticket:"+rand.Text())
		row.body, row.meta, row.Body, row.Meta = row.Body, row.Meta, nil, nil
	}
	return row, nil
}

func contentKey(it *workqueue.NewItem, q *workqueue.Queue) string {
	return workqueue.ContentKey(q.Name, it.IntegrationConfig, it.Payload)
}

// jsonColumn is a list or a map as its column holds it; nil when it is empty.
func jsonColumn[T ~[]string | ~map[string]string](v T) (*string, error) {
	if len(v) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(v)
	return new(clean(string(text))), err
}

// jsonTime writes a time for a JSON parameter; nil for the zero time.
func (s *Store) jsonTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC().Format(s.dialect.jsonTime))
}

// keyRow is a key that must be unique inside a JSON parameter.
type keyRow struct {
	Kind string // "unique", "content" or "timed"
	Hash string
}

func (r *newItemRow) keys() []keyRow {
	var keys []keyRow
	for _, key := range []struct {
		kind string
		hash *string
	}{{"unique", r.UniqueHash}, {"content", r.ContentHash}, {"timed", r.TimedHash}} {
		if key.hash != nil {
			keys = append(keys, keyRow{key.kind, *key.hash})
		}
	}
	return keys
}

// holder is the id of the item that has one of the row's keys; 0 for none.
func (r *newItemRow) holder(of map[keyRow]int64) int64 {
	for _, key := range r.keys() {
		if id := of[key]; id != 0 {
			return id
		}
	}
	return 0
}

// holders finds the items that have the rows' keys.
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

// freeTimedKeys lets go of the rows' keys whose time is over.
func (e *enqueue) freeTimedKeys(ctx context.Context, on runner) error {
	type hashRow struct{ Hash string }
	var hashes []hashRow
	for i := range e.rows {
		if h := e.rows[i].TimedHash; h != nil {
			hashes = append(hashes, hashRow{*h})
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
