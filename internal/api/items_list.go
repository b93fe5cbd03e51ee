package api

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/httpserver"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerItemLists() {
	register(a, operation{
		id: "items-list", method: http.MethodGet, path: "/items", summary: "List items, the newest first", needs: access.Viewer, bound: true,
		doc: "The parameters are the filters of `botwork items list`, combined with AND. Lists may be repeated, or separated by commas except tag, meta, metaLike and label. " +
			"A search by payload reads the payloads of the items that the other filters select and stops after 100,000: incomplete says so, and next continues. " +
			"A caller that is bound to several queues must name one.",
	}, a.listItems)
	register(a, operation{
		id: "items-count", method: http.MethodGet, path: "/items/count", summary: "Count the items that a filter selects", needs: access.Viewer, bound: true,
	}, a.countItems)
	register(a, operation{
		id: "items-export", method: http.MethodGet, path: "/items.ndjson", summary: "Export all items that a filter selects, the newest first", needs: access.Viewer, bound: true,
		doc: "The answer is application/x-ndjson: one item a line. If the export fails on its way, the connection breaks before the end of the answer. " +
			"Items whose payload cannot be read do not match a filter by payload.",
		edit: answersLines,
	}, a.exportItems)
}

// ItemListQuery are the parameters of a list of items.
type ItemListQuery struct {
	SelectionQuery
	Sort   string   `query:"sort" doc:"sort by id, priority, created, due, started or finished; with - before it, the largest or latest first. Only the newest items first have pages"`
	Limit  int      `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"at most this many items"`
	LookAt int64    `query:"lookAt" minimum:"1" maximum:"1000000" doc:"look at no more items than this, the newest first, unless an index has those of the filter, so that a list is fast in a table of any size; incomplete says where it ended, and next continues"`
	Before int64    `query:"before" minimum:"1" doc:"only items with a smaller id: the next page"`
	Fields []string `query:"fields" nullable:"false" doc:"only these fields of the items, separated by commas"`
}

// incomplete describes what a search left out.
type incomplete struct {
	Looked     int    `json:"looked" doc:"how many items the search has looked at; without a payload, how many ids"`
	Below      *int64 `json:"below" doc:"the id where it stopped; null if it looked at all items of the filter"`
	Unreadable int    `json:"unreadable" doc:"how many items do not match because their payload cannot be read, or is encrypted and not for the caller"`
}

type itemList struct {
	Link string `header:"Link"`
	Body struct {
		Items      []itemView  `json:"items" nullable:"false"`
		Next       *string     `json:"next" doc:"the relative URL of the next page; null: there is none"`
		Incomplete *incomplete `json:"incomplete" doc:"null unless the search left items out"`
	}
}

func (a *API) listItems(ctx context.Context, in *ItemListQuery) (*itemList, error) {
	filter, err := in.selected(ctx)
	if err == nil {
		err = a.refuseSearch(ctx, &filter)
	}
	if err != nil {
		return nil, err
	}
	if err := checkFields(in.Fields); err != nil {
		return nil, err
	}
	filter.Limit, filter.BeforeID, filter.LookAt = in.Limit, in.Before, in.LookAt
	if err := sortBy(&filter, in.Sort); err != nil {
		return nil, err
	}
	items, more, found, err := a.itemPage(ctx, filter)
	if err == nil && len(items) == 0 {
		err = a.checkQueue(ctx, filter.QueueName)
	}
	if err != nil {
		return nil, err
	}
	out := &itemList{}
	out.Body.Items, out.Body.Incomplete = make([]itemView, len(items)), found
	for i := range items {
		if out.Body.Items[i], err = a.view(ctx, &items[i], in.Fields); err != nil {
			return nil, err
		}
	}
	var next int64
	switch {
	case filter.Sort != (workqueue.ItemSort{}):
	case more:
		next = items[len(items)-1].ID
	case found != nil && found.Below != nil:
		next = *found.Below
	}
	if next > 1 {
		out.Body.Next = new(in.pageAfter("before", next))
	}
	out.Link = linkNext(out.Body.Next)
	return out, nil
}

