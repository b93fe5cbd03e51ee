package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// manyTime is how long a request changes items before it answers with where to continue.
var manyTime = 15 * time.Second

const (
	// manyListed bounds the skipped items that an answer lists, and manyClones the new ids of one
	// request.
	manyListed = 100
	manyClones = 10_000
)

func (a *API) registerItemsChanges() {
	for _, action := range workqueue.Actions() {
		register(a, operation{
			id: "items-" + string(action) + "-many", method: http.MethodPost, path: "/items/actions/" + string(action), summary: itemActions[action].many + " that a filter selects",
			doc: itemActions[action].doc + manyDoc, needs: access.Operator, bound: true, tag: "items", refuses: []int{http.StatusConflict}, once: true,
		}, func(ctx context.Context, in *ManyRequest) (*changedItems, error) {
			return a.changeMany(ctx, &in.Body, workqueue.Change{Action: action, Reason: in.Body.Reason}, nil)
		})
	}
	register(a, operation{
		id: "items-update-many", method: http.MethodPost, path: "/items/update", summary: "Change values of the items that a filter selects",
		doc: "The new values are those of PATCH /items/{id}." + manyDoc, needs: access.Operator, bound: true, tag: "items", refuses: []int{http.StatusConflict}, once: true,
	}, func(ctx context.Context, in *UpdateManyRequest) (*changedItems, error) {
		update, err := a.itemUpdate(ctx, &in.Body.Update, in.NoCheck, "body.update")
		if err != nil {
			return nil, err
		}
		values, err := json.Marshal(in.Body.Update)
		if err != nil {
			return nil, err
		}
		return a.changeMany(ctx, &in.Body.ManyBody, workqueue.Change{Action: workqueue.Update, Update: update, Reason: in.Body.Reason}, values)
	})
}

const manyDoc = " The items are changed page by page, the newest first. Items whose state does not allow the change are passed over; those that are refused for another reason are counted, and the first 100 listed. " +
	"A request takes about 15 seconds at most: if next is not null, send the same request with continue set to it. Items that are created meanwhile are not changed."

