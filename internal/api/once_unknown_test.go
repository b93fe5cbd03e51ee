package api_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue/access"
)

// forgetful is a store of a server that loses track of each request: it cannot keep the answer, and
// frees the key.
type forgetful struct{ api.Store }

func (s forgetful) KeepAnswer(ctx context.Context, a access.Answer) error {
	return errors.Join(errors.New("the answer is lost"), s.DropAnswer(ctx, a.Caller, a.Key))
}

// A request whose outcome the server does not know is processed again when it is repeated. It creates
// nothing twice.
func TestOnceWithUnknownOutcome(t *testing.T) {
	s := onceServer(t, func(o *api.Options) { o.Store = forgetful{o.Store} })
	for _, id := range []string{"items-create", "items-clone", "robot-items-enqueue", "tasks-run", "pipelines-run", "pipelines-backfill"} {
		r := onceRequests()[id]
		t.Run(id, func(t *testing.T) {
			var queues []string
			if r.role == access.Robot {
				queues = []string{"forms"}
			}
			token := s.Token(t, r.role, queues...)
			send := func() apitest.Answer {
				return s.Do(t, apitest.Request{Method: "POST", Path: r.path, Token: token, Body: r.body, Header: map[string]string{"Idempotency-Key": id}})
			}
			before := r.created(t, s)
			first := send()
			made := r.created(t, s) - before
			if first.Status < 200 || first.Status > 299 || made == 0 {
				t.Fatalf("got %d: %s; created %d", first.Status, first.Body, made)
			}
			second := send().Want(t, first.Status)
			if second.Header.Get("Idempotency-Replayed") != "" {
				t.Fatal("the answer was kept, so the test shows nothing")
			}
			if id != "pipelines-backfill" && !bytes.Equal(bytes.TrimSpace(first.Body), bytes.TrimSpace(second.Body)) {
				t.Errorf("got %s and %s", first.Body, second.Body)
			}
			if got := r.created(t, s) - before; got != made {
				t.Errorf("the repeat created %d more", got-made)
			}
		})
	}
}