// listBytes bounds the texts of the items of a page, about.
const listBytes = 16 << 20

// itemPage reads a page. Payloads may be large, so the items are read in parts, and the page ends early
// if they have many bytes. more reports whether there may be other items.
func (a *API) itemPage(ctx context.Context, filter workqueue.ItemFilter) (items []workqueue.Item, more bool, found *incomplete, err error) {
	left, size := filter.Limit, 0
	if filter.Sort == (workqueue.ItemSort{}) {
		filter.Limit = min(left, exportFirst)
	}
	for {
		part, err := a.store.Items(ctx, filter)
		left, size, items = left-len(part), size+sizeOf(part), append(items, part...)
		cut, err := searched(err)
		if err != nil {
			return nil, false, nil, err
		}
		found = found.add(cut)
		more = len(part) == filter.Limit
		if !more || left == 0 || size >= listBytes || cut != nil && cut.Below != nil {
			return items, more, found, nil
		}
		filter.BeforeID = part[len(part)-1].ID
		filter.Limit = min(left, max(listBytes/4*len(items)/size, 5))
	}
}

// add adds what the search of another part left out.
func (i *incomplete) add(other *incomplete) *incomplete {
	if i == nil || other == nil {
		return cmp.Or(i, other)
	}
	return &incomplete{Looked: i.Looked + other.Looked, Below: other.Below, Unreadable: i.Unreadable + other.Unreadable}
}

// sizeOf returns about how many bytes items take.
func sizeOf(items []workqueue.Item) (size int) {
	for i := range items {
		size += len(items[i].Payload) + len(items[i].Output) + len(items[i].Metadata) + 2000
	}
	return size
}

// sortBy sets the order of a list.
func sortBy(filter *workqueue.ItemFilter, order string) (err error) {
	if order == "" {
		return nil
	}
	refuse := func(message string) error {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the order is not valid")
		p.Errors = []Fault{{Location: "query.sort", Message: message}}
		return p
	}
	if filter.Sort, err = workqueue.ParseItemSort(order); err != nil {
		return refuse(err.Error())
	}
	switch {
	case filter.BeforeID > 0:
		return refuse("got sort and before, want one of them: only the newest items first have pages")
	case filter.Payload != nil && !filter.Sort.NewestFirst():
		return refuse("got sort and payload, want one of them: a search by payload lists the newest items first")
	case filter.Sort.NewestFirst():
		filter.Sort = workqueue.ItemSort{}
	}
	return nil
}

// searched separates what a search left out from other errors.
func searched(err error) (*incomplete, error) {
	e, ok := errors.AsType[*workqueue.IncompleteError](err)
	if !ok {
		return nil, err
	}
	found := &incomplete{Looked: e.Looked, Unreadable: e.Unreadable}
	if e.Below > 0 {
		found.Below = &e.Below
	}
	return found, nil
}

// checkQueue returns an error for a queue that does not exist, so that a mistyped name does not look
// like an empty queue; "" is any queue.
func (a *API) checkQueue(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	queues, err := a.store.Queues(ctx)
	if err != nil {
		return err
	}
	var known []string
	for _, q := range queues {
		if q.Name == name {
			return nil
		}
		if mayQueue(ctx, q.Name) == nil {
			known = append(known, q.Name)
		}
	}
	return &workqueue.UnknownQueueError{Queue: name, Known: known}
}

// ItemCountQuery are the parameters of a count of items.
type ItemCountQuery struct {
	SelectionQuery
	UpTo   int64 `query:"upTo" minimum:"1" maximum:"1000000" doc:"count no further than this"`
	LookAt int64 `query:"lookAt" minimum:"1" maximum:"1000000" doc:"look at no more items than this, as for the list; incomplete says where the count ended"`
}

