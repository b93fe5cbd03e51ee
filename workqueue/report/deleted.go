package report

import (
	"context"
	"encoding/json"
	"time"

	"botwork/workqueue"
)

// DeletedFailure is what the audit log keeps of a failed item that was deleted: enough to count it in
// its group, and nothing of what the item was about.
type DeletedFailure struct {
	Queue    string              `json:"queue"`
	Pipeline string              `json:"pipeline"`
	Step     string              `json:"step"`
	Kind     workqueue.ErrorKind `json:"errorKind"`
	Message  string              `json:"message"` // without numbers, ids and the like
	At       time.Time           `json:"at"`
}

// Deleted returns what is kept of the failure of an item that is deleted.
func Deleted(f *workqueue.Failure) DeletedFailure {
	d := DeletedFailure{Queue: f.Queue, Pipeline: f.Pipeline, Step: f.Step, Kind: f.Kind, Message: Message(withoutStep(f.Error)), At: f.At.UTC()}
	if workqueue.InlinePipeline(f.Pipeline) {
		d.Pipeline = inline
	}
	return d
}

// deletions are the actions of the audit log that delete items which have ended.
var deletions = []string{workqueue.AuditItemsPrefix + string(workqueue.Delete), workqueue.AuditQueuesPurge}

// auditPage is how many entries, and items of an entry, are read at a time.
const auditPage = 1000

// readDeleted calls use for the failed items that were deleted after they had failed.
func (b *builder) readDeleted(ctx context.Context, use func(*workqueue.Failure)) error {
	left := b.most
	for _, action := range deletions {
		f := workqueue.AuditFilter{Action: action, Since: b.report.BeforeSince, Limit: auditPage}
		for {
			entries, err := b.store.AuditEntries(ctx, f)
			if err != nil {
				return err
			}
			for i := range entries {
				if left, err = b.readDeletion(ctx, entries[i].ID, left, use); err != nil {
					return err
				}
				if left <= 0 {
					b.bound(true, "deleted items: only the latest %s were read, from %s on", thousands(b.most), b.instant(entries[i].At))
					return nil
				}
			}
			if len(entries) < f.Limit {
				break
			}
			f.BeforeID = entries[len(entries)-1].ID
		}
	}
	return nil
}

// readDeletion reads the items of one entry, at most left, and returns how many may still be read.
func (b *builder) readDeletion(ctx context.Context, entry int64, left int, use func(*workqueue.Failure)) (int, error) {
	for after := int64(0); left > 0; {
		items, err := b.store.AuditItems(ctx, entry, after, min(auditPage, left))
		if err != nil {
			return left, err
		}
		for i := range items {
			if f := deletedFailure(&items[i]); f != nil && (b.Queue == "" || f.Queue == b.Queue) && (b.Pipeline == "" || f.Pipeline == b.Pipeline) {
				use(f)
			}
		}
		full := len(items) == min(auditPage, left)
		if left -= len(items); !full || len(items) == 0 {
			return left, nil
		}
		after = items[len(items)-1].ID
	}
	return left, nil
}

// deletedFailure returns the failure of a deleted item; nil if it had not failed.
func deletedFailure(it *workqueue.AuditItem) *workqueue.Failure {
	var before struct {
		Failure *DeletedFailure `json:"failure"`
	}
	if json.Unmarshal([]byte(it.Before), &before) != nil || before.Failure == nil {
		return nil
	}
	d := before.Failure
	return &workqueue.Failure{ItemID: it.ItemID, Queue: d.Queue, Pipeline: d.Pipeline, Step: d.Step, Kind: d.Kind, Error: d.Message, At: d.At}
}

// within reports whether a failure is in a stretch of time.
func within(f *workqueue.Failure, since, until time.Time) bool {
	return !f.At.Before(since) && f.At.Before(until)
}
