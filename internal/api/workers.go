package api

import (
	"context"
	"net/http"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerWorkers() {
	register(a, operation{
		id: "workers-list", method: http.MethodGet, path: "/workers", summary: "List all workers that have ever registered, by name", needs: access.Viewer,
		doc: "`gone` is true for a worker whose process ended without stopping: its lease has expired.",
	}, a.listWorkers)
	register(a, operation{
		id: "workers-get", method: http.MethodGet, path: "/workers/{worker}", summary: "Get a worker", needs: access.Viewer, refuses: []int{http.StatusNotFound},
	}, a.getWorker)
	register(a, operation{
		id: "workers-loads", method: http.MethodGet, path: "/stats/workers", summary: "Get how much work each live worker holds", needs: access.Viewer,
		doc: "Of the workers that may get items and were seen in the last 15 minutes, by name.",
	}, a.workerLoads)
	register(a, operation{
		id: "workers-set", method: http.MethodPatch, path: "/workers/{worker}", summary: "Change the slots, labels, channels and queues of a worker", needs: access.Editor,
		doc: "The settings replace those of the worker's process, also after a restart, until `reset`. Requests add up: a setting that is not given keeps its value. " +
			"A running worker applies them at its next heartbeat; the passes of all workers use them at once.",
		refuses: []int{http.StatusNotFound},
	}, a.setWorker)
	register(a, operation{
		id: "workers-drain", method: http.MethodPost, path: "/workers/{worker}/drain", summary: "Let a worker finish its running items and start no more", needs: access.Operator, once: true,
		doc: "It lasts until the worker is resumed, also when it restarts, or, with `untilRestart`, until its process ends.", refuses: []int{http.StatusNotFound, http.StatusConflict},
	}, a.drainWorker)
	register(a, operation{
		id: "workers-resume", method: http.MethodPost, path: "/workers/{worker}/resume", summary: "Let a drained worker take items again", needs: access.Operator, once: true,
		doc: "A running worker takes items again after its next heartbeat.", refuses: []int{http.StatusNotFound},
	}, a.resumeWorker)
}

// WorkerPath is the path of a worker.
type WorkerPath struct {
	Worker string `path:"worker" maxLength:"200" doc:"the worker's name"`
}

// worker is a worker as the API shows it.
type worker struct {
	workqueue.Worker
	Gone bool `json:"gone" doc:"it did not stop gracefully, and its lease has expired"`
}

type workerBody struct{ Body worker }

func (a *API) listWorkers(ctx context.Context, in *NamePage) (*pageOf[worker], error) {
	workers, err := a.workers(ctx)
	return cut(workers, func(w *worker) string { return w.Name }, in.After, in.Limit, "/workers"), err
}

func (a *API) workers(ctx context.Context) ([]worker, error) {
	workers, err := a.store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	now, err := a.store.Now(ctx)
	list := make([]worker, len(workers))
	for i := range workers {
		list[i] = worker{workers[i], workers[i].Gone(now)}
	}
	return list, err
}

func (a *API) getWorker(ctx context.Context, in *WorkerPath) (*workerBody, error) {
	list, err := a.workers(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range list {
		if w.Name == in.Worker {
			return &workerBody{w}, nil
		}
	}
	return nil, a.unknownWorker(ctx, in.Worker, workqueue.ErrNotFound)
}

// unknownWorker adds a suggestion to the error of a worker that does not exist.
func (a *API) unknownWorker(ctx context.Context, name string, cause error) error {
	workers, err := a.store.Workers(ctx)
	if err != nil {
		return cause
	}
	names := make([]string, len(workers))
	for i := range workers {
		names[i] = workers[i].Name
	}
	return notFound("worker", name, names)
}

// notFound is the problem of a name that does not exist.
func notFound(what, name string, known []string) *Problem {
	return problem(http.StatusNotFound, "not-found", "there is no %s %q", what, name).withHint(strictyaml.Suggest(name, known))
}

type workerSettings struct {
	WorkerPath
	Body struct {
		Reset         bool               `json:"reset,omitempty" doc:"first remove everything that was set for the worker before"`
		Capacity      *int               `json:"capacity,omitempty" minimum:"1" maximum:"10000" doc:"how many items run at the same time"`
		ReservedSlots *int               `json:"reservedSlots,omitempty" minimum:"0" maximum:"10000" doc:"how many of the slots are kept free for items above priority 1000"`
		Labels        map[string]any     `json:"labels,omitempty" doc:"labels to add or replace; null removes one"`
		Channels      *workqueueChannels `json:"channels,omitempty" doc:"take only items of these channels; an empty object: of all, with one slot each"`
		Queues        *[]string          `json:"queues,omitempty" maxItems:"1000" doc:"serve only these queues; an empty list: all"`
		Reason        string             `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

// workqueueChannels are the slots that items need, by channel.
type workqueueChannels map[string]workqueue.Channel

func (a *API) setWorker(ctx context.Context, in *workerSettings) (*workerBody, error) {
	b := &in.Body
	o := workqueue.WorkerOverrides{Capacity: b.Capacity, ReservedSlots: b.ReservedSlots, Labels: b.Labels, Queues: b.Queues}
	if b.Channels != nil {
		channels := workqueue.Channels(*b.Channels)
		o.Channels = &channels
	}
	if o.None() && !b.Reset {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the request sets nothing").withHint("give a setting, such as capacity, or reset")
		p.Errors = []Fault{{Location: "body", Message: "want one of capacity, reservedSlots, labels, channels, queues and reset"}}
		return nil, p
	}
	w, err := a.store.SetWorker(because(ctx, b.Reason), in.Worker, b.Reset, o)
	if isNotFound(err) {
		return nil, a.unknownWorker(ctx, in.Worker, err)
	}
	if err != nil {
		return nil, err
	}
	now, err := a.store.Now(ctx)
	if err != nil { // the worker was changed nevertheless
		a.notReadBack(ctx, err)
	}
	return &workerBody{worker{w, err == nil && w.Gone(now)}}, nil
}

type drainRequest struct {
	WorkerPath
	Body *struct {
		UntilRestart bool   `json:"untilRestart,omitempty" doc:"the worker takes items again when it is restarted"`
		Reason       string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

func (a *API) drainWorker(ctx context.Context, in *drainRequest) (*struct{}, error) {
	drain := a.store.RequestDrain
	if in.Body != nil {
		ctx = because(ctx, in.Body.Reason)
		if in.Body.UntilRestart {
			drain = func(ctx context.Context, name string) error { return a.store.DrainWorker(ctx, name, "") }
		}
	}
	err := drain(ctx, in.Worker)
	if !isNotFound(err) {
		return nil, err
	}
	workers, listErr := a.store.Workers(ctx)
	if listErr != nil {
		return nil, err
	}
	for i := range workers {
		if workers[i].Name == in.Worker {
			return nil, problem(http.StatusConflict, "worker-stopped", "the worker %q has stopped already", in.Worker)
		}
	}
	return nil, a.unknownWorker(ctx, in.Worker, err)
}

type workerReason struct {
	WorkerPath
	ReasonBody
}

func (a *API) resumeWorker(ctx context.Context, in *workerReason) (*changed, error) {
	done, err := a.store.ResumeWorker(because(ctx, in.reason()), in.Worker)
	if isNotFound(err) {
		return nil, a.unknownWorker(ctx, in.Worker, err)
	}
	out := &changed{}
	out.Body.Changed = done
	return out, err
}
