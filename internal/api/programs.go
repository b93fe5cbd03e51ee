package api

import (
	"context"
	"net/http"
	"reflect"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// mayProgram reports whether the caller may send what runs with the rights of the workers: programs,
// SQL, requests with secrets. Each request that can have such a thing asks here.
func (a *API) mayProgram(ctx context.Context) bool {
	return a.inline && auth.From(ctx).MayProgram()
}

// inlineRefused returns the problem of a whole pipeline in place of a name.
func (a *API) inlineRefused() *Problem {
	return a.programRefused("inline-pipeline", "a whole pipeline in place of a name")
}

// programRefused returns the problem of something that needs mayProgram.
func (a *API) programRefused(code, what string) *Problem {
	p := problem(http.StatusForbidden, code,
		"%s needs the setting http.inline and an editor who is not bound to queues, because it works with the rights of the workers", what)
	if !a.inline {
		return p.withHint("http.inline is off on this server: save the pipeline under a name, or use a command on a machine that reaches the database")
	}
	return p.withHint("http.inline is on: ask an editor who is not bound to queues")
}

// mayInline refuses a whole pipeline in place of a name.
func (a *API) mayInline(ctx context.Context, integrationConfig string) *Problem {
	if !workqueue.InlinePipeline(integrationConfig) || a.mayProgram(ctx) {
		return nil
	}
	return a.inlineRefused()
}

// mayScore refuses a new or another scoring by a service: it sends secrets of the workers' settings to
// an address.
func (a *API) mayScore(ctx context.Context, before, after *workqueue.Queue) *Problem {
	service := serviceOf(after)
	if service == nil || reflect.DeepEqual(service, serviceOf(before)) || a.mayProgram(ctx) {
		return nil
	}
	refused := a.programRefused("scoring-service", "a scoring by a service")
	refused.Errors = []Fault{{Location: "body.settings.distribution.scoring", Message: "want another rule than http"}}
	return refused
}

// serviceOf returns the scoring by a service of a queue; nil if it has none.
func serviceOf(q *workqueue.Queue) *matching.Scoring {
	d, err := matching.ParseQueueDistribution(string(q.Distribution))
	if err != nil || d.Scoring == nil || d.Scoring.Kind() != matching.HTTPRule {
		return nil // the check of the queue refuses what cannot be read
	}
	return d.Scoring
}
