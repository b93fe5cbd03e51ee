package api_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/keyring"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
	"botwork/workqueue/sqlstore"
)

// A caller that is bound to queues sees and changes nothing of others.
func TestBoundCallersAndItems(t *testing.T) {
	s := apitest.Start(t, nil)
	for _, name := range []string{"a", "b", "c"} {
		defineQueue(t, s, workqueue.Queue{Name: name})
		create(t, s, `{"pipeline": "p", "queue": "`+name+`"}`)
	}
	one, two := s.Token(t, access.Admin, "a"), s.Token(t, access.Admin, "a", "b")
	as := func(token, method, path string, body any) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Request{Method: method, Path: path, Token: token, Body: body})
	}
	if ids, _ := list(t, s, one, ""); !slices.Equal(ids, []int64{1}) {
		t.Errorf("bound to a: got %d", ids)
	}
	if ids, _ := list(t, s, two, "?queue=b"); !slices.Equal(ids, []int64{2}) {
		t.Errorf("bound to a and b: got %d", ids)
	}
	for _, path := range []string{"/items", "/items/count", "/items.ndjson"} {
		as(two, "GET", path, nil).WantProblem(t, 422, "queue-needed")
		as(two, "GET", path+"?queue=c", nil).WantProblem(t, 403, "queue-not-allowed")
		as(one, "GET", path+"?queue=b", nil).WantProblem(t, 403, "queue-not-allowed")
	}
	for _, r := range [][2]string{
		{"GET", "/items/3"}, {"GET", "/items/3/attempts"}, {"GET", "/items/3/history"}, {"GET", "/items/3/why"}, {"DELETE", "/items/3"},
		{"POST", "/items/3/run"}, {"POST", "/items/3/cancel"}, {"POST", "/items/3/archive"}, {"POST", "/items/3/repeat"}, {"POST", "/items/3/clone"}, {"POST", "/items/3/release"},
	} {
		as(two, r[0], r[1], nil).WantProblem(t, 404, "not-found")
	}
	as(two, "PATCH", "/items/3", `{"priority": 1}`).WantProblem(t, 404, "not-found")
	as(two, "PATCH", "/items/1", `{"queue": "c"}`).WantProblem(t, 403, "queue-not-allowed")
	as(two, "PATCH", "/items/1", `{"queue": "b"}`).Want(t, 200)
	as(two, "POST", "/items/actions/cancel", `{"all": true, "yes": true}`).WantProblem(t, 422, "queue-needed")
	as(two, "POST", "/items/actions/cancel", `{"filter": {"queue": "c"}}`).WantProblem(t, 403, "queue-not-allowed")
	if got := apitest.Decode[many](t, as(two, "POST", "/items/actions/cancel", `{"filter": {"queue": "b"}}`).Want(t, 200)); got.Changed != 2 {
		t.Errorf("got %+v", got)
	}
	as(one, "POST", "/items/actions/cancel", `{}`).WantProblem(t, 422, "invalid-filter") // being bound is no filter
	if got := apitest.Decode[many](t, as(one, "POST", "/items/actions/cancel", `{"all": true, "yes": true}`).Want(t, 200)); got.Changed != 0 {
		t.Errorf("got %+v, want none: a is empty", got)
	}
	as(one, "POST", "/items", `{"pipeline": "p"}`).Want(t, 201)
	if ids, _ := list(t, s, one, ""); !slices.Equal(ids, []int64{4}) {
		t.Errorf("the item of a bound caller is not in its queue: %d", ids)
	}
	as(two, "POST", "/items", `{"pipeline": "p"}`).WantProblem(t, 422, "queue-needed")
	as(two, "POST", "/items", `{"pipeline": "p", "queue": "c"}`).WantProblem(t, 403, "queue-not-allowed")
	got := as(two, "POST", "/items", `{"pipeline": "p", "queue": "b", "tags": "x"}`).Want(t, 422)
	if strings.Contains(string(got.Body), `"c"`) {
		t.Errorf("the problem names a queue of others: %s", got.Body)
	}
	as(two, "GET", "/batches/abcdefgh", nil).WantProblem(t, 403, "bound-to-queues")
	if item, err := s.Store.Item(t.Context(), 3); err != nil || item.Version != 1 {
		t.Errorf("the item of another queue was changed: %+v, %v", item, err)
	}
}

// project is a project with one pipeline.
type project struct {
	api.Project
	catalogue *pipelines.Catalogue
}

func (p project) Load() (*operations.Project, error) {
	return &operations.Project{Folder: true, Catalogue: p.catalogue}, nil
}

func (p project) WhyParams() (assign.WhyParams, error) { return assign.WhyParams{}, nil }

