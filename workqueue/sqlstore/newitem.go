package sqlstore

import (
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	sqlfiles "botwork/sql"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// newItemRow is a NewItem as the statement enqueue takes it.
type newItemRow struct {
	cells cellValues
	prio  int
	due   bool // as soon as it is there

	// What is sealed when the id is known; no statement takes it before.
	body, meta *string
}

// fill makes the row of an item that its queue has prepared. A row whose texts
// are to be sealed gets a ticket, by which it is found when it has an id.
func (r *newItemRow) fill(s *Store, it *workqueue.NewItem, q *workqueue.Queue) error {
	v := &r.cells
	r.prio, r.due = it.Priority, it.At.IsZero() && it.In <= 0
	v[sqlfiles.QueueCell], v[sqlfiles.StateCell], v[sqlfiles.PriorityCell], v[sqlfiles.ConfigCell] = q.Name, int64(it.State), int64(it.Priority), clean(it.IntegrationConfig)
	v[sqlfiles.DelayCell], v[sqlfiles.ExpediteCell], v[sqlfiles.SealedCell] = ms(it.In), int64(0), int64(0)
	v.text(sqlfiles.PayloadCell, string(it.Payload))
	v.text(sqlfiles.ResilienceCell, string(it.ResilienceConfig))
	v.text(sqlfiles.AuthorCell, clip(it.CreatedBy, nameLen))
	v.text(sqlfiles.TaskCell, clip(it.TaskName, nameLen))
	v.text(sqlfiles.KeyCell, it.NaturalKey)
	v.text(sqlfiles.LimitCell, it.LimitKey)
	v.text(sqlfiles.LabelsCell, it.Labels.JSON())
	v.text(sqlfiles.SelectorsCell, matching.SelectorsJSON(it.Selectors))
	if matching.Expedites(it.Selectors) {
		v[sqlfiles.ExpediteCell] = int64(1)
	}
	if err := v.finding(it); err != nil {
		return err
	}
	v.times(s, it, q)
	v.unique(it, q)
	if q.Encrypted {
		return r.conceal(s, q)
	}
	return nil
}

// finding sets what items are found by.
func (v *cellValues) finding(it *workqueue.NewItem) error {
	if len(it.Tags) > 0 {
		tags, err := jsonColumn(slices.Compact(slices.Sorted(slices.Values(it.Tags))))
		if err != nil {
			return fmt.Errorf("tags: %w", err)
		}
		v[sqlfiles.TagsCell] = *tags
	}
	if len(it.Metadata) > 0 {
		metadata, err := jsonColumn(it.Metadata)
		if err != nil {
			return fmt.Errorf("metadata: %w", err)
		}
		v[sqlfiles.MetadataCell] = *metadata
	}
	return nil
}

// times sets when things happen to the item, and how long they take.
func (v *cellValues) times(s *Store, it *workqueue.NewItem, q *workqueue.Queue) {
	if !it.At.IsZero() {
		v[sqlfiles.DueCell] = *s.jsonTime(it.At)
	}
	if !it.Deadline.IsZero() {
		v[sqlfiles.DeadlineCell] = *s.jsonTime(it.Deadline)
	} else if it.DeadlineIn > 0 {
		v[sqlfiles.DeadlineMsCell] = ms(it.DeadlineIn)
	}
	if it.Estimate > 0 {
		v[sqlfiles.EstimateCell] = ms(it.Estimate)
	}
	if it.Retain != nil {
		v[sqlfiles.RetainCell] = ms(*it.Retain)
	}
	if q.TTL > 0 {
		v[sqlfiles.LifeCell] = ms(time.Duration(q.TTL))
	}
}

// unique sets the keys of which there may be one.
func (v *cellValues) unique(it *workqueue.NewItem, q *workqueue.Queue) {
	if it.NaturalKey != "" {
		v.text(sqlfiles.UniqueCell, q.UniqueKey(clean(it.NaturalKey)))
	}
	switch {
	case it.UniqueFor == workqueue.UniqueWhileUnfinished:
		v[sqlfiles.ContentCell] = workqueue.ContentKey(q.Name, it.IntegrationConfig, it.Payload)
	case it.UniqueFor > 0:
		v[sqlfiles.TimedCell], v[sqlfiles.TimedMsCell] = workqueue.ContentKey(q.Name, it.IntegrationConfig, it.Payload), ms(it.UniqueFor)
	}
}

// conceal takes the texts out that are to be sealed.
func (r *newItemRow) conceal(s *Store, q *workqueue.Queue) error {
	if s.cipher == nil {
		return fmt.Errorf("the queue %q is encrypted, and this process has no keyset (encryption.keyset)", q.Name)
	}
	take := func(c sqlfiles.Cell) *string {
		text, ok := r.cells[c].(string)
		if !ok {
			return nil
		}
		r.cells[c] = nil
		return &text
	}
	r.body, r.meta = take(sqlfiles.PayloadCell), take(sqlfiles.MetadataCell)
	r.cells[sqlfiles.SealedCell], r.cells[sqlfiles.TicketCell] = int64(1), "ticket:"+rand.Text()
	return nil
}

// sealed reports whether texts of the row must be sealed.
func (r *newItemRow) sealed() bool { return r.cells[sqlfiles.TicketCell] != nil }
