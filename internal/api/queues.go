package api

import (
	"context"
	"net/http"
	"slices"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerQueues() {
	register(a, operation{
		id: "queues-list", method: http.MethodGet, path: "/queues", summary: "List the queues by name", needs: access.Viewer, robots: true, bound: true,
		doc: "A caller that is bound to queues sees only these.",
	}, a.listQueues)
	register(a, operation{
		id: "queues-get", method: http.MethodGet, path: "/queues/{queue}", summary: "Get a queue and its policy", needs: access.Viewer, robots: true, bound: true,
		refuses: []int{http.StatusNotFound},
	}, a.getQueue)
	register(a, operation{
		id: "queues-pause", method: http.MethodPost, path: "/queues/{queue}/pause", summary: "Pause a queue", needs: access.Operator, once: true, bound: true,
		doc: "Its items are not assigned and not given to robots; running ones continue.", refuses: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *queueReason) (*changed, error) {
		return a.pauseQueue(ctx, in, a.store.PauseQueue)
	})
	register(a, operation{
		id: "queues-resume", method: http.MethodPost, path: "/queues/{queue}/resume", summary: "End the pause of a queue", needs: access.Operator, once: true, bound: true,
		refuses: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *queueReason) (*changed, error) {
		return a.pauseQueue(ctx, in, a.store.ResumeQueue)
	})
}

// QueuePath is the path of a queue.
type QueuePath struct {
	Queue string `path:"queue" maxLength:"200" doc:"the queue's name"`
}

// ReasonBody is the body of a change that needs nothing but a reason.
type ReasonBody struct {
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

func (r *ReasonBody) reason() string {
	if r.Body == nil {
		return ""
	}
	return r.Body.Reason
}

type queueReason struct {
	QueuePath
	ReasonBody
}

// changed is the answer to a request that may have nothing to do.
type changed struct {
	Body struct {
		Changed bool `json:"changed" doc:"false if it was so before"`
	}
}

func (a *API) listQueues(ctx context.Context, in *NamePage) (*pageOf[workqueue.Queue], error) {
	queues, err := a.store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	p := auth.From(ctx)
	queues = slices.DeleteFunc(queues, func(q workqueue.Queue) bool { return !p.MayQueue(q.Name) })
	return cut(queues, func(q *workqueue.Queue) string { return q.Name }, in.After, in.Limit, "/queues"), nil
}

func (a *API) getQueue(ctx context.Context, in *QueuePath) (*queueWithTag, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	return withTag(a.store.Queue(ctx, in.Queue))
}

func (a *API) pauseQueue(ctx context.Context, in *queueReason, change func(context.Context, string) (bool, error)) (*changed, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	done, err := change(because(ctx, in.reason()), in.Queue)
	out := &changed{}
	out.Body.Changed = done
	return out, err
}

// because returns a context whose changes have this reason in the audit log.
func because(ctx context.Context, reason string) context.Context {
	actor := workqueue.ActorFrom(ctx)
	actor.Reason = reason
	return workqueue.WithActor(ctx, actor)
}