type itemCount struct {
	Body struct {
		Count      int64       `json:"count"`
		More       bool        `json:"more" doc:"there are more than upTo items; count is upTo"`
		Incomplete *incomplete `json:"incomplete" doc:"null unless the search left items out"`
	}
}

func (a *API) countItems(ctx context.Context, in *ItemCountQuery) (*itemCount, error) {
	filter, err := in.selected(ctx)
	if err == nil {
		err = a.refuseSearch(ctx, &filter)
	}
	if err != nil {
		return nil, err
	}
	if in.UpTo > 0 {
		filter.CountAtMost = in.UpTo + 1
	}
	filter.LookAt = in.LookAt
	out := &itemCount{}
	out.Body.Count, err = a.store.CountItems(ctx, filter)
	if in.UpTo > 0 && out.Body.Count > in.UpTo {
		out.Body.Count, out.Body.More = in.UpTo, true
	}
	if out.Body.Incomplete, err = searched(err); err == nil && out.Body.Count == 0 {
		err = a.checkQueue(ctx, filter.QueueName)
	}
	return out, err
}

// ItemExportQuery are the parameters of an export of items.
type ItemExportQuery struct {
	SelectionQuery
	Fields []string `query:"fields" nullable:"false" doc:"only these fields of the items, separated by commas"`
}

// ndjson is the media type of lines of JSON.
const ndjson = "application/x-ndjson"

const (
	exportFirst   = 50               // items of the first page
	exportPage    = 500              // and at most of a later one
	exportBytes   = 4 << 20          // of a page, about
	exportPatient = 60 * time.Second // how long the client may take to receive a page
)

func (a *API) exportItems(ctx context.Context, in *ItemExportQuery) (*huma.StreamResponse, error) {
	filter, err := in.selected(ctx)
	if err == nil {
		err = a.refuseSearch(ctx, &filter)
	}
	if err != nil {
		return nil, err
	}
	if err := checkFields(in.Fields); err != nil {
		return nil, err
	}
	filter.Limit = exportFirst
	// The first page is read before the answer begins, so that what is wrong is a problem.
	items, more, err := a.exportPage(ctx, &filter)
	if err == nil && len(items) == 0 {
		err = a.checkQueue(ctx, filter.QueueName)
	}
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(out huma.Context) {
		out.SetHeader("Content-Type", ndjson)
		out.SetStatus(http.StatusOK)
		for {
			if err == nil {
				// Payloads may be large, so the pages are as small as their items are large.
				filter.Limit = min(max(exportBytes*len(items)/max(sizeOf(items), 1), 5), exportPage)
				err = a.writeItems(ctx, out.BodyWriter(), items, in.Fields)
			}
			if err == nil && more {
				items, more, err = a.exportPage(ctx, &filter)
			} else if err == nil {
				return
			}
			if err != nil {
				if ctx.Err() == nil {
					a.log.Warn().Err(err).Str("request", httpserver.RequestID(ctx)).Msg("an export of items broke off")
				}
				panic(http.ErrAbortHandler) // the client must not take the answer for complete
			}
		}
	}}, nil
}

// exportPage reads the next page, and sets where the one after it begins.
func (a *API) exportPage(ctx context.Context, filter *workqueue.ItemFilter) (items []workqueue.Item, more bool, err error) {
	items, err = a.store.Items(ctx, *filter)
	found, err := searched(err)
	switch {
	case err != nil:
		return nil, false, err
	case len(items) == filter.Limit:
		filter.BeforeID, more = items[len(items)-1].ID, true
	case found != nil && found.Below != nil:
		filter.BeforeID, more = *found.Below, true
	}
	return items, more, nil
}

func (a *API) writeItems(ctx context.Context, to io.Writer, items []workqueue.Item, fields []string) error {
	httpserver.WritesFor(ctx, exportPatient)
	for i := range items {
		v, err := a.view(ctx, &items[i], fields)
		if err != nil {
			return err
		}
		if _, err := to.Write(append(v.text, '\n')); err != nil {
			return err
		}
	}
	return nil
}
