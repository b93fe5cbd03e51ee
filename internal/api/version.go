package api

import (
	"context"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/workqueue/access"
)

func (a *API) registerVersion() {
	register(a, operation{
		id: "version-get", method: http.MethodGet, path: "/version", summary: "Get the program's version, the database's time, and who calls",
		needs: access.Viewer, robots: true, bound: true,
	}, a.getVersion)
}

type versionBody struct {
	Body struct {
		Version string      `json:"version"`
		Now     time.Time   `json:"now" doc:"the time of the database's clock"`
		Caller  string      `json:"caller" doc:"the name of the token or of the user"`
		Role    access.Role `json:"role"`
		Queues  []string    `json:"queues" nullable:"false" doc:"the queues that the caller is bound to; none: all"`
	}
}

func (a *API) getVersion(ctx context.Context, _ *struct{}) (*versionBody, error) {
	now, err := a.store.Now(ctx)
	p := auth.From(ctx)
	out := &versionBody{}
	out.Body.Version, out.Body.Now, out.Body.Caller, out.Body.Role = a.version, now.UTC(), p.Name, p.Role
	out.Body.Queues = append([]string{}, p.Queues...)
	return out, err
}
