package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// itemActions describe the actions for the document.
var itemActions = map[workqueue.Action]struct{ one, many, doc string }{
	workqueue.RunNow:  {"Run an item now", "Run items now", "A scheduled item is due at once, and a finished one gets one more attempt, which goes on where the last one failed if its pipeline has `resume`. Its counters stay; repeat resets them."},
	workqueue.Cancel:  {"Cancel an item", "Cancel items", "A running item is stopped within seconds and is not retried."},
	workqueue.Archive: {"Archive an item", "Archive items", "The item is kept for inspection, and runs again only after run or repeat. A running item must be cancelled instead."},
	workqueue.Repeat:  {"Run a finished item again from the start", "Run finished items again from the start", "The id stays, the counters are reset. This also restores a deleted item of a queue that keeps deleted items."},
	workqueue.Clone:   {"Create a copy of an item", "Create copies of items", "The copy is due now, and its counters are zero. A copy of an item that has a whole pipeline in place of a name needs what a new one needs."},
	workqueue.Delete:  {"Delete an item", "Delete items", "If the queue has logical deletion, the item is only hidden, and repeat restores it. Otherwise it is removed for good, with its attempts, which needs the role admin. A running item must be cancelled first."},
}

func (a *API) registerItemChanges() {
	refuses := []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed}
	for _, action := range workqueue.Actions() {
		op := operation{
			id: "items-" + string(action), method: http.MethodPost, path: "/items/{id}/" + string(action), summary: itemActions[action].one,
			doc: itemActions[action].doc, needs: access.Operator, bound: true, refuses: refuses, once: true,
		}
		switch action {
		case workqueue.Clone:
			op.status = http.StatusCreated
			register(a, op, a.cloneItem)
			continue
		case workqueue.Repeat:
			register(a, op, func(ctx context.Context, in *RepeatRequest) (*changedItem, error) {
				return a.changeItem(ctx, in.ID, in.IfMatch, in.change())
			})
			continue
		case workqueue.Delete:
			op.method, op.path = http.MethodDelete, "/items/{id}"
		}
		register(a, op, func(ctx context.Context, in *ItemActionRequest) (*changedItem, error) {
			return a.changeItem(ctx, in.ID, in.IfMatch, workqueue.Change{Action: action, Reason: in.reason()})
		})
	}
	register(a, operation{
		id: "items-release", method: http.MethodPost, path: "/items/{id}/release", summary: "Take an item away from the robot that holds it", needs: access.Operator, bound: true, refuses: refuses, once: true,
		doc: "The item is due at once, and no failure is counted. What the robot reports later is refused.",
	}, a.releaseItem)
	register(a, operation{
		id: "items-update", method: http.MethodPatch, path: "/items/{id}", summary: "Change values of an item", needs: access.Operator, bound: true, refuses: refuses, once: true,
		doc: "What is not given stays, and null removes a value. A running item accepts only tags, metadata, and the priority of its next attempt. " +
			"With If-Match, the item is changed only if it has this version.",
	}, a.updateItem)
}

// IfMatch is the version that an item must have to be changed.
type IfMatch struct {
	IfMatch string `header:"If-Match" maxLength:"40" doc:"the item's version in quotes, as in its ETag: the item is changed only if it has this version"`
}

// ItemActionRequest is a request to change an item.
type ItemActionRequest struct {
	ItemPath
	IfMatch
	ReasonBody
}

// RepeatRequest is a request to run an item again.
type RepeatRequest struct {
	ItemPath
	IfMatch
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
		From   string `json:"from,omitempty" minLength:"1" maxLength:"200" doc:"the path of the step at which the item begins, such as post / sign: one that has ended or failed. The outputs of the steps before it are kept, which needs a pipeline with resume. Without it, the item begins at its first step"`
	}
}

func (r *RepeatRequest) change() workqueue.Change {
	c := workqueue.Change{Action: workqueue.Repeat}
	if r.Body != nil {
		c.Reason, c.FromStep = r.Body.Reason, r.Body.From
	}
	return c
}

// ifVersion returns the version of If-Match; 0: any.
func ifVersion(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "*" {
		return 0, nil
	}
	version, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
	if err != nil || version < 1 {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the header If-Match is not valid")
		p.Errors = []Fault{{Location: "header.If-Match", Message: `want the ETag of the item, such as "3", or *`}}
		return 0, p
	}
	return version, nil
}

// changedItem is the answer to a change of an item.
type changedItem struct {
	ETag string `header:"ETag"`
	Body struct {
		ID      int64   `json:"id"`
		Status  *string `json:"status" doc:"the status after the change; null: the item was removed for good, or was changed but could not be read"`
		Version *int64  `json:"version" doc:"the version after the change"`
	}
}

