package api

import (
	"context"
	"net/http"
	"strings"

	"botwork/internal/operations"
	"botwork/workqueue/access"
	"botwork/workqueue/learned"
)

func (a *API) registerDurations() {
	register(a, operation{
		id: "durations-list", method: http.MethodGet, path: "/durations", summary: "List how long runs take, as workers have learned it", needs: access.Viewer,
	}, a.listDurations)
	register(a, operation{
		id: "durations-forget", method: http.MethodPost, path: "/durations/forget", summary: "Forget how long runs took", needs: access.Operator, once: true,
		doc: "Forgets what the filters select. Without a filter it needs `all`.",
	}, a.forgetDurations)
}

// durationFilter returns the filter of parameters at a location such as query.
func durationFilter(location, kind, pipeline, task, key string) (learned.Filter, error) {
	f := learned.Filter{Kind: learned.Kind(kind), Pipeline: pipeline}
	if task != "" && key != "" {
		return f, fault(location+".key", "got it together with task, want one of them: a duration belongs to a task or to a key")
	}
	for _, of := range []struct {
		kind        learned.Kind
		field, name string
	}{{learned.OfTask, "task", task}, {learned.OfKey, "key", key}} {
		if of.name == "" {
			continue
		}
		if kind != "" && kind != string(of.kind) {
			return f, fault(location+".kind", "got %s together with %s", kind, of.field)
		}
		f.Kind, f.Name = of.kind, of.name
	}
	return f, nil
}

type durationsQuery struct {
	Kind     string `query:"kind" enum:"pipeline,task,key" doc:"only of one kind"`
	Pipeline string `query:"pipeline" maxLength:"200" doc:"only of this pipeline, its tasks and keys"`
	Task     string `query:"task" maxLength:"200" doc:"only of this scheduled task"`
	Key      string `query:"key" maxLength:"400" doc:"only of natural keys with this prefix, which ends at the pipeline's separator"`
	Limit    int    `query:"limit" minimum:"1" maximum:"5000" default:"1000" doc:"at most this many"`
}

type durationList struct {
	Body struct {
		Items []operations.Duration `json:"items" nullable:"false"`
	}
}

func (a *API) listDurations(ctx context.Context, in *durationsQuery) (*durationList, error) {
	f, err := durationFilter("query", in.Kind, in.Pipeline, in.Task, in.Key)
	if err != nil {
		return nil, err
	}
	f.Limit = in.Limit
	all, err := a.store.Durations(ctx, f)
	out := &durationList{}
	out.Body.Items = make([]operations.Duration, len(all))
	for i := range all {
		out.Body.Items[i] = operations.ViewDuration(&all[i])
	}
	return out, err
}

type forgetRequest struct {
	Body struct {
		Kind     string `json:"kind,omitempty" enum:"pipeline,task,key" doc:"only of one kind"`
		Pipeline string `json:"pipeline,omitempty" maxLength:"200" doc:"only of this pipeline, its tasks and keys"`
		Task     string `json:"task,omitempty" maxLength:"200" doc:"only of this scheduled task"`
		Key      string `json:"key,omitempty" maxLength:"400" doc:"only of natural keys with this prefix"`
		All      bool   `json:"all,omitempty" doc:"forget everything"`
		Reason   string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type forgotten struct {
	Body struct {
		Forgotten int `json:"forgotten" doc:"how many durations were forgotten"`
	}
}

func (a *API) forgetDurations(ctx context.Context, in *forgetRequest) (*forgotten, error) {
	b := &in.Body
	f, err := durationFilter("body", b.Kind, strings.TrimSpace(b.Pipeline), strings.TrimSpace(b.Task), b.Key)
	if err != nil {
		return nil, err
	}
	switch everything := f == (learned.Filter{}); {
	case everything && !b.All:
		return nil, fault("body", "got no filter, want one such as pipeline, or all: true")
	case !everything && b.All:
		return nil, fault("body.all", "got it together with a filter, want one of them")
	}
	out := &forgotten{}
	out.Body.Forgotten, err = a.store.ForgetDurations(because(ctx, b.Reason), f)
	return out, err
}
