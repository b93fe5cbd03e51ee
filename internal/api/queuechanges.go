package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/api/auth"
	"botwork/internal/author/queuedefs"
	"botwork/internal/httpserver"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

// purgeWithin is how long one request removes items.
const purgeWithin = 15 * time.Second

// setTries limits how often a change is repeated because another process changed the queue.
const setTries = 10

func (a *API) registerQueueChanges() {
	register(a, operation{
		id: "queues-create", method: http.MethodPost, path: "/queues", summary: "Create a queue", needs: access.Editor, status: http.StatusCreated,
		doc:  "The defaults apply to settings that are not given. If the settings of a worker define the queue later, `botwork queues define` replaces the policy.",
		once: true, refuses: []int{http.StatusConflict},
	}, a.createQueue)
	register(a, operation{
		id: "queues-set", method: http.MethodPatch, path: "/queues/{queue}", summary: "Change the policy of a queue until it is defined again", needs: access.Editor, bound: true,
		doc: "Settings that are not given keep their values, and null is the default of a setting. " +
			"With If-Match, the queue is changed only if it still has this revision; without it, the change applies to the latest revision. " +
			"A change that would end waiting items, or strand them, such as another consumer, needs `confirm`.",
		refuses: []int{http.StatusNotFound, http.StatusPreconditionFailed},
	}, a.setQueue)
	register(a, operation{
		id: "queues-delete", method: http.MethodDelete, path: "/queues/{queue}", summary: "Delete a queue without items", needs: access.Editor, bound: true,
		doc: "Finished and deleted items count, too. The queue `default` is never deleted.", refuses: []int{http.StatusNotFound, http.StatusConflict},
	}, a.deleteQueue)
	register(a, operation{
		id: "queues-deleted", method: http.MethodGet, path: "/deleted-queues", summary: "List the queues that were deleted although settings define them", needs: access.Viewer,
	}, a.listDeletedQueues)
	register(a, operation{
		id: "queues-purge", method: http.MethodPost, path: "/queues/{queue}/purge", summary: "Permanently remove a queue's items", needs: access.Admin, bound: true,
		doc: "Removes the items and their attempts, except running ones; they cannot be restored. One request removes items for up to 15 seconds. " +
			"If `next` is not null, call it again with it as `before`.",
		once:    true,
		refuses: []int{http.StatusNotFound},
	}, a.purgeQueue)
	register(a, operation{
		id: "queues-stats", method: http.MethodGet, path: "/queues/{queue}/stats", summary: "Count a queue's items, and get its throughput", needs: access.Viewer, robots: true, bound: true,
		doc: "The figures are counters, so the request is fast with any number of items.", refuses: []int{http.StatusNotFound},
	}, a.queueStats)
	register(a, operation{
		id: "stats-queues", method: http.MethodGet, path: "/stats/queues", summary: "Count the items of all queues, and get their throughput", needs: access.Viewer, robots: true, bound: true,
		doc: "A caller that is bound to queues sees only these, and their sum.",
	}, a.allQueueStats)
}

// queueSettings are settings of a queue by their keys in botwork.yaml.
type queueSettings map[string]json.RawMessage

// Schema implements huma.SchemaProvider.
func (queueSettings) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{
		Type: "object", AdditionalProperties: true,
		Description: "settings of a queue: the keys of its definition in botwork.yaml, nested or with dots, such as {\"limits\": {\"concurrency\": 5}, \"ttl\": \"7d\"}; null is the default",
		Properties:  map[string]*huma.Schema{},
	}
	for _, key := range queuedefs.Keys() {
		s.Properties[key.Name] = &huma.Schema{Description: key.Doc}
	}
	return s
}