// changeItem changes an item of a queue that the caller may use.
func (a *API) changeItem(ctx context.Context, id int64, match IfMatch, c workqueue.Change) (*changedItem, error) {
	var err error
	if c.IfVersion, err = ifVersion(match.IfMatch); err != nil {
		return nil, err
	}
	for range changeTries {
		err = a.tryChange(ctx, id, c)
		if _, changed := errors.AsType[*workqueue.VersionError](err); !changed || c.IfVersion != 0 {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return a.afterChange(ctx, id)
}

// changeTries is how often the change of an item is tried that others change at the same time.
const changeTries = 10

// tryChange changes an item if the caller may. What the caller may depends on the item's queue, so for
// some callers the change is refused, with a *workqueue.VersionError, if the item was changed after
// its queue was read.
func (a *API) tryChange(ctx context.Context, id int64, c workqueue.Change) error {
	it, err := a.item(ctx, id)
	if err != nil {
		return err
	}
	p := auth.From(ctx)
	if c.Action == workqueue.Delete {
		if err := a.mayDelete(ctx, it.QueueName); err != nil {
			return err
		}
	}
	if c.IfVersion == 0 && (len(p.Queues) > 0 || c.Action == workqueue.Delete && !p.Role.Includes(access.Admin)) {
		c.IfVersion = it.Version
	}
	c.Batch = workqueue.BatchPart{Key: batchKeyOf(ctx), Part: 1}
	return runPart(because(ctx, c.Reason), func(ctx context.Context) error {
		_, err := a.store.ChangeItem(ctx, id, c)
		return err
	})
}

// afterChange returns an item's status after a change. If it cannot be read, the change is done
// nevertheless: an error would make the caller send it again.
func (a *API) afterChange(ctx context.Context, id int64) (*changedItem, error) {
	out := &changedItem{}
	out.Body.ID = id
	it, err := a.store.Item(ctx, id)
	if err != nil {
		a.notReadBack(ctx, err)
		return out, nil
	}
	out.ETag, out.Body.Status, out.Body.Version = etag(it.Version), new(string(it.Status())), &it.Version
	return out, nil
}

// mayDelete refuses the deletion of items for good by callers below admin; queue "" means all.
func (a *API) mayDelete(ctx context.Context, queue string) error {
	if auth.From(ctx).Role.Includes(access.Admin) {
		return nil
	}
	if queue != "" {
		q, err := a.store.Queue(ctx, queue)
		if err != nil {
			return err
		}
		if q.Deletion == workqueue.DeletionLogical {
			return nil
		}
	}
	return problem(http.StatusForbidden, "permanent-deletion", "items of queues without logical deletion are removed for good, which needs the role admin").
		withHint("archive keeps the items")
}

// CloneRequest is a request to copy an item.
type CloneRequest struct {
	ItemPath
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
		NewKey string `json:"newKey,omitempty" minLength:"1" doc:"the natural key of the copy; without it, the copy has that of the item"`
	}
}

type clonedItem struct {
	Location string `header:"Location"`
	Body     struct {
		ID int64 `json:"id" doc:"of the copy"`
	}
}

func (a *API) cloneItem(ctx context.Context, in *CloneRequest) (*clonedItem, error) {
	c := workqueue.Change{Action: workqueue.Clone, By: auth.From(ctx).Name, Batch: workqueue.BatchPart{Key: batchKeyOf(ctx), Part: 1}}
	if in.Body != nil {
		c.Reason, c.NewKey = in.Body.Reason, in.Body.NewKey
	}
	if err := c.Validate(); err != nil {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the copy cannot be created as described")
		p.Errors = []Fault{{Location: "body.newKey", Message: err.Error()}}
		return nil, p
	}
	it, err := a.item(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if refused := a.mayInline(ctx, it.IntegrationConfig); refused != nil {
		return nil, refused
	}
	if len(auth.From(ctx).Queues) > 0 {
		c.IfVersion = it.Version // the copy is made in the queue in which the item was found
	}
	out := &clonedItem{}
	err = runPart(because(ctx, c.Reason), func(ctx context.Context) (err error) {
		out.Body.ID, err = a.store.ChangeItem(ctx, in.ID, c)
		return err
	})
	out.Location = fmt.Sprintf("%s/items/%d", Prefix, out.Body.ID)
	return out, err
}

// ItemReasonRequest is a request about an item that needs nothing but a reason.
type ItemReasonRequest struct {
	ItemPath
	ReasonBody
}

func (a *API) releaseItem(ctx context.Context, in *ItemReasonRequest) (*changedItem, error) {
	if _, err := a.item(ctx, in.ID); err != nil {
		return nil, err
	}
	if err := a.store.ReleaseFromRobot(because(ctx, in.reason()), in.ID, in.reason()); err != nil {
		return nil, err
	}
	return a.afterChange(ctx, in.ID)
}

// ItemUpdateRequest is a request to change values of an item.
type ItemUpdateRequest struct {
	ItemPath
	IfMatch
	NoCheck bool `query:"noCheck" doc:"do not compare a new payload with the pipelines of the project"`
	Body    struct {
		UpdateBody
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

func (a *API) updateItem(ctx context.Context, in *ItemUpdateRequest) (*changedItem, error) {
	update, err := a.itemUpdate(ctx, &in.Body.UpdateBody, in.NoCheck, "body")
	if err != nil {
		return nil, err
	}
	return a.changeItem(ctx, in.ID, in.IfMatch, workqueue.Change{Action: workqueue.Update, Update: update, Reason: in.Body.Reason})
}
