package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

func (a *API) registerItemReads() {
	missing := []int{http.StatusNotFound}
	register(a, operation{
		id: "items-get", method: http.MethodGet, path: "/items/{id}", summary: "Get an item", needs: access.Viewer, bound: true, refuses: missing,
		doc: "The header ETag has the item's version, for If-Match. Payload, output and metadata of an encrypted item are null for callers below editor.",
	}, a.getItem)
	register(a, operation{
		id: "items-attempts", method: http.MethodGet, path: "/items/{id}/attempts", summary: "List the attempts of an item that did not simply succeed", needs: access.Viewer, bound: true, refuses: missing,
		doc: "They are in the order in which they ended.",
	}, a.listAttempts)
	register(a, operation{
		id: "items-history", method: http.MethodGet, path: "/items/{id}/history", summary: "List the changes of an item on request, the newest first", needs: access.Viewer, bound: true, refuses: missing,
		doc: "The entries are those of the audit log, with the item's values before and after.",
	}, a.listItemHistory)
	register(a, operation{
		id: "items-why", method: http.MethodGet, path: "/items/{id}/why", summary: "Get the reason why an item is not running, and when it is expected to start", needs: access.Viewer, bound: true, refuses: missing,
		doc: "The answer is that of `botwork items why`; kind names the reason in one word.",
	}, a.explainItem)
	register(a, operation{
		id: "batches-get", method: http.MethodGet, path: "/batches/{key}", summary: "Get what a batch has done", needs: access.Viewer,
		doc: "Requests that change many items answer with a batch key. An unknown batch has no parts; records are kept for seven days.",
	}, a.getBatch)
}

// ItemPath is the path of an item.
type ItemPath struct {
	ID int64 `path:"id" minimum:"1" doc:"the item's id"`
}

type itemBody struct {
	ETag string `header:"ETag"`
	Body itemView
}

func etag(version int64) string { return fmt.Sprintf(`"%d"`, version) }

// item returns an item that the caller may see. An item of another queue does not exist for the
// caller.
func (a *API) item(ctx context.Context, id int64) (workqueue.Item, error) {
	it, err := a.store.Item(ctx, id)
	if err == nil && !auth.From(ctx).MayQueue(it.QueueName) {
		err = fmt.Errorf("read item %d: %w", id, workqueue.ErrNotFound)
	}
	return it, err
}

func (a *API) getItem(ctx context.Context, in *ItemPath) (*itemBody, error) {
	it, err := a.item(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx, &it, nil)
	return &itemBody{etag(it.Version), v}, err
}

type attemptsQuery struct {
	ItemPath
	IDPage
}

