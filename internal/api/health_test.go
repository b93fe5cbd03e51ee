package api_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"botwork/internal/api/apitest"
	"botwork/workqueue/access"
)

func TestHealth(t *testing.T) {
	s := apitest.Start(t, nil)
	get := func(path string) (int, string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	for _, path := range []string{"/livez", "/readyz"} {
		if status, body := get(path); status != 200 || !strings.Contains(body, `"status":"ok"`) {
			t.Errorf("%s: got %d %s", path, status, body)
		}
	}
	a := s.Do(t, apitest.Request{Method: "GET", Path: "/metrics", Token: s.Token(t, access.Viewer)}).Want(t, 200)
	for _, want := range []string{"botwork_database_up 1", `botwork_queue_items{lifecycle="pending",queue="default"} 0`} {
		if !strings.Contains(string(a.Body), want) {
			t.Errorf("/metrics has no %s", want)
		}
	}
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if status, body := get("/readyz"); status != 503 || !strings.Contains(body, "the database does not answer") {
		t.Errorf("without the database: got %d %s", status, body)
	}
	if status, _ := get("/livez"); status != 200 {
		t.Errorf("without the database, /livez: got %d", status)
	}
}
