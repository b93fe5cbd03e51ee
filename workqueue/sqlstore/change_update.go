package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// updatedRow holds the values of an item after an update, inside a JSON parameter of the
// statement change_update. The value after a Sets field that is 0 is not used.
type updatedRow struct {
	refRow
	OldState   int
	OldVersion int64

	Queue string
	Prio  int
	Moved int // 1: an assigned item waits for the next assignment

	SetsDue       int
	DueAt         *string
	DelayMs       *int64
	SetsDeadline  int
	Deadline      *string
	DeadlineMs    *int64
	SetsFinish    int // 1: Deadline is used, whatever SetsDeadline is
	Finish        *string
	SetsEstimate  int
	EstimateMs    *int64
	SetsPolicy    int
	Policy        *string
	SetsLimit     int
	LimitText     *string
	SetsSelectors int
	SelectorText  *string
	Expedited     int
	SetsBody      int
	Body          *string

	TagList, Meta, LabelText           *string
	UniqueHash, ContentHash, TimedHash *string
}

// originalItem is an item just before its update, with the keys that must be unique and its
// texts as they are stored.
type originalItem struct {
	Row                             itemRow `gorm:"embedded"`
	UniqueKey, ContentKey, TimedKey *string
}

// update gives items that were picked new values. The statement repeats their versions: an item
// that changed after it was read stays as it is.
func (s *itemChanges) update(ctx context.Context, tx *sql.Tx, u *workqueue.ItemUpdate, picked []pickedItem) (int, error) {
	var rows []originalItem
	orm := s.in(ctx, tx)
	ids := make([]int64, len(picked))
	for i := range picked {
		ids[i] = picked[i].ID
	}
	if err := s.updatable(orm, u).Where(map[string]any{"Id": ids}).Order(ascending("Id")).Find(&rows).Error; err != nil {
		return 0, err
	}
	now, err := s.timesClock(ctx, tx, u)
	if err != nil {
		return 0, err
	}
	queues := map[string]*workqueue.Queue{}
	updated := make([]updatedRow, len(rows))
	for i := range rows {
		if err := checkTimes(u, &rows[i].Row, now); err != nil {
			return 0, err
		}
		if updated[i], err = s.updated(orm, u, &rows[i], queues, now); err != nil {
			return 0, err
		}
	}
	return s.changePicked(ctx, tx, "change_update", updated, values{"now": s.nowArg()})
}

// refusals returns those of the items that a change refuses one by one, in the order of their ids:
// an update whose values they cannot have, and a clone of a whole pipeline.
func (s *itemChanges) refusals(ctx context.Context, c workqueue.Change, ids []int64) (refused []*workqueue.BadUpdateError, err error) {
	switch {
	case c.Action == workqueue.Clone && c.RefuseInline:
		return s.inlineOnes(ctx, ids)
	case c.FromStep != "":
		_, err := firstDropped(s.orm.WithContext(ctx), ids[0], c.FromStep)
		if bad, ok := errors.AsType[*workqueue.BadUpdateError](err); ok {
			return []*workqueue.BadUpdateError{bad}, nil
		}
		return nil, err
	case c.Action != workqueue.Update:
		return nil, nil
	}
	u, queues := c.Update, map[string]*workqueue.Queue{}
	err = s.retry(ctx, "check the update of items", func() error {
		refused = nil
		now, err := s.timesClock(ctx, s.db, u)
		if err != nil {
			return err
		}
		orm := s.orm.WithContext(ctx)
		for chunk := range slices.Chunk(ids, changePage) {
			var rows []originalItem
			if err := s.updatable(orm, u).Where(map[string]any{"Id": chunk}).Order(ascending("Id")).Find(&rows).Error; err != nil {
				return err
			}
			for i := range rows {
				err := checkTimes(u, &rows[i].Row, now)
				if err == nil {
					_, err = s.updated(orm, u, &rows[i], queues, now)
				}
				if bad, ok := errors.AsType[*workqueue.BadUpdateError](err); ok {
					refused = append(refused, bad)
				} else if err != nil {
					return err
				}
			}
		}
		return nil
	})
	return refused, s.naming(ctx, err)
}

