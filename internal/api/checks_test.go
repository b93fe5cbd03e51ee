package api_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/doctor"
	"botwork/internal/operations"
	"botwork/workqueue/access"
)

// slowProject cannot be read, and its examination takes until it is released.
type slowProject struct {
	api.Project // the other methods are not called

	began, release chan struct{}
}

func (p *slowProject) Load() (*operations.Project, error) { return nil, errors.New("no such folder") }

func (p *slowProject) Doctor(ctx context.Context, _ time.Duration) (doctor.Report, error) {
	close(p.began)
	select {
	case <-p.release:
	case <-ctx.Done():
	}
	return doctor.Report{Results: []doctor.Result{}}, nil
}

func TestOneCheckAtATime(t *testing.T) {
	project := &slowProject{began: make(chan struct{}), release: make(chan struct{})}
	s := apitest.Start(t, func(o *api.Options) { o.Project = project })
	admin := as(t, s, access.Admin)
	req, err := s.NewRequest(t.Context(), apitest.Request{Method: "POST", Path: "/doctor", Token: admin.token})
	if err != nil {
		t.Fatal(err)
	}
	status := make(chan int, 1)
	go func() {
		res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			status <- 0
			return
		}
		res.Body.Close()
		status <- res.StatusCode
	}()
	<-project.began
	for _, path := range []string{"/check", "/doctor"} {
		if a := admin.do("POST", path, nil); a.WantProblem(t, 409, "check-running").Hint == "" || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got %s", path, a.Body)
		}
	}
	close(project.release)
	if got := <-status; got != 200 {
		t.Errorf("the examination got %d", got)
	}
	admin.do("POST", "/check", nil).Want(t, 200)
	admin.get("/pipelines").WantProblem(t, 503, "project-unreadable")
}

func TestNoProject(t *testing.T) {
	s := apitest.Start(t, nil)
	admin := as(t, s, access.Admin)
	for _, path := range []string{"/pipelines", "/pipelines/hello", "/pipelines/hello/text", "/pipelines/hello/graph", "/project/graph", "/schedules/next", "/assignments/preview"} {
		if p := admin.get(path).WantProblem(t, 404, "no-project"); p.Hint == "" {
			t.Errorf("%s: no hint", path)
		}
	}
	admin.do("POST", "/doctor", nil).WantProblem(t, 404, "no-project")
	admin.do("POST", "/check", nil).Want(t, 200)
	admin.do("POST", "/pipelines/nightly/pause", nil).WantProblem(t, 404, "not-found")
}