// ManyBody selects the items of a change.
type ManyBody struct {
	Filter   *ItemSelection `json:"filter,omitempty" doc:"as the parameters of GET /items"`
	All      bool           `json:"all,omitempty" doc:"all items, without a filter; needs yes"`
	Yes      bool           `json:"yes,omitempty" doc:"confirms all, a deletion, and run with a filter that matches both finished and waiting items"`
	Reason   string         `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	DryRun   bool           `json:"dryRun,omitempty" doc:"change nothing, and answer what would be changed"`
	Batch    string         `json:"batch,omitempty" pattern:"^[a-zA-Z0-9_.-]{8,64}$" doc:"the key under which the changes are recorded, for the first of several requests: a new key of 8 to 64 letters, digits, dots, hyphens and underscores; the default is random"`
	Continue string         `json:"continue,omitempty" maxLength:"1000" doc:"the value of next of the previous answer"`
}

// ManyRequest is a request to change the items of a filter.
type ManyRequest struct{ Body ManyBody }

// UpdateManyRequest is a request to change values of the items of a filter.
type UpdateManyRequest struct {
	NoCheck bool `query:"noCheck" doc:"do not compare a new payload with the pipelines of the project"`
	Body    struct {
		ManyBody
		Update UpdateBody `json:"update"`
	}
}

// skippedItem is an item that was not changed.
type skippedItem struct {
	ItemID  int64   `json:"itemId"`
	Message string  `json:"message"`
	Errors  []Fault `json:"errors" nullable:"false"`
}

// changedItems is the answer to a change of the items of a filter. Its numbers are those of one
// request.
type changedItems struct {
	Body struct {
		Batch      string        `json:"batch" doc:"the key under which the changes of all requests are recorded: see /batches"`
		Changed    int           `json:"changed" doc:"how many items this request changed, or with dryRun would change"`
		Refused    int           `json:"refused" doc:"how many were skipped because the new values do not fit"`
		KeysTaken  int           `json:"keysTaken" doc:"how many were skipped because another item has their unique key"`
		Unreadable int           `json:"unreadable" doc:"how many were skipped because the filter selects by payload and theirs cannot be read"`
		Skipped    []skippedItem `json:"skipped" nullable:"false" doc:"the first refused items, with the reasons"`
		Clones     []int64       `json:"clones" nullable:"false" doc:"the ids of new items"`
		DryRun     bool          `json:"dryRun"`
		Next       *string       `json:"next" doc:"to continue; null: all items are done"`
		DoneFrom   *int64        `json:"doneFrom" doc:"the items with this id and larger ones are done, those with smaller ids are not; null: all items are done, or the first part is not"`
	}
}

// progress is what next holds. It grants nothing: the filter is that of the request.
type progress struct {
	Batch   string `json:"b"`
	Part    int64  `json:"p"`
	Before  int64  `json:"i"`
	Request string `json:"r"` // the hash of the request that it belongs to
}

func (p *progress) text() string {
	text, _ := json.Marshal(p) // it has only texts and numbers
	return base64.RawURLEncoding.EncodeToString(text)
}

// begin returns the progress with which a request begins.
func (b *ManyBody) begin(action workqueue.Action, values []byte) (progress, error) {
	same := *b
	same.Continue, same.Reason, same.Batch = "", "", ""
	request, err := json.Marshal(same)
	if err != nil {
		return progress{}, err
	}
	hash := access.Hash(string(action) + "\x00" + string(request) + "\x00" + string(values))[:32]
	if b.Continue == "" {
		return progress{Batch: cmp.Or(b.Batch, workqueue.NewBatchKey()), Request: hash}, nil
	}
	var p progress
	text, err := base64.RawURLEncoding.DecodeString(b.Continue)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || p.Request != hash || p.Part < 0 || p.Before < 1 || workqueue.CheckBatchKey(p.Batch) != nil {
		refused := problem(http.StatusUnprocessableEntity, "continue-mismatch", "the request is not the one that continue belongs to")
		refused.Errors = []Fault{{Location: "body.continue", Message: "want next of the answer to a request with the same filter and the same values"}}
		return p, refused
	}
	return p, nil
}

// selected returns the filter of the body. A request must clearly select its items.
func (b *ManyBody) selected(ctx context.Context, action workqueue.Action) (workqueue.ItemFilter, error) {
	refuse := func(location, message string) error {
		p := problem(http.StatusUnprocessableEntity, "invalid-filter", "the request does not clearly select items")
		p.Errors = []Fault{{Location: location, Message: message}}
		return p
	}
	selection := b.Filter
	if selection == nil {
		selection = &ItemSelection{}
	}
	filter, empty, err := selection.filter(ctx, "body.filter", nil)
	switch {
	case err != nil:
		return filter, err
	case empty && !b.All:
		return filter, refuse("body.filter", "got no filter; want one such as {\"queue\": \"mail\"}, or all")
	case !empty && b.All:
		return filter, refuse("body.all", "got a filter and all, want one of them")
	case b.All && !b.Yes && !b.DryRun:
		return filter, refuse("body.yes", "a change of all items needs yes; dryRun shows how many items match")
	case action == workqueue.Delete && !b.Yes && !b.DryRun:
		return filter, refuse("body.yes", "deleting the items of a filter needs yes; dryRun shows how many items match")
	case action == workqueue.RunNow && !b.Yes && !b.DryRun && len(filter.Statuses)+len(filter.States)+len(filter.Lifecycles) == 0:
		return filter, refuse("body.yes", "got a filter without status, lifecycle and state, which would run every matching finished item again; add one such as scheduled and retry, or confirm with yes")
	case !action.AllowsDeleted() && filter.Deleted():
		return filter, refuse("body.filter.deleted", "deleted items can only be repeated or cloned")
	}
	return filter, nil
}

// changeMany changes items page by page, until there are no more or the time of a request is over.
func (a *API) changeMany(ctx context.Context, b *ManyBody, c workqueue.Change, values []byte) (*changedItems, error) {
	filter, err := b.selected(ctx, c.Action)
	if err == nil {
		err = a.refuseSearch(ctx, &filter)
	}
	if err != nil {
		return nil, err
	}
	if c.Action == workqueue.Delete {
		if err := a.checkQueue(ctx, filter.QueueName); err != nil {
			return nil, err
		}
		if err := a.mayDelete(ctx, filter.QueueName); err != nil {
			return nil, err
		}
	}
	c.RefuseInline = c.Action == workqueue.Clone && !a.mayProgram(ctx) // as for one item
	p, err := b.begin(c.Action, values)
	if err != nil {
		return nil, err
	}
	c.By, c.DryRun, c.Batch.Key = auth.From(ctx).Name, b.DryRun, storedBatch(ctx, p.Batch)
	out := &changedItems{}
	out.Body.Batch, out.Body.DryRun, out.Body.Skipped, out.Body.Clones = p.Batch, b.DryRun, []skippedItem{}, []int64{}
	if p.Before > 0 {
		filter.BeforeID = p.Before
	}
	for until := time.Now().Add(manyTime); ; {
		p.Part++
		c.Batch.Part = p.Part
		page, err := a.changePage(because(ctx, c.Reason), filter, c)
		a.add(out, &page)
		if err != nil && out.Body.Changed > 0 && !a.isUnanswered(err) {
			// What is done is done: the answer says so, and the next request finds out what is wrong.
			out.Body.Next = new((&progress{p.Batch, p.Part - 1, orAll(filter.BeforeID), p.Request}).text())
			out.Body.DoneFrom = workqueue.OrNil(p.Before)
			_ = a.refuse(ctx, "items-"+string(c.Action)+"-many", err) // logs it
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if page.Next == 0 {
			break
		}
		filter.BeforeID, p.Before = page.Next, page.Next
		if time.Now().After(until) || len(out.Body.Clones) >= manyClones || a.isDraining() {
			out.Body.Next, out.Body.DoneFrom = new(p.text()), &page.Next
			return out, nil
		}
	}
	if out.Body.Changed+out.Body.Refused+out.Body.KeysTaken == 0 {
		return out, a.checkQueue(ctx, filter.QueueName)
	}
	return out, nil
}

// orAll returns an id above all others for 0.
func orAll(before int64) int64 {
	if before == 0 {
		return 1 << 62
	}
	return before
}

func (a *API) isUnanswered(err error) bool {
	_, ok := errors.AsType[*workqueue.UnansweredError](err)
	return ok
}

func (a *API) isDraining() bool {
	select {
	case <-a.draining: // nil: never
		return true
	default:
		return false
	}
}

// changePage changes a page, and repeats it if its answer is lost.
func (a *API) changePage(ctx context.Context, filter workqueue.ItemFilter, c workqueue.Change) (page workqueue.ChangeResult, err error) {
	err = runPart(ctx, func(ctx context.Context) error {
		got, err := a.store.ChangeItems(ctx, filter, c)
		if got.Top > 0 {
			filter.BeforeID = got.Top // a repeated page does not include items that were created meanwhile
		}
		if err == nil || got.Changed > page.Changed {
			page = got
		}
		return err
	})
	return page, err
}

// add adds the result of a page.
func (a *API) add(c *changedItems, page *workqueue.ChangeResult) {
	b := &c.Body
	b.Changed += page.Changed
	b.KeysTaken += page.KeysTaken
	b.Unreadable += page.Unreadable
	b.Clones = append(b.Clones, page.Clones...)
	for _, bad := range page.Refusals {
		if b.Refused++; len(b.Skipped) == manyListed {
			continue
		}
		if errors.Is(bad, workqueue.ErrInlinePipeline) {
			b.Skipped = append(b.Skipped, skippedItem{bad.ItemID, a.inlineRefused().Detail, []Fault{}})
			continue
		}
		b.Skipped = append(b.Skipped, skippedItem{bad.ItemID, bad.Error(), slices.Clip(faultsAt("body.update", ".", bad.Err))})
	}
}