// updatable reads the columns that an update may need. Payloads can be large, so they are read
// only if they are to fit another queue or are part of a key.
func (s *itemChanges) updatable(orm *gorm.DB, u *workqueue.ItemUpdate) *gorm.DB {
	names := []string{
		"Id", "QueueName", "State", "Fence", "Version", "Priority", "IntegrationConfig", "Encrypted", "NaturalKey",
		"Tags", "Metadata", "Labels", "UniqueKey", "ContentKey", "TimedKey", "AvailableAt", "DeadlineAt", "FinishBy",
	}
	if u.Queue != "" {
		names = append(names, "Payload")
	}
	columns := make([]clause.Column, len(names))
	for i, name := range names {
		columns[i] = column(name)
	}
	return orm.Model(&itemRow{}).Clauses(clause.Select{Columns: columns})
}

// timesClock returns the database's clock, if the update sets times.
func (s *itemChanges) timesClock(ctx context.Context, on runner, u *workqueue.ItemUpdate) (time.Time, error) {
	if !u.SetsTimes() {
		return time.Time{}, nil
	}
	return s.clock(ctx, on)
}

// checkTimes refuses times after which an item would never start.
func checkTimes(u *workqueue.ItemUpdate, row *itemRow, now time.Time) error {
	if !u.SetsTimes() {
		return nil
	}
	if err := u.PastFault(row.times(), now); err != nil {
		return &workqueue.BadUpdateError{ItemID: row.ID, Err: err}
	}
	return nil
}

func (r *itemRow) times() workqueue.ItemTimes {
	return workqueue.ItemTimes{Due: r.AvailableAt.Time, Deadline: r.DeadlineAt.Time, FinishBy: r.FinishBy.Time}
}

// updated makes the row of one item. now is the database's clock, if the update sets times.
func (s *itemChanges) updated(orm *gorm.DB, u *workqueue.ItemUpdate, o *originalItem, queues map[string]*workqueue.Queue, clock time.Time) (updatedRow, error) {
	it := s.item(&o.Row)
	from, err := s.queueForUpdate(orm, it.QueueName, queues, false)
	if err != nil {
		return updatedRow{}, err
	}
	to := from
	if u.Queue != "" {
		if to, err = s.queueForUpdate(orm, u.Queue, queues, true); err != nil {
			return updatedRow{}, err
		}
	}
	if it.Unreadable != "" && (u.Queue != "" || len(u.Metadata)+len(u.RemoveMetadata) > 0) {
		return updatedRow{}, &workqueue.BadUpdateError{ItemID: it.ID, Err: errors.New(it.Unreadable)}
	}
	now, err := u.Apply(&it, from, to, &s.schemas)
	if err != nil {
		return updatedRow{}, &workqueue.BadUpdateError{ItemID: it.ID, Err: err}
	}
	r := updatedRow{
		refRow: refRow{ItemID: it.ID, ItemFence: it.Fence}, OldState: int(it.State), OldVersion: it.Version,
		Queue: now.Queue, Prio: now.Priority, TagList: null(string(o.Row.Tags)), Meta: null(string(o.Row.Metadata)), LabelText: null(string(o.Row.Labels)),
		UniqueHash: o.UniqueKey, ContentHash: o.ContentKey, TimedHash: o.TimedKey,
	}
	if u.Moves() {
		r.Moved = 1
	}
	r.keys(&it, u, to, now)
	s.setTimes(&r, u, o.Row.times(), clock)
	setPolicies(&r, u)
	return r, s.setTexts(&r, u, &it, now)
}

// queueForUpdate reads a queue once for all items. A name that was written by hand has no
// policies, but an item cannot move there.
func (s *itemChanges) queueForUpdate(orm *gorm.DB, name string, queues map[string]*workqueue.Queue, known bool) (*workqueue.Queue, error) {
	if q, ok := queues[name]; ok {
		return q, nil
	}
	q, err := s.presentQueue(orm, name)
	if _, unknown := errors.AsType[*workqueue.UnknownQueueError](err); unknown && !known {
		q, err = workqueue.Queue{Name: name}, nil
	}
	if err != nil {
		return nil, err
	}
	queues[name] = &q
	return &q, nil
}

// keys sets the keys that must be unique after the update: they are made of the queue and, for
// items that are unique by their content, of the payload.
func (r *updatedRow) keys(it *workqueue.Item, u *workqueue.ItemUpdate, to *workqueue.Queue, now workqueue.UpdatedItem) {
	if u.Queue != "" && it.NaturalKey != nil {
		r.UniqueHash = null(to.UniqueKey(*it.NaturalKey))
	}
	if u.Queue == "" && u.Payload == nil {
		return
	}
	content := workqueue.ContentKey(to.Name, it.IntegrationConfig, now.Payload)
	if r.ContentHash != nil {
		r.ContentHash = &content
	}
	if r.TimedHash != nil {
		r.TimedHash = &content
	}
}

