package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerAudit() {
	register(a, operation{
		id: "audit-list", method: http.MethodGet, path: "/audit", summary: "List who changed what, the newest change first", needs: access.Viewer,
		doc: "With `item`, before and after are the values of that item. Values of secrets are removed.",
	}, a.listAudit)
	register(a, operation{
		id: "audit-get", method: http.MethodGet, path: "/audit/{entry}", summary: "Get an entry of the audit log with its items", needs: access.Viewer,
		doc: "The items are a page: `after` continues behind the row with this id.", refuses: []int{http.StatusNotFound},
	}, a.getAudit)
}

type auditQuery struct {
	StretchQuery
	Actor  string `query:"actor" maxLength:"200" doc:"only changes by this person, robot, worker or rule"`
	Action string `query:"action" maxLength:"100" doc:"only this action, such as items.cancel, or items for all of them"`
	Target string `query:"target" maxLength:"300" doc:"only this target: a kind and a name such as queue:mail, or only a kind"`
	Item   int64  `query:"item" minimum:"1" doc:"only changes of this item"`
	Before int64  `query:"before" minimum:"1" doc:"only entries with a smaller id: the next page"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"at most this many"`
}

type auditList struct {
	Paged
	Body struct {
		Items []workqueue.AuditEntry `json:"items" nullable:"false"`
		Next  *string                `json:"next" doc:"the URL of the next page; null on the last one"`
	}
}

// auditActions are what action accepts: the actions, and their nouns.
func auditActions() []string {
	words := workqueue.AuditActions()
	for _, action := range workqueue.AuditActions() {
		if noun, _, _ := strings.Cut(action, "."); !slices.Contains(words, noun) {
			words = append(words, noun)
		}
	}
	return words
}

func (q *auditQuery) filter() (f workqueue.AuditFilter, err error) {
	f = workqueue.AuditFilter{Actor: q.Actor, Action: q.Action, ItemID: q.Item, BeforeID: q.Before, Limit: q.Limit + 1}
	if f.Since, f.Until, err = q.times(""); err != nil {
		return f, err
	}
	if words := auditActions(); q.Action != "" && !slices.Contains(words, q.Action) {
		p := fault("query.action", "got %.100q, want an action such as items.cancel", q.Action)
		p.Errors[0].Hint = strictyaml.Suggest(q.Action, words)
		return f, p
	}
	if q.Target == "" {
		return f, nil
	}
	kind, name, named := strings.Cut(q.Target, ":")
	if err := oneOf("query.target", kind, workqueue.AuditTargets()); err != nil {
		return f, err
	}
	if named && name == "" {
		return f, fault("query.target", "want a name after the colon, or only the kind")
	}
	if kind != workqueue.TargetItem || !named {
		f.TargetKind, f.Target = kind, name
		return f, nil
	}
	// An entry about several items names none of them as its target.
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil || id < 1 || f.ItemID != 0 && f.ItemID != id {
		return f, fault("query.target", "want an item's id after the colon, the same as that of item")
	}
	f.ItemID = id
	return f, nil
}

func (a *API) listAudit(ctx context.Context, in *auditQuery) (*auditList, error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	entries, err := a.store.AuditEntries(ctx, f)
	if err != nil {
		return nil, err
	}
	out := &auditList{}
	if len(entries) > in.Limit {
		entries = entries[:in.Limit]
		item := ""
		if in.Item > 0 {
			item = fmt.Sprint(in.Item)
		}
		out.Body.Next = out.nextPage("/audit", url.Values{}, "actor", in.Actor, "action", in.Action, "target", in.Target, "item", item,
			"since", timeText(f.Since), "until", timeText(f.Until), "before", fmt.Sprint(entries[in.Limit-1].ID), "limit", fmt.Sprint(in.Limit))
	}
	for i := range entries {
		a.hideAudit(ctx, &entries[i])
	}
	out.Body.Items = append([]workqueue.AuditEntry{}, entries...)
	return out, nil
}

type auditPath struct {
	Entry int64 `path:"entry" minimum:"1" doc:"the entry's id"`
	After int64 `query:"after" minimum:"0" doc:"only items whose row has a larger id: the next page"`
	Limit int   `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"at most this many items"`
}

type auditBody struct {
	Paged
	Body struct {
		workqueue.AuditEntry
		Items []workqueue.AuditItem `json:"items" nullable:"false"`
		Next  *string               `json:"next" doc:"the URL of the next page of items; null on the last one"`
	}
}

func (a *API) getAudit(ctx context.Context, in *auditPath) (*auditBody, error) {
	entries, err := a.store.AuditEntries(ctx, workqueue.AuditFilter{ID: in.Entry})
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, problem(http.StatusNotFound, "not-found", "there is no entry %d, or it is no longer kept", in.Entry)
	}
	items, err := a.store.AuditItems(ctx, in.Entry, in.After, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &auditBody{}
	out.Body.AuditEntry = entries[0]
	a.hideAudit(ctx, &out.Body.AuditEntry)
	if len(items) > in.Limit {
		items = items[:in.Limit]
		out.Body.Next = out.nextPage(fmt.Sprintf("/audit/%d", in.Entry), url.Values{}, "after", fmt.Sprint(items[in.Limit-1].ID), "limit", fmt.Sprint(in.Limit))
	}
	out.Body.Items = []workqueue.AuditItem{}
	for _, it := range items {
		it.Before, it.After = a.auditText(ctx, it.Before), a.auditText(ctx, it.After)
		out.Body.Items = append(out.Body.Items, it)
	}
	return out, nil
}