type newQueue struct {
	Body struct {
		Name     string        `json:"name" minLength:"1" maxLength:"200" pattern:"^[A-Za-z0-9_.-]+$"`
		Settings queueSettings `json:"settings,omitempty"`
		Reason   string        `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type queuePatch struct {
	QueuePath
	IfMatch string `header:"If-Match" maxLength:"100" doc:"the ETag of the queue that the change is based on"`
	Body    struct {
		Settings queueSettings `json:"settings"`
		Confirm  bool          `json:"confirm,omitempty" doc:"confirms a change that ends waiting items, or strands them"`
		Reason   string        `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type queueWithTag struct {
	ETag string `header:"ETag" doc:"the revision of the queue, for If-Match"`
	Body workqueue.Queue
}

func withTag(q workqueue.Queue, err error) (*queueWithTag, error) {
	if err != nil {
		return nil, err
	}
	return &queueWithTag{strconv.Quote(strconv.FormatInt(q.Revision, 10)), q}, nil
}

func (a *API) createQueue(ctx context.Context, in *newQueue) (*queueWithTag, error) {
	q, err := queuedefs.Patch(workqueue.Queue{Name: in.Body.Name}, in.Body.Settings)
	if err != nil {
		return nil, settingsProblem(err)
	}
	if err := a.mayDefine(ctx, queueChange{&workqueue.Queue{}, &q}); err != nil {
		return nil, err
	}
	if err := a.store.CreateQueue(because(ctx, in.Body.Reason), q, auth.From(ctx).Name); err != nil {
		return nil, err
	}
	q.Revision = 1
	return a.written(ctx, q)
}

// written returns a queue that was just written. If it cannot be read, what was written is the answer:
// an error would make the caller write it again.
func (a *API) written(ctx context.Context, q workqueue.Queue) (*queueWithTag, error) {
	present, err := a.store.Queue(ctx, q.Name)
	if err != nil {
		a.notReadBack(ctx, err)
		return withTag(q, nil)
	}
	return withTag(present, nil)
}

// notReadBack logs that what a request has changed could not be read for its answer.
func (a *API) notReadBack(ctx context.Context, err error) {
	if !isNotFound(err) {
		a.log.Warn().Err(err).Str("request", httpserver.RequestID(ctx)).Msg("changed, but could not be read for the answer")
	}
}

func (a *API) setQueue(ctx context.Context, in *queuePatch) (*queueWithTag, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	wanted, err := revision(in.IfMatch)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		q, err := a.store.Queue(ctx, in.Queue)
		if err != nil {
			return nil, err
		}
		if wanted != 0 && q.Revision != wanted {
			return nil, workqueue.ErrQueueChanged
		}
		before := q
		if q, err = queuedefs.Patch(q, in.Body.Settings); err != nil {
			return nil, settingsProblem(err)
		}
		if err := a.mayDefine(ctx, queueChange{&before, &q}); err != nil {
			return nil, err
		}
		if !in.Body.Confirm {
			if err := assign.CheckStranded(ctx, a.store, &before, &q); err != nil {
				return nil, err
			}
		}
		changed, err := a.store.OverrideQueue(because(ctx, in.Body.Reason), q, auth.From(ctx).Name)
		if errors.Is(err, workqueue.ErrQueueChanged) && wanted == 0 && try < setTries {
			continue
		}
		if err != nil {
			return nil, err
		}
		if changed {
			q.Revision++
		}
		return a.written(ctx, q)
	}
}

// mayDefine refuses settings of a queue that reach further than the caller.
func (a *API) mayDefine(ctx context.Context, c queueChange) error {
	if refused := mayReach(ctx, c, "body.settings.escalation"); refused != nil {
		return refused
	}
	if refused := a.mayScore(ctx, c.Before, c.After); refused != nil {
		return refused
	}
	return nil
}

// revision reads an If-Match header; 0: any revision.
func revision(ifMatch string) (int64, error) {
	if ifMatch == "" || ifMatch == "*" {
		return 0, nil
	}
	n, err := strconv.ParseInt(strings.Trim(strings.TrimPrefix(ifMatch, "W/"), `"`), 10, 64)
	if err != nil || n < 1 {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the header If-Match has no ETag of this resource")
		p.Errors = []Fault{{Location: "header.If-Match", Message: `got another text, want a revision in quotes such as "7", or *`}}
		return 0, p
	}
	return n, nil
}

// settingsProblem returns the problem of settings that were refused, with each fault at its key.
func settingsProblem(err error) error {
	p := problem(http.StatusUnprocessableEntity, "invalid-queue", "the settings of the queue are not valid")
	add := func(key, message, hint string) {
		location := "body.settings"
		if key != "" {
			location += "." + key
		}
		p.Errors = append(p.Errors, Fault{Location: location, Message: message, Hint: hint})
	}
	for _, e := range unjoined(err) {
		if one, ok := errors.AsType[*queuedefs.KeyError](e); ok {
			add(one.Key, one.Message, one.Hint)
		} else if one, ok := errors.AsType[*workqueue.QueueError](e); ok {
			for _, f := range one.Faults {
				message := "want " + f.Want
				if f.Got != "" {
					message = "got " + f.Got + ", " + message
				}
				add(f.Field, message, "")
			}
		} else {
			add("", e.Error(), "")
		}
	}
	return p
}

// unjoined returns the errors that were joined.
func unjoined(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, unjoined(e)...)
	}
	return all
}

