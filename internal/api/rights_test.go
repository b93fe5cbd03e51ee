package api_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/notify"
)

// The queues of TestRights. Everything in the second has a text with "hidden-", so that an answer that
// shows any of it is found.
const (
	mineQueue   = "mine"
	hiddenQueue = "hidden-queue"
)

// right is a line of testdata/rights.txt.
type right struct {
	id, least, bound, path, body string
	robots                       bool
	answer                       int // 0: 2xx
}

func readRights(t *testing.T) (rights []right) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "rights.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "" || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		f := strings.SplitN(lines.Text(), "|", 7)
		if len(f) != 7 {
			t.Fatalf("rights.txt:%d: got %d columns, want 7", n, len(f))
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		r := right{id: f[0], least: f[1], robots: f[2] == "yes", bound: f[3], path: f[5], body: f[6]}
		if f[4] != "" {
			if r.answer, err = strconv.Atoi(f[4]); err != nil {
				t.Fatalf("rights.txt:%d: answer: %v", n, err)
			}
		}
		rights = append(rights, r)
	}
	return rights
}

// may reports whether a role may call the operation.
func (r *right) may(role access.Role) bool {
	switch {
	case role == access.Robot:
		return r.robots
	case r.least == "none":
		return true
	case r.least == "-":
		return false
	}
	return role.Includes(access.Role(r.least))
}

// rightsCaller is who sends a request.
type rightsCaller struct {
	name  string
	token string // "": none
	role  access.Role
	bound bool // to the queue mine
}

// Each operation answers each role as testdata/rights.txt says. It is called without a caller, by each
// role, and by each role that is bound to one queue with an object of another one.
func TestRights(t *testing.T) {
	f := newRightsFixture(t)
	rights := readRights(t)
	operations := map[string]api.Operation{}
	for _, op := range f.API.Operations() {
		operations[op.ID] = op
		if !slices.ContainsFunc(rights, func(r right) bool { return r.id == op.ID }) {
			t.Errorf("%s is not in rights.txt: decide who may call it, and what a caller that is bound to other queues gets", op.ID)
		}
	}
	callers := []rightsCaller{{name: "no caller"}}
	for _, role := range []access.Role{access.Viewer, access.Operator, access.Editor, access.Admin} {
		callers = append(callers,
			rightsCaller{string(role), f.Token(t, role), role, false}, rightsCaller{string(role) + " of mine", f.Token(t, role, mineQueue), role, true})
	}
	callers = append(callers,
		rightsCaller{"robot", f.Token(t, access.Robot, hiddenQueue), access.Robot, false}, rightsCaller{"robot of mine", f.Token(t, access.Robot, mineQueue), access.Robot, true})
	for _, r := range rights {
		op, ok := operations[r.id]
		if !ok {
			t.Errorf("rights.txt has %s, which is no operation", r.id)
			continue
		}
		t.Run(r.id, func(t *testing.T) {
			for _, c := range callers {
				f.try(t, op, &r, c, hiddenQueue)
				if c.bound && r.may(c.role) && r.bound != "refused" {
					own := c
					own.name, own.bound = c.name+", in its queue", false
					f.try(t, op, &r, own, mineQueue)
				}
			}
		})
	}
}

// rightsFixture is a server with an object of each kind.
type rightsFixture struct {
	*apitest.Server
	run, request int64
	made         int // so far, for unique names
}