// New items and new payloads are compared with the pipelines of the project, as botwork enqueue does.
func TestItemsOfAProject(t *testing.T) {
	k := pipelines.NewCatalogue(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}))
	if findings := k.Add("ship.yaml", []byte("name: ship\ninput:\n  type: object\n  required: [order]\nsteps:\n  - handler: Log\n    with: {message: x}\n")); len(findings) > 0 {
		t.Fatal(findings)
	}
	s := apitest.Start(t, func(o *api.Options) {
		o.Project = project{catalogue: k}
		o.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	})
	p := do(t, s, "POST", "/items", `{"pipeline": "shpi"}`).WantProblem(t, 422, "invalid-item")
	if len(p.Errors) != 1 || p.Errors[0].Location != "body.pipeline" || p.Errors[0].Code != pipelines.CodeUnknownPipeline || !strings.Contains(p.Errors[0].Hint, "ship") {
		t.Errorf("got %+v", p)
	}
	p = do(t, s, "POST", "/items", `{"pipeline": "ship", "payload": {"name": "Ada"}}`).WantProblem(t, 422, "invalid-item")
	if got := locations(p); !slices.Equal(got, []string{"body.payload"}) {
		t.Errorf("got %+v", p)
	}
	do(t, s, "POST", "/items?noCheck=true", `{"pipeline": "shpi"}`).Want(t, 201)
	id := create(t, s, `{"pipeline": "ship", "payload": {"order": 1}}`)
	p = do(t, s, "PATCH", "/items/"+itoa(id), `{"payload": {"name": "Ada"}}`).WantProblem(t, 422, "invalid-update")
	if got := locations(p); !slices.Equal(got, []string{"body.payload"}) {
		t.Errorf("got %+v", p)
	}
	do(t, s, "PATCH", "/items/"+itoa(id)+"?noCheck=true", `{"payload": {"name": "Ada"}}`).Want(t, 200)
	if got := apitest.Decode[many](t, do(t, s, "POST", "/items/update", `{"filter": {"pipeline": "ship"}, "update": {"payload": {"x": 1}}}`).Want(t, 200)); got.Refused != 1 || got.Skipped[0].ItemID != id {
		t.Errorf("got %+v", got)
	}
	lines := importLines(t, s, s.Token(t, access.Operator), "", `{"pipeline": "ship"}`+"\n"+`{"pipeline": "ship", "payload": {"order": 2}}`)
	if lines[0].Problem == nil || lines[1].ID == nil {
		t.Errorf("got %+v", lines)
	}
	do(t, s, "POST", "/items/"+itoa(id)+"/cancel", `{"reason": "the password is hunter2"}`).Want(t, 200)
	for _, path := range []string{"/items/" + itoa(id), "/items", "/items.ndjson", "/items/" + itoa(id) + "/history"} {
		if a := do(t, s, "GET", path, nil).Want(t, 200); bytes.Contains(a.Body, []byte("hunter2")) || !bytes.Contains(a.Body, []byte("the password is ***")) {
			t.Errorf("%s: the secret is not hidden: %s", path, a.Body)
		}
	}
}

// Encrypted payloads are only for those who may change pipelines, in whatever way they are asked for.
func TestEncryptedItems(t *testing.T) {
	keys, err := keyring.New()
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: "sqlite", DSN: filepath.Join(t.TempDir(), "botwork.db"), Cipher: keys})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := apitest.StartOver(t, store, nil)
	defineQueue(t, s, workqueue.Queue{Name: "secret", Encrypted: true})
	create(t, s, `{"pipeline": "p", "queue": "secret", "payload": {"pin": 4711}, "metadata": {"customer": "Ada"}}`)
	create(t, s, `{"pipeline": "p", "payload": {"pin": 4711}}`)
	for _, path := range []string{"/items/1", "/items?queue=secret", "/items.ndjson?queue=secret", "/items?queue=secret&fields=payload,metadata,encrypted"} {
		for _, role := range []access.Role{access.Viewer, access.Operator, access.Editor, access.Admin} {
			a := s.Do(t, apitest.Request{Method: "GET", Path: path, Token: s.Token(t, role)}).Want(t, 200)
			sees := bytes.Contains(a.Body, []byte("4711")) && bytes.Contains(a.Body, []byte("Ada"))
			hidden := bytes.Contains(a.Body, []byte(`"payload":null`)) && bytes.Contains(a.Body, []byte(`"metadata":null`)) && !bytes.Contains(a.Body, []byte("4711"))
			if may := role.Includes(access.Editor); sees != may || hidden == may || !bytes.Contains(a.Body, []byte(`"encrypted":true`)) {
				t.Errorf("%s as %s: got %s", path, role, a.Body)
			}
		}
	}
	const search = "?payload=pin%20%3D%3D%204711"
	if ids, found := list(t, s, s.Token(t, access.Viewer), search); !slices.Equal(ids, []int64{2}) || found.Incomplete == nil || found.Incomplete.Unreadable != 1 {
		t.Errorf("a search by a viewer found %d, %+v", ids, found.Incomplete)
	}
	if ids, _ := list(t, s, s.Token(t, access.Editor), search); !slices.Equal(ids, []int64{2, 1}) {
		t.Errorf("a search by an editor found %d", ids)
	}
	if got := apitest.Decode[many](t, do(t, s, "POST", "/items/actions/cancel", `{"filter": {"payload": "pin == 4711"}}`).Want(t, 200)); got.Changed != 1 {
		t.Errorf("a change by an operator changed %d items", got.Changed)
	}
	history := do(t, s, "GET", "/items/1/history", nil)
	if bytes.Contains(history.Body, []byte("4711")) {
		t.Errorf("the history shows the payload: %s", history.Body)
	}
}