func (a *API) deleteQueue(ctx context.Context, in *queueReason) (*struct{}, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	return nil, a.store.DeleteQueue(because(ctx, in.reason()), in.Queue)
}

func (a *API) listDeletedQueues(ctx context.Context, in *NamePage) (*pageOf[workqueue.DeletedQueue], error) {
	deleted, err := a.store.DeletedQueues(ctx)
	return cut(deleted, func(q *workqueue.DeletedQueue) string { return q.Name }, in.After, in.Limit, "/deleted-queues"), err
}

type purgeRequest struct {
	QueuePath
	Body struct {
		Confirm    bool     `json:"confirm" doc:"must be true: the items cannot be restored"`
		Lifecycles []string `json:"lifecycles,omitempty" enum:"scheduled,pending,assigned,retry,completed,archived,deleted" minItems:"1" maxItems:"10" nullable:"false" doc:"only items in these; not given: all but running items"`
		Before     int64    `json:"before,omitempty" minimum:"0" doc:"only items with a smaller id: the next of the answer before"`
		Reason     string   `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type purged struct {
	Body struct {
		Removed int    `json:"removed" doc:"how many items this request removed"`
		Next    *int64 `json:"next" doc:"where to continue; null if no item is left"`
	}
}

func (a *API) purgeQueue(ctx context.Context, in *purgeRequest) (*purged, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	if !in.Body.Confirm {
		p := problem(http.StatusUnprocessableEntity, "not-confirmed", "removing items permanently needs confirm: true").
			withHint("GET /queues/{queue}/stats counts the items")
		p.Errors = []Fault{{Location: "body.confirm", Message: "want true"}}
		return nil, p
	}
	p := workqueue.PurgeParams{Queue: in.Queue, BeforeID: in.Body.Before, Batch: workqueue.BatchPart{Key: batchKeyOf(ctx)}}
	for _, word := range in.Body.Lifecycles {
		p.Lifecycles = append(p.Lifecycles, workqueue.Lifecycle(word))
	}
	out := &purged{}
	for began := time.Now(); ; {
		p.Batch.Part++
		page, err := a.store.PurgeQueue(because(ctx, in.Body.Reason), p)
		if err != nil && out.Body.Removed == 0 {
			return nil, err
		}
		out.Body.Removed += page.Removed
		if err != nil { // what was removed is worth more than the error, which comes again
			out.Body.Next = &p.BeforeID
			return out, nil
		}
		if page.Next == 0 {
			return out, nil
		}
		p.BeforeID = page.Next
		if time.Since(began) > purgeWithin {
			out.Body.Next = &page.Next
			return out, nil
		}
	}
}

type queueStatsBody struct{ Body workqueue.QueueStatistics }

func (a *API) queueStats(ctx context.Context, in *QueuePath) (*queueStatsBody, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	stats, err := a.store.Statistics(ctx, in.Queue)
	if err != nil {
		return nil, err
	}
	return &queueStatsBody{stats[0]}, nil
}

type allQueueStatsBody struct {
	Body struct {
		All    *workqueue.QueueStatistics  `json:"all" doc:"the sum of the queues; null if there are none"`
		Queues []workqueue.QueueStatistics `json:"queues" nullable:"false"`
	}
}

func (a *API) allQueueStats(ctx context.Context, _ *struct{}) (*allQueueStatsBody, error) {
	stats, err := a.store.Statistics(ctx, "")
	if err != nil {
		return nil, err
	}
	out := &allQueueStatsBody{}
	out.Body.Queues = []workqueue.QueueStatistics{}
	p := auth.From(ctx)
	for _, q := range stats {
		if p.MayQueue(q.Queue) {
			out.Body.Queues = append(out.Body.Queues, q)
		}
	}
	out.Body.All = workqueue.OverallStatistics(out.Body.Queues)
	return out, nil
}