func newRightsFixture(t *testing.T) *rightsFixture {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hello.yaml": helloText, "nightly.yaml": "name: nightly\ntrigger: {cron: \"0 6 * * *\"}\nsteps:\n  - handler: Log\n    with: {message: x}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	folder := apitest.NewFolder(dir, "bot-1")
	f := &rightsFixture{Server: apitest.Start(t, func(o *api.Options) {
		o.Project, o.Editor = folder, folder
		o.Notifications = notify.Plan{
			Rules:   []notify.Rule{notify.Rule{Name: "failures", Event: notify.ItemCancelled, Targets: []string{"ops"}}.Complete()},
			Targets: []notify.Target{{Name: "ops", Kind: notify.Slack, URL: "http://127.0.0.1/"}},
		}
		o.SendNotification = func(context.Context, notify.Target, notify.Message) (string, error) { return "ok", nil }
	})}
	for _, name := range []string{mineQueue, hiddenQueue} {
		defineQueue(t, f.Server, workqueue.Queue{Name: name, Consumer: workqueue.ConsumerRobots, QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	}
	w := registerWorker(t, f.Server, "ann")
	var err error
	if f.run, err = f.Store.StartRun(t.Context(), workqueue.PipelineRun{Pipeline: "nightly", Trigger: "cron", WorkerID: &w.ID}); err != nil {
		t.Fatal(err)
	}
	requests, err := f.Store.RequestRuns(t.Context(), workqueue.NewRunRequests{Pipeline: "nightly", By: "test", Within: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	f.request = requests[0]
	if _, err := f.Store.DefineTasks(t.Context(), []workqueue.TaskRow{{Name: "books", Pipeline: "hello", Definition: "1"}}, "ann"); err != nil {
		t.Fatal(err)
	}
	addUser(t, f.Server, "ada", access.Viewer)
	addUser(t, f.Server, "bob", access.Viewer)
	return f
}

// placeholder matches the words in braces of rights.txt. JSON has other braces.
var placeholder = regexp.MustCompile(`\{(queue|key|new|waiting|done|held|fence|lock|run|request|entry|token)\}`)

// fill replaces the words in braces by objects of a queue, which are made for this request.
func (f *rightsFixture) fill(t *testing.T, queue string, texts ...*string) {
	t.Helper()
	f.made++
	values := map[string]string{"queue": queue, "key": queue + "-key", "new": strconv.Itoa(f.made), "run": itoa(f.run), "request": itoa(f.request)}
	for _, text := range texts {
		*text = placeholder.ReplaceAllStringFunc(*text, func(word string) string {
			name := strings.Trim(word, "{}")
			if _, ok := values[name]; !ok {
				f.object(t, queue, name, values)
			}
			return values[name]
		})
	}
}

// object makes an object and adds what requests need of it to the values.
func (f *rightsFixture) object(t *testing.T, queue, name string, values map[string]string) {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	switch name {
	case "waiting", "done", "held":
		pin := strings.TrimSuffix(queue, "-queue") + "-pin"
		made, err := f.Store.Enqueue(ctx, []workqueue.NewItem{{
			QueueName: queue, State: workqueue.Pending, NaturalKey: queue + "-key", Payload: workqueue.JSONText(`{"pin":"` + pin + `"}`), CreatedBy: queue + "-author",
		}})
		check(err)
		id := made[0].ID
		values[name] = itoa(id)
		switch name {
		case "done":
			_, err = f.Store.ChangeItem(ctx, id, workqueue.Change{Action: workqueue.Cancel, Reason: queue + "-reason"})
			check(err)
		case "held":
			p := workqueue.CheckoutParams{Robot: "robot-" + queue, Queue: queue, Filter: workqueue.CheckoutFilter{IDs: []int64{id}}}
			p, err = p.Normal()
			check(err)
			held, err := f.Store.Checkout(ctx, p)
			check(err)
			values["fence"], values["lock"] = itoa(held.Items[0].Fence), held.LockKey
		}
	case "entry":
		entries, err := f.Store.AuditEntries(ctx, workqueue.AuditFilter{Limit: 1})
		check(err)
		values[name] = itoa(entries[0].ID)
	case "token":
		token, err := f.Store.CreateToken(ctx, access.NewTokenParams{Name: "revoke-" + values["new"], Start: "bw_", Hash: access.Hash(values["new"]), Role: access.Viewer})
		check(err)
		values[name] = itoa(token.ID)
	default:
		t.Fatalf("rights.txt: {%s} must come after {held}", name)
	}
}

// try sends the request of a caller about an object of a queue, and checks the class of the answer.
func (f *rightsFixture) try(t *testing.T, op api.Operation, r *right, c rightsCaller, queue string) {
	t.Helper()
	path, body := r.path, r.body
	f.fill(t, queue, &path, &body)
	req := apitest.Request{Method: op.Method, Path: path, Token: c.token, Header: map[string]string{}}
	if body != "" {
		req.Body = body
	}
	switch r.id {
	case "items-import":
		req.Header["Content-Type"] = "application/x-ndjson"
	case "pipelines-save":
		req.Header["If-None-Match"] = "*"
	}
	if !matchesPath(op, path) {
		t.Fatalf("rights.txt: %s is not a path of %s %s", path, op.Method, op.Path)
	}
	a := f.Do(t, req)
	status, code := r.answer, ""
	switch {
	case c.token == "" && r.least != "none":
		status, code = http.StatusUnauthorized, "no-credentials"
	case c.token != "" && !r.may(c.role):
		status, code = http.StatusForbidden, "role-not-allowed"
	case c.bound:
		switch r.bound {
		case "refused":
			status, code = http.StatusForbidden, "bound-to-queues"
		case "forbidden":
			status, code = http.StatusForbidden, "queue-not-allowed"
		case "missing":
			status, code = http.StatusNotFound, "not-found"
		case "lost":
			status, code = http.StatusConflict, "lease-lost"
		}
	}
	wrong := a.Status != status
	if status == 0 {
		wrong = a.Status < 200 || a.Status > 299
	}
	if got := codeOf(a); wrong || code != "" && got != code {
		t.Errorf("%s: %s %s: got %d %s, want %s: %.500s", c.name, op.Method, path, a.Status, got, wanted(status, code), a.Body)
	}
	named := strings.Contains(path+body, "hidden-")
	if c.bound && strings.Contains(string(a.Body), "hidden-") && (!named || a.Status < 300 && r.id != "items-import") {
		t.Errorf("%s: %s %s: the answer shows the other queue: %.500s", c.name, op.Method, path, a.Body)
	}
}

func wanted(status int, code string) string {
	if status == 0 {
		return "a success"
	}
	return fmt.Sprint(status, " ", code)
}

// matchesPath reports whether a request goes to an operation.
func matchesPath(op api.Operation, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	pattern := pathParameters.ReplaceAllString(strings.ReplaceAll(strings.TrimPrefix(op.Path, api.Prefix), ".", `\.`), `[^/]+`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(path)
}

// What a bound caller reads of its own items shows nothing of other queues, also when an item came from
// one.
func TestBoundCallersAndMovedItems(t *testing.T) {
	s := apitest.Start(t, nil)
	global := workqueue.QueueKeys{KeyScope: workqueue.KeyScopeGlobal}
	for _, name := range []string{mineQueue, hiddenQueue} {
		defineQueue(t, s, workqueue.Queue{Name: name, QueueKeys: global})
	}
	operator, bound := as(t, s, access.Operator), as(t, s, access.Editor, mineQueue)
	moved := create(t, s, `{"pipeline": "p", "queue": "hidden-queue", "key": "k", "payload": {"pin": "hidden-pin"}}`)
	operator.do("PATCH", "/items/"+itoa(moved), object{"payload": 1, "reason": "hidden-reason"}).Want(t, 200)
	operator.do("PATCH", "/items/"+itoa(moved), object{"queue": "mine"}).Want(t, 200)
	other := create(t, s, `{"pipeline": "p", "queue": "hidden-queue", "key": "hidden-key"}`)
	for _, path := range []string{"", "/history", "/attempts", "/why"} {
		if a := bound.get("/items/"+itoa(moved)+path).Want(t, 200); strings.Contains(string(a.Body), "hidden-") {
			t.Errorf("%s shows the other queue: %s", path, a.Body)
		}
	}
	// An item that has the global key in another queue is not shown, and not changed.
	a := bound.do("POST", "/items", object{"pipeline": "p", "key": "hidden-key", "payload": 2}).Want(t, 200)
	if it, err := s.Store.Item(t.Context(), other); err != nil || it.Version != 1 {
		t.Errorf("the other item: %+v, %v; the answer: %s", it, err, a.Body)
	}
}

// A bound caller who sends the batch key of another caller gets nothing of that batch, and does not
// keep the other caller from using it.
func TestBatchesOfBoundCallers(t *testing.T) {
	s := apitest.Start(t, nil)
	for _, name := range []string{mineQueue, hiddenQueue} {
		defineQueue(t, s, workqueue.Queue{Name: name})
	}
	all, bound := as(t, s, access.Operator), as(t, s, access.Operator, mineQueue)
	imported := func(c caller) int64 {
		t.Helper()
		lines := importLines(t, s, c.token, "?batch=known-key-1", `{"pipeline": "p", "queue": "mine"}`)
		if lines[0].ID == nil {
			t.Fatalf("got %+v", lines)
		}
		return *lines[0].ID
	}
	first, other, again := imported(bound), imported(all), imported(bound)
	if first == other || again != first {
		t.Errorf("got the items %d, %d and, as a repeat of the first, %d", first, other, again)
	}
	cancelled := func(c caller, queue, key string) {
		t.Helper()
		create(t, s, `{"pipeline": "p", "queue": "`+queue+`"}`)
		got := apitest.Decode[many](t, c.do("POST", "/items/actions/cancel", object{"filter": object{"queue": queue, "status": []string{"pending"}}, "batch": key}).Want(t, 200))
		if n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{QueueName: queue, Lifecycles: []workqueue.Lifecycle{workqueue.LifePending}}); err != nil || n != 0 || got.Changed == 0 || got.Batch != key {
			t.Errorf("%s: %d items still wait, %v; got %+v", queue, n, err, got)
		}
	}
	cancelled(bound, mineQueue, "known-key-2")
	cancelled(all, hiddenQueue, "known-key-2")
	cancelled(all, hiddenQueue, "known-key-3")
	cancelled(bound, mineQueue, "known-key-3")
}
