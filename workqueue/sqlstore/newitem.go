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

// newItemRow is a NewItem in the form that the statement enqueue needs.
type newItemRow struct {
	cells cellValues
	prio  int
	item  *workqueue.NewItem // if it has a time in its deadlines, for error messages
	due   bool               // as soon as it is inserted
	soon  bool               // or within workqueue.SoonDue

	// Texts that are sealed once the id is known; the statement enqueue does not get them.
	body, meta *string
}

// fill makes the row of an item that its queue has prepared. A row with texts to seal gets a
// ticket, which identifies the row when the database has assigned its id.
func (r *newItemRow) fill(s *connection, it *workqueue.NewItem, q *workqueue.Queue) error {
	v := &r.cells
	r.prio, r.due = it.Priority, it.At.IsZero() && it.In <= 0 && it.Batch == nil
	r.soon = !r.due && it.Batch == nil && it.In <= workqueue.SoonDue && time.Until(it.At) <= workqueue.SoonDue
	v[sqlfiles.QueueCell], v[sqlfiles.StateCell], v[sqlfiles.PriorityCell], v[sqlfiles.ConfigCell] = q.Name, int64(it.State), int64(it.Priority), clean(it.IntegrationConfig)
	v[sqlfiles.DelayCell], v[sqlfiles.ExpediteCell], v[sqlfiles.SealedCell] = ms(it.In), int64(0), int64(0)
	v.text(sqlfiles.PayloadCell, string(it.Payload))
	v.text(sqlfiles.ResilienceCell, string(it.OwnPolicy()))
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
	if r.bounded() {
		r.item = new(*it)
	}
	v.unique(it, q)
	v.batch(it.Batch)
	if q.Encrypted {
		return r.conceal(s, q)
	}
	return nil
}

// finding sets the cells for searching items.
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

// times sets the times and durations of the item.
func (v *cellValues) times(s *connection, it *workqueue.NewItem, q *workqueue.Queue) {
	if !it.At.IsZero() {
		v[sqlfiles.DueCell] = *s.jsonTime(it.At)
	}
	startBy, startIn := it.Ends()
	if !startBy.IsZero() {
		v[sqlfiles.DeadlineCell] = *s.jsonTime(startBy)
	}
	if startIn > 0 {
		v[sqlfiles.DeadlineMsCell] = ms(startIn)
	}
	if !it.FinishBy.IsZero() {
		v[sqlfiles.FinishCell] = *s.jsonTime(it.FinishBy)
	} else if it.FinishIn > 0 {
		v[sqlfiles.FinishMsCell] = ms(it.FinishIn)
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

// unique sets the keys that must be unique.
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

// batch sets how the item runs together with others.
func (v *cellValues) batch(b *workqueue.ItemBatch) {
	if b == nil {
		return
	}
	v[sqlfiles.BatchKeyCell], v[sqlfiles.BatchMaxCell] = b.Key, int64(b.Max)
	v[sqlfiles.BatchWaitCell], v[sqlfiles.BatchAtMostCell] = ms(b.Wait), ms(b.AtMost)
}

// conceal moves the texts to seal out of the cells.
func (r *newItemRow) conceal(s *connection, q *workqueue.Queue) error {
	if s.cipher == nil {
		return fmt.Errorf("the queue %q is encrypted, but this process has no keyset (encryption.keyset)", q.Name)
	}
	remove := func(c sqlfiles.Cell) *string {
		text, ok := r.cells[c].(string)
		if !ok {
			return nil
		}
		r.cells[c] = nil
		return &text
	}
	r.body, r.meta = remove(sqlfiles.PayloadCell), remove(sqlfiles.MetadataCell)
	r.cells[sqlfiles.SealedCell], r.cells[sqlfiles.TicketCell] = int64(1), "ticket:"+rand.Text()
	return nil
}

// sealed reports whether texts of the row must be sealed.
func (r *newItemRow) sealed() bool { return r.cells[sqlfiles.TicketCell] != nil }
