package api_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// onceRequest is a request to an operation that takes an Idempotency-Key.
type onceRequest struct {
	path, body, other string // other is another body; "": the request has none
	role              access.Role
	created           func(t *testing.T, s *apitest.Server) int // how many there are of what it creates
}

// count returns a function because a call may pass the two results of another one only alone.
func count[T any](list []T, err error) func(t *testing.T) int {
	return func(t *testing.T) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
}

func onceRequests() map[string]onceRequest {
	items := func(t *testing.T, s *apitest.Server) int {
		n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{})
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	audited := func(action string) func(t *testing.T, s *apitest.Server) int {
		return func(t *testing.T, s *apitest.Server) int {
			return count(s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: action, Limit: 500}))(t)
		}
	}
	requests := func(t *testing.T, s *apitest.Server) int {
		return count(s.Store.RunRequests(t.Context(), workqueue.RequestFilter{Limit: 500}))(t)
	}
	return map[string]onceRequest{
		"items-create":        {"/items", `{"pipeline": "p"}`, `{"pipeline": "q"}`, access.Operator, items},
		"items-clone":         {"/items/1/clone", `{"reason": "a"}`, `{"reason": "b"}`, access.Operator, items},
		"robot-items-enqueue": {"/queues/forms/items", `{"items": [{}]}`, `{"items": [{}, {}]}`, access.Robot, items},
		"tasks-run":           {"/tasks/books/run", `{"reason": "a"}`, `{"reason": "b"}`, access.Operator, items},
		"queues-create":       {"/queues", `{"name": "mail"}`, `{"name": "post"}`, access.Editor, audited("queues.create")},
		"tokens-create":       {"/tokens", `{"name": "ci", "role": "viewer"}`, `{"name": "cd", "role": "viewer"}`, access.Admin, audited("tokens.create")},
		"users-create":        {"/users", `{"name": "bob", "role": "viewer", "password": "correct horse battery"}`, `{"name": "bob", "role": "viewer", "password": "battery horse correct"}`, access.Admin, audited("users.create")},
		"users-link":          {"/users/ada/link", `{"reason": "a"}`, `{"reason": "b"}`, access.Admin, audited("users.link")},
		"pipelines-run":       {"/pipelines/nightly/run", `{"reason": "a"}`, `{"reason": "b"}`, access.Operator, requests},
		"pipelines-backfill":  {"/pipelines/nightly/backfill", `{"from": "2026-01-01", "to": "2026-01-03", "confirm": true}`, `{"from": "2026-01-01", "to": "2026-01-04", "confirm": true}`, access.Operator, requests},
	}
}

// onceChanges are the operations that create nothing and take a key anyway: a client that repeats a
// request whose answer was lost learns what the first one did, where a second one would be refused.
var onceChanges = []string{
	"items-update", "items-delete", "items-run", "items-cancel", "items-archive", "items-repeat", "items-release", "items-run-many",
	"items-cancel-many", "items-archive-many", "items-repeat-many", "items-clone-many", "items-delete-many", "items-update-many",
	"queues-pause", "queues-resume", "queues-purge", "workers-drain", "workers-resume", "durations-forget", "pipelines-pause", "pipelines-resume",
}

// notOnce lists the other POST operations, and why they need no Idempotency-Key.
var notOnce = map[string]string{
	"items-import":             "the parameter batch makes it repeatable, also line by line",
	"notifications-test":       "a second message is what a second request asks for",
	"notifications-mute":       "creates nothing",
	"notifications-unmute":     "creates nothing",
	"users-disable":            "creates nothing",
	"users-enable":             "creates nothing",
	"users-signout":            "creates nothing",
	"project-check":            "reads only",
	"forecast-ask":             "reads only",
	"drafts-check":             "reads only",
	"drafts-complete":          "reads only",
	"drafts-diff":              "reads only",
	"drafts-draw":              "reads only",
	"drafts-dryrun":            "reads only",
	"drafts-explain":           "reads only",
	"pipelines-dryrun":         "reads only",
	"database-check":           "reads only",
	"machine-examine":          "reads only",
	"checkouts-take":           "items of a lost answer come back when their lease ends; an answer with payloads and a lock key is not kept",
	"checkouts-heartbeat":      "creates nothing; the fence recognises a repeat",
	"checkouts-progress":       "creates nothing; the fence recognises a repeat",
	"checkouts-succeed":        "the fence recognises a repeat",
	"checkouts-fail":           "the fence recognises a repeat",
	"checkouts-postpone":       "the fence recognises a repeat",
	"checkouts-release":        "the fence recognises a repeat",
	"checkouts-change":         "creates nothing; the fence recognises a repeat",
	"checkouts-delete":         "the fence recognises a repeat",
	"checkouts-heartbeat-many": "creates nothing; the fence recognises a repeat",
	"checkouts-end-many":       "the fence recognises a repeat",
	"sessions-start":           "has no caller whose keys could be told apart; a session of a lost answer ends by itself",
	"sessions-end":             "creates nothing",
	"sessions-endall":          "creates nothing",
	"sessions-password":        "has no caller whose keys could be told apart; a repeat has a wrong present password",
}

