package api

import (
	"context"
	"net/http"
	"time"

	"botwork/internal/doctor"
	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// Examiner finds what keeps a worker on the server's machine from working.
type Examiner interface {
	// Doctor makes all checks of botwork doctor, each within timeout.
	Doctor(ctx context.Context, timeout time.Duration) (doctor.Report, error)
}

func (a *API) registerChecks() {
	register(a, operation{
		id: "database-check", method: http.MethodPost, path: "/check", summary: "Check the database for violations of the queue's guarantees", needs: access.Admin,
		doc:     "Reads the whole database, as `botwork check` does, and changes nothing. One check runs at a time.",
		refuses: []int{http.StatusConflict},
	}, a.checkDatabase)
	register(a, operation{
		id: "machine-examine", method: http.MethodPost, path: "/doctor", summary: "Find problems that prevent a worker on the server's machine from working", needs: access.Admin,
		doc:     "Makes the checks of `botwork doctor`, with the settings as they are in their files. One examination runs at a time.",
		refuses: []int{http.StatusNotFound, http.StatusConflict},
	}, a.examine)
}

type checkRequest struct {
	Body *struct {
		DueFor  workqueue.Duration `json:"dueFor,omitempty" maxLength:"50" doc:"how long an item may be due without a known reason; 10m if missing"`
		Timeout workqueue.Duration `json:"timeout,omitempty" maxLength:"50" doc:"how long the check may take: at most 10m; 1m if missing"`
	}
}

type checkBody struct{ Body workqueue.CheckReport }

// alone runs a check unless another one runs.
func (a *API) alone(ctx context.Context, timeout time.Duration, do func(ctx context.Context) error) error {
	if !a.checking.TryLock() {
		return problem(http.StatusConflict, "check-running", "another check is running").withHint("wait until it has ended").withHeader("Retry-After", "10")
	}
	defer a.checking.Unlock()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := do(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return problem(http.StatusServiceUnavailable, "check-too-long", "the check has not ended within %v", timeout).withHint("run it on the machine with botwork check, or with a longer timeout")
	}
	return err
}

func (a *API) checkDatabase(ctx context.Context, in *checkRequest) (*checkBody, error) {
	p, timeout := workqueue.CheckParams{DueFor: 10 * time.Minute}, time.Minute
	if b := in.Body; b != nil {
		var err error
		if p.DueFor, err = within("body.dueFor", b.DueFor, p.DueFor, 10*365*24*time.Hour); err != nil {
			return nil, err
		}
		if timeout, err = within("body.timeout", b.Timeout, timeout, 10*time.Minute); err != nil {
			return nil, err
		}
	}
	if a.project != nil {
		if project, err := a.project.Load(); err == nil {
			p.PipelinePolicy, p.BrokenPipelines = operations.PipelinePolicies(project.Catalogue)
		}
	}
	out := &checkBody{}
	err := a.alone(ctx, timeout, func(ctx context.Context) (err error) {
		out.Body, err = workqueue.ConfirmedCheck(ctx, a.store, p)
		return err
	})
	return out, err
}

// within returns a duration from a request, or the other if it is missing.
func within(location string, got workqueue.Duration, or, most time.Duration) (time.Duration, error) {
	d := time.Duration(got)
	if d == 0 {
		return or, nil
	}
	if d < 0 || d > most {
		return 0, fault(location, "got %v, want more than 0 and at most %v", d, most)
	}
	return d, nil
}

type doctorRequest struct {
	Body *struct {
		Timeout workqueue.Duration `json:"timeout,omitempty" maxLength:"50" doc:"how long one of the checks may take: at most 1m; 5s if missing"`
	}
}

type doctorBody struct{ Body doctor.Report }

func (a *API) examine(ctx context.Context, in *doctorRequest) (*doctorBody, error) {
	timeout := 5 * time.Second
	if in.Body != nil {
		var err error
		if timeout, err = within("body.timeout", in.Body.Timeout, timeout, time.Minute); err != nil {
			return nil, err
		}
	}
	if a.project == nil {
		_, err := a.load()
		return nil, err
	}
	out := &doctorBody{}
	err := a.alone(ctx, 5*time.Minute, func(ctx context.Context) (err error) {
		out.Body, err = a.project.Doctor(ctx, timeout)
		return err
	})
	return out, err
}
