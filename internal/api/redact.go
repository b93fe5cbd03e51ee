package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// redactFor removes the data of an item that the caller may not see: see workqueue.PayloadsHidden.
// It reports whether it did. q is the item's queue; nil: it is unknown, and so is what it hides.
// Every operation that answers with an item calls it.
func redactFor(p *access.Principal, q *workqueue.Queue, it *workqueue.Item) (hidden bool) {
	if !it.Encrypted && q != nil && !q.HidesPayloads() || seesHidden(p, it) {
		return false
	}
	it.Payload, it.Output, it.Analytics, it.Metadata, it.LogTail, it.Unreadable = "", "", "", "", nil, ""
	return true
}

// hideData removes the data of an item that the caller may not see, and reports whether it did.
func (a *API) hideData(ctx context.Context, it *workqueue.Item) (hidden bool, err error) {
	p := auth.From(ctx)
	q, err := a.cachedQueue(ctx, it.QueueName)
	switch {
	case errors.Is(err, workqueue.ErrNotFound):
		return redactFor(p, nil, it), nil
	case err != nil:
		return false, err
	}
	return redactFor(p, &q, it), nil
}

// refuseSearch refuses a filter by hidden data: which items match would say what is in them.
// Encrypted data is left out of searches by other means.
func (a *API) refuseSearch(ctx context.Context, f *workqueue.ItemFilter) error {
	if seesEncrypted(ctx) || f.Payload == nil && len(f.Metadata)+len(f.MetadataBegins) == 0 {
		return nil
	}
	queues, err := a.store.Queues(ctx)
	if err != nil {
		return err
	}
	for i := range queues {
		if q := &queues[i]; q.Payloads == workqueue.PayloadsHidden && (f.QueueName == "" || strings.EqualFold(f.QueueName, q.Name)) {
			return problem(http.StatusForbidden, "hidden-data", "the data of the items of queue %q is hidden, so it cannot be searched", q.Name).
				withHint("name another queue, or filter by something else than payload and metadata")
		}
	}
	return nil
}

// dataFields are the fields of an item, and of a filter, that have or reveal its data.
var dataFields = []string{"payload", "output", "analytics", "metadata", "metadataBegins", "logTail"}

// auditText returns values of the audit log as the caller may see them: without the data of items
// for callers below editor, because the entry does not say whether it was hidden.
func (a *API) auditText(ctx context.Context, text workqueue.JSONText) workqueue.JSONText {
	text = workqueue.JSONText(a.redactText(string(text)))
	if seesEncrypted(ctx) || text == "" {
		return text
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) != nil {
		return "" // it may hold anything
	}
	for _, name := range dataFields {
		delete(fields, name)
	}
	plain, err := workqueue.MarshalPlain(fields)
	if err != nil {
		return "" // unreachable: all values are JSON
	}
	return workqueue.JSONText(plain)
}

// hideAudit adapts an entry of the audit log to the caller.
func (a *API) hideAudit(ctx context.Context, e *workqueue.AuditEntry) {
	e.Reason = a.redactText(e.Reason)
	for _, text := range []*workqueue.JSONText{&e.Filter, &e.Before, &e.After} {
		*text = a.auditText(ctx, *text)
	}
}

// seesHidden reports whether the caller may see the data of an item of a queue that hides it.
func seesHidden(p *access.Principal, it *workqueue.Item) bool {
	if p == nil {
		return false
	}
	if p.Role == access.Robot {
		return it.CheckedOut() && strings.EqualFold(*it.Robot, p.Name)
	}
	return p.Role.Includes(access.Editor)
}