// Every operation that creates something takes an Idempotency-Key.
func TestOnceIsComplete(t *testing.T) {
	s := apitest.Start(t, nil)
	tried := onceRequests()
	for _, op := range s.API.Operations() {
		_, reason := notOnce[op.ID]
		_, covered := tried[op.ID]
		if op.Once != (covered || slices.Contains(onceChanges, op.ID)) {
			t.Errorf("%s: takes an Idempotency-Key: %v, is tried by TestOnce: %v", op.ID, op.Once, covered)
		}
		if op.Method == http.MethodPost && op.Once == reason {
			t.Errorf("%s: takes an Idempotency-Key: %v, has a reason why not: %v", op.ID, op.Once, reason)
		}
	}
}

// onceServer has what the requests of TestOnce need.
func onceServer(t *testing.T, change func(*api.Options)) *apitest.Server {
	t.Helper()
	k := pipelines.NewCatalogue(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}))
	if findings := k.Add("nightly.yaml", []byte("name: nightly\ntrigger: {cron: \"0 6 * * *\"}\nsteps:\n  - handler: Log\n    with: {message: x}\n")); len(findings) > 0 {
		t.Fatal(findings)
	}
	for _, name := range []string{"p", "q"} {
		if findings := k.Add(name+".yaml", []byte("name: "+name+"\nsteps:\n  - handler: Log\n    with: {message: x}\n")); len(findings) > 0 {
			t.Fatal(findings)
		}
	}
	s := apitest.Start(t, func(o *api.Options) {
		o.Project = project{catalogue: k}
		if change != nil {
			change(o)
		}
	})
	registerWorker(t, s, "ann")
	enqueue(t, s, "default", 1)
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "forms", Consumer: workqueue.ConsumerRobots}, "test"); err != nil {
		t.Fatal(err)
	}
	rows := []workqueue.TaskRow{{Name: "books", Pipeline: "p", Definition: "1"}}
	if _, err := s.Store.DefineTasks(t.Context(), rows, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.CreateUser(t.Context(), access.UserParams{Name: "ada", Role: access.Viewer, By: "test"}); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOnce(t *testing.T) {
	s := onceServer(t, nil)
	for _, id := range slices.Sorted(maps.Keys(onceRequests())) {
		r := onceRequests()[id]
		t.Run(id, func(t *testing.T) {
			var queues []string
			if r.role == access.Robot {
				queues = []string{"forms"}
			}
			token := s.Token(t, r.role, queues...)
			send := func(key, body string) apitest.Answer {
				return s.Do(t, apitest.Request{Method: "POST", Path: r.path, Token: token, Body: body, Header: map[string]string{"Idempotency-Key": key}})
			}
			before := r.created(t, s)
			first := send(id, r.body)
			if first.Status < 200 || first.Status > 299 {
				t.Fatalf("got %d: %s", first.Status, first.Body)
			}
			made := r.created(t, s) - before
			if made == 0 {
				t.Fatal("the request created nothing")
			}
			second := send(id, r.body).Want(t, first.Status)
			if !bytes.Equal(bytes.TrimSpace(first.Body), bytes.TrimSpace(second.Body)) || second.Header.Get("Idempotency-Replayed") != "true" || first.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("got %s and %s with %v", first.Body, second.Body, second.Header)
			}
			send(id, r.other).WantProblem(t, 422, "idempotency-key-reused")
			if got := r.created(t, s) - before; got != made {
				t.Errorf("the repeats created %d more", got-made)
			}
		})
	}
}