func (a *API) listAttempts(ctx context.Context, in *attemptsQuery) (*pageOf[workqueue.Attempt], error) {
	it, err := a.item(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	hidden, err := a.hideData(ctx, &it)
	if err != nil {
		return nil, err
	}
	attempts, err := a.store.Attempts(ctx, in.ID)
	out := cut(attempts, func(at *workqueue.Attempt) int64 { return at.ID }, in.After, in.Limit, fmt.Sprintf("/items/%d/attempts", in.ID))
	for i := range out.Body.Items {
		at := &out.Body.Items[i]
		if hidden {
			at.LogTail = nil
		}
		a.redact(at.Error, at.Reason, at.Progress, at.LogTail)
	}
	return out, err
}

// ItemHistoryQuery are the parameters of an item's history.
type ItemHistoryQuery struct {
	ItemPath
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"how many entries at most"`
	Before int64 `query:"before" minimum:"1" doc:"only entries with a smaller id: the next page"`
}

type itemHistory struct {
	Link string `header:"Link"`
	Body struct {
		Items []workqueue.AuditEntry `json:"items" nullable:"false"`
		Next  *string                `json:"next" doc:"the relative URL of the next page; null: there is none"`
	}
}

func (a *API) listItemHistory(ctx context.Context, in *ItemHistoryQuery) (*itemHistory, error) {
	// An item that was removed for good still has its history, for callers that are not bound.
	_, missing := a.item(ctx, in.ID)
	if missing != nil && len(auth.From(ctx).Queues) > 0 {
		return nil, missing
	}
	entries, err := a.itemEntries(ctx, in)
	if err == nil && len(entries) == 0 {
		err = missing
	}
	if err != nil {
		return nil, err
	}
	for i := range entries {
		a.hideAudit(ctx, &entries[i])
		if len(auth.From(ctx).Queues) > 0 {
			entries[i].Filter, entries[i].Changed = "", 1 // they are about other items, too
		}
	}
	out := &itemHistory{}
	out.Body.Items = append([]workqueue.AuditEntry{}, entries...)
	if len(entries) == in.Limit {
		out.Body.Next = new(fmt.Sprintf("%s/items/%d/history?limit=%d&before=%d", Prefix, in.ID, in.Limit, entries[len(entries)-1].ID))
	}
	out.Link = linkNext(out.Body.Next)
	return out, nil
}

// itemEntries reads a page of the history of an item. A bound caller gets nothing of the time at which
// the item was in a queue of others.
func (a *API) itemEntries(ctx context.Context, in *ItemHistoryQuery) ([]workqueue.AuditEntry, error) {
	if len(auth.From(ctx).Queues) == 0 {
		return a.store.AuditEntries(ctx, workqueue.AuditFilter{ItemID: in.ID, BeforeID: in.Before, Limit: in.Limit})
	}
	var all []workqueue.AuditEntry
	for before := int64(0); ; {
		page, err := a.store.AuditEntries(ctx, workqueue.AuditFilter{ItemID: in.ID, BeforeID: before, Limit: historyPage})
		if err != nil {
			return nil, err
		}
		for i := range page {
			e := &page[i]
			arrived := arrival(ctx, e)
			if in.Before == 0 || e.ID < in.Before {
				all = append(all, *e)
			}
			if arrived || len(all) == in.Limit {
				return all, nil
			}
		}
		if len(page) < historyPage {
			return all, nil
		}
		before = page[len(page)-1].ID
	}
}

// historyPage is how many entries of a history are read at a time.
const historyPage = 500

// arrival reports whether an entry is the item's arrival from a queue that the caller may not use. It
// removes the values before it.
func arrival(ctx context.Context, e *workqueue.AuditEntry) bool {
	var values struct{ QueueName *string }
	if json.Unmarshal([]byte(e.Before), &values) != nil || values.QueueName == nil || auth.From(ctx).MayQueue(*values.QueueName) {
		return false
	}
	e.Before = ""
	return true
}

type itemReason struct{ Body assign.Reason }

// whyTimeout bounds the simulation of passes.
const whyTimeout = 20 * time.Second

func (a *API) explainItem(ctx context.Context, in *ItemPath) (*itemReason, error) {
	if _, err := a.item(ctx, in.ID); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, whyTimeout)
	defer cancel()
	p, err := a.whyParams()
	if err != nil {
		return nil, err
	}
	p.MostDue = mostSimulated
	reason, err := assign.Why(ctx, a.store, in.ID, p)
	if reason.Error != "" {
		a.redact(&reason.Error, &reason.Text)
	}
	return &itemReason{reason}, err
}

// BatchPath is the path of a batch.
type BatchPath struct {
	Key string `path:"key" pattern:"^[a-zA-Z0-9_.-]{8,64}$" doc:"the batch's key"`
}

type batchBody struct{ Body workqueue.BatchSummary }

func (a *API) getBatch(ctx context.Context, in *BatchPath) (*batchBody, error) {
	out := &batchBody{workqueue.BatchSummary{Key: in.Key}}
	return out, a.store.EachBatchRecord(ctx, in.Key, out.Body.Add)
}
