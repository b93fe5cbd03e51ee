package runner

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

const (
	// maxLostLogged bounds the lost items whose reasons are read and logged.
	maxLostLogged = 20

	// lostReadTime bounds the time for reading these reasons.
	lostReadTime = 2 * time.Second
)

// endings are the changes of people and rules that take an item from its worker.
var endings = map[string]string{
	"items.cancel": "item cancelled", "items.archive": "item archived", "items.delete": "item deleted", "items.repeat": "item repeated",
	workqueue.AuditItemsRelease: "item released", workqueue.AuditItemsEscalate: "item escalated", workqueue.AuditQueuesPurge: "queue purged", workqueue.AuditQueuesDelete: "queue deleted",
}

// logLost logs why this worker no longer holds items, for example because a person has cancelled
// them. Their runs are already being stopped.
func (r *Runner) logLost(ctx context.Context, lost []workqueue.ItemRef) {
	if len(lost) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lostReadTime)
	defer cancel()
	for _, ref := range lost[:min(len(lost), maxLostLogged)] {
		r.logLostItem(ctx, ref)
	}
	if more := len(lost) - maxLostLogged; more > 0 {
		r.o.Log.Warn().Int("more", more).Msg("further items are no longer this worker's; stopping their runs")
	}
}

func (r *Runner) logLostItem(ctx context.Context, ref workqueue.ItemRef) {
	log := func(e *zerolog.Event) *zerolog.Event { return e.Int64("item_id", ref.ItemID).Int64("fence", ref.Fence) }
	it, err := r.o.Store.Item(ctx, ref.ItemID)
	gone := errors.Is(err, workqueue.ErrNotFound)
	if err != nil && !gone {
		log(r.o.Log.Warn()).Err(err).Msg("lease lost, and the reason could not be read; stopping its run")
		return
	}
	entry := r.ending(ctx, ref, &it, gone)
	switch {
	case entry != nil:
		e := log(r.o.Log.Info()).Str("by", entry.By())
		if entry.Host != "" {
			e = e.Str("host", entry.Host)
		}
		if entry.Reason != "" {
			e = e.Str("reason", entry.Reason)
		}
		e.Msg(endings[entry.Action] + "; stopping its run")
	case gone:
		log(r.o.Log.Info()).Msg("item removed; stopping its run")
	default:
		e := log(r.o.Log.Warn()).Str("status", string(it.Status()))
		if it.Error != nil {
			e = e.Str("error", *it.Error)
		}
		e.Msg("lease lost: the item is no longer this worker's; stopping its run")
	}
}

// ending returns the latest change in the audit log, if it took the item from this worker; else nil.
func (r *Runner) ending(ctx context.Context, ref workqueue.ItemRef, it *workqueue.Item, gone bool) *workqueue.AuditEntry {
	entries, err := r.o.Store.AuditEntries(ctx, workqueue.AuditFilter{ItemID: ref.ItemID, Limit: 1})
	if err != nil || len(entries) == 0 {
		return nil
	}
	latest := &entries[0]
	switch latest.Action {
	case "items.delete", workqueue.AuditQueuesPurge, workqueue.AuditQueuesDelete:
		return latest
	}
	if endings[latest.Action] == "" || gone || it.StartedAt != nil && latest.At.Before(*it.StartedAt) {
		return nil // it was before the claim
	}
	return latest
}