func (s *itemChanges) setTimes(r *updatedRow, u *workqueue.ItemUpdate, old workqueue.ItemTimes, now time.Time) {
	switch {
	case u.At != nil:
		r.SetsDue, r.DueAt = 1, s.jsonTime(*u.At)
	case u.In != nil:
		r.SetsDue, r.DelayMs = 1, new(ms(*u.In))
	}
	switch {
	case u.SetsFinish():
		after := u.Times(old, now)
		r.SetsFinish, r.Finish, r.Deadline = 1, s.jsonTime(after.FinishBy), s.jsonTime(after.Deadline)
	case u.Deadline != nil:
		r.SetsDeadline, r.Deadline = 1, s.jsonTime(*u.Deadline)
	case u.DeadlineIn != nil:
		r.SetsDeadline, r.DeadlineMs = 1, new(ms(*u.DeadlineIn))
	}
}

func setPolicies(r *updatedRow, u *workqueue.ItemUpdate) {
	if u.Estimate != nil {
		r.SetsEstimate = 1
		if *u.Estimate > 0 {
			r.EstimateMs = new(ms(*u.Estimate))
		}
	}
	if u.Resilience != nil {
		r.SetsPolicy, r.Policy = 1, null(string(*u.Resilience))
	}
	if u.LimitKey != nil {
		r.SetsLimit, r.LimitText = 1, null(*u.LimitKey)
	}
	if u.Selectors != nil {
		r.SetsSelectors, r.SelectorText = 1, null(matching.SelectorsJSON(*u.Selectors))
		if matching.Expedites(*u.Selectors) {
			r.Expedited = 1
		}
	}
}

// setTexts sets the payload, tags, metadata and labels, sealed if the item is encrypted.
func (s *itemChanges) setTexts(r *updatedRow, u *workqueue.ItemUpdate, it *workqueue.Item, now workqueue.UpdatedItem) (err error) {
	seal := func(text *string, column string) (*string, error) {
		if !it.Encrypted {
			return text, nil
		}
		return s.sealText(text, column, it.ID)
	}
	if u.Payload != nil {
		r.SetsBody = 1
		if r.Body, err = seal(null(string(now.Payload)), payloadColumn); err != nil {
			return err
		}
	}
	if now.Tags != nil {
		if r.TagList, err = jsonColumn(slices.Compact(slices.Sorted(slices.Values(now.Tags)))); err != nil {
			return fmt.Errorf("tags: %w", err)
		}
	}
	if now.Metadata != nil {
		if r.Meta, err = jsonColumn(now.Metadata); err == nil {
			r.Meta, err = seal(r.Meta, metadataColumn)
		}
		if err != nil {
			return fmt.Errorf("metadata: %w", err)
		}
	}
	if now.Labels != nil {
		r.LabelText = null(now.Labels.JSON())
	}
	return nil
}

// duplicateOfUpdate finds the item that has a unique key that the update would give to the item
// with this id.
func (s *itemChanges) duplicateOfUpdate(ctx context.Context, id int64, u *workqueue.ItemUpdate) error {
	orm := s.orm.WithContext(ctx)
	var o originalItem
	if err := s.updatable(orm, u).Where(map[string]any{"Id": id}).Take(&o).Error; err != nil {
		return err
	}
	r, err := s.updated(orm, u, &o, map[string]*workqueue.Queue{}, time.Time{})
	if err != nil {
		return err
	}
	for _, key := range []struct {
		column string
		value  *string
		states []workqueue.State
	}{{"UniqueKey", r.UniqueHash, workqueue.States()}, {"ContentKey", r.ContentHash, unfinished}, {"TimedKey", r.TimedHash, workqueue.States()}} {
		if key.value == nil {
			continue
		}
		holder, err := s.holder(ctx, map[string]any{key.column: *key.value, "State": key.states})
		if err != nil {
			return err
		}
		if holder != 0 && holder != id {
			what := sameContent
			if key.column == "UniqueKey" {
				what = fmt.Sprintf("natural key %q", *o.Row.NaturalKey)
			}
			return &workqueue.DuplicateError{ItemID: holder, What: what}
		}
	}
	return errors.New("a key that must be unique is taken")
}