// A client cancels an item and loses the answer: repeating the request with its key is answered as
// the first time, without it the state refuses it.
func TestOnceOfAChange(t *testing.T) {
	s := onceServer(t, nil)
	token := s.Token(t, access.Operator)
	cancel := func(key string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "POST", Path: "/items/1/cancel", Token: token, Body: "{}", Header: map[string]string{"Idempotency-Key": key}})
	}
	first := cancel("a").Want(t, 200)
	if again := cancel("a").Want(t, 200); !bytes.Equal(bytes.TrimSpace(first.Body), bytes.TrimSpace(again.Body)) {
		t.Errorf("got %s, then %s", first.Body, again.Body)
	}
	cancel("b").WantProblem(t, 409, "wrong-state")
}

// The database gets neither the secrets of the answers and requests that it keeps, nor a hash from
// which a password could be guessed.
func TestOnceKeepsNoSecret(t *testing.T) {
	recorder := &answerRecorder{}
	s := onceServer(t, func(o *api.Options) { recorder.Store, o.Store = o.Store, recorder })
	admin := s.Token(t, access.Admin)
	send := func(token, path, body string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "POST", Path: path, Token: token, Body: body, Header: map[string]string{"Idempotency-Key": path}})
	}
	const token, user = `{"name": "ci", "role": "admin"}`, `{"name":"bob","role":"viewer","password":"correct horse battery"}`
	made := apitest.Decode[struct{ Token string }](t, send(admin, "/tokens", token).Want(t, 201))
	link := apitest.Decode[struct{ URL string }](t, send(admin, "/users/ada/link", "{}").Want(t, 201))
	send(admin, "/users", user).Want(t, 201)
	_, linkText, _ := strings.Cut(link.URL, "token=")
	for what, secret := range map[string]string{
		"token": made.Token, "link": linkText, "password": "battery", "hash of a password": access.Hash("POST\x00/api/v1/users?\x00" + user),
	} {
		if len(secret) < 7 || strings.Contains(recorder.text(), secret) {
			t.Errorf("the %s %q is stored: %s", what, secret, recorder.text())
		}
	}
	if n := strings.Count(recorder.text(), "Status:201"); n != 3 {
		t.Errorf("got %d answers, want 3: %s", n, recorder.text())
	}
	if a := s.Do(t, apitest.Request{Method: "GET", Path: "/version", Token: made.Token}); a.Status != 200 {
		t.Errorf("the token of the answer does not work: %d", a.Status)
	}
	// Another caller with the same key sends another request.
	send(made.Token, "/tokens", token).WantProblem(t, 409, "name-in-use")
}

// A session that repeats the request of another session of its user does not get its secrets.
func TestOnceOfAnotherSession(t *testing.T) {
	s := onceServer(t, nil)
	signIn := func() map[string]string {
		a := s.Do(t, apitest.Request{Method: "POST", Path: "/auth/sign-in", Body: `{"name": "eve", "password": "correct horse battery"}`}).Want(t, 200)
		cookie, _, _ := strings.Cut(a.Header.Get("Set-Cookie"), ";")
		return map[string]string{"Cookie": cookie, "Idempotency-Key": "k"}
	}
	do := func(header map[string]string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "POST", Path: "/tokens", Body: `{"name": "ci", "role": "viewer"}`, Header: header})
	}
	s.Do(t, apitest.Request{Method: "POST", Path: "/users", Token: s.Token(t, access.Admin), Body: `{"name": "eve", "role": "admin", "password": "correct horse battery"}`}).Want(t, 201)
	one, two := signIn(), signIn()
	first := do(one).Want(t, 201)
	if again := do(one).Want(t, 201); !bytes.Equal(bytes.TrimSpace(first.Body), bytes.TrimSpace(again.Body)) {
		t.Errorf("got %s, then %s", first.Body, again.Body)
	}
	do(two).WantProblem(t, 409, "name-in-use")
}

// answerRecorder records what is stored for Idempotency-Keys.
type answerRecorder struct {
	api.Store
	mu     sync.Mutex
	stored strings.Builder
}

func (r *answerRecorder) BeginAnswer(ctx context.Context, a access.Answer, patience time.Duration) (access.Answer, bool, error) {
	r.record(a)
	return r.Store.BeginAnswer(ctx, a, patience)
}

func (r *answerRecorder) KeepAnswer(ctx context.Context, a access.Answer) error {
	r.record(a)
	return r.Store.KeepAnswer(ctx, a)
}

func (r *answerRecorder) record(a access.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.stored, "%+v\n", a)
}

func (r *answerRecorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stored.String()
}
