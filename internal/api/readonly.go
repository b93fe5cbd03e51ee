package api

import (
	"net/http"

	"botwork/workqueue/access"
)

// reader returns the caller as a server that is read-only knows it: people are viewers, and a robot may only read.
func reader(p *access.Principal, op Operation) (*access.Principal, *Problem) {
	if p.Role == access.Robot {
		if op.Method != http.MethodGet && permit(p, op) == nil {
			return nil, readOnly()
		}
		return p, nil
	}
	viewer := *p
	viewer.Role = access.Viewer
	if permit(p, op) == nil && permit(&viewer, op) != nil {
		return nil, readOnly()
	}
	return &viewer, nil
}

func readOnly() *Problem {
	return problem(http.StatusForbidden, "read-only", "this server is read-only: everyone is a viewer here").
		withHint("use a server without http.readOnly, or the program on its machine")
}
