package api_test

import (
	"encoding/json"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// do sends a request as an operator.
func do(t *testing.T, s *apitest.Server, method, path string, body any) apitest.Answer {
	t.Helper()
	return s.Do(t, apitest.Request{Method: method, Path: path, Token: s.Token(t, access.Operator), Body: body})
}

// create enqueues an item and returns its id.
func create(t *testing.T, s *apitest.Server, body string) int64 {
	t.Helper()
	return apitest.Decode[struct{ ID int64 }](t, do(t, s, "POST", "/items", body).Want(t, 201)).ID
}

type listed struct {
	Items []struct {
		ID                int64
		Status, QueueName string
		Version           int64
		Payload           json.RawMessage
		Encrypted         bool
	}
	Next       *string
	Incomplete *struct{ Looked, Unreadable int }
}

func list(t *testing.T, s *apitest.Server, token, query string) (ids []int64, all listed) {
	t.Helper()
	all = apitest.Decode[listed](t, s.Do(t, apitest.Request{Method: "GET", Path: "/items" + query, Token: token}).Want(t, 200))
	for _, it := range all.Items {
		ids = append(ids, it.ID)
	}
	return ids, all
}

func locations(p api.Problem) (all []string) {
	for _, f := range p.Errors {
		all = append(all, f.Location)
	}
	return all
}

func defineQueue(t *testing.T, s *apitest.Server, q workqueue.Queue) {
	t.Helper()
	if err := s.Store.CreateQueue(t.Context(), q, "test"); err != nil {
		t.Fatal(err)
	}
}
