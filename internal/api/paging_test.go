package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// pagedLists are the lists with pages, and boundedLists the others, with the reason why each is short.
var (
	pagedLists = []string{
		"items-list", "items-attempts", "items-history", "queues-list", "queues-deleted", "robot-items-list", "workers-list", "runs-list", "tasks-list",
		"audit-list", "audit-get", "users-list", "users-sessions", "tokens-list",
	}
	boundedLists = map[string]string{
		"forecast-accuracy":   "one entry for each queue and each pipeline",
		"pipelines-list":      "the files of one folder",
		"pipelines-versions":  "limit is at most 500, and the clean-up removes old versions",
		"durations-list":      "limit is at most 5,000 of at most 100,000 that the clean-up keeps; the parameters select",
		"schedules-next":      "count, and at most 5,000",
		"schedules-calendar":  "days is at most 62",
		"notifications-list":  "one entry for each rule of the settings, with its alerts",
		"escalations-list":    "one entry for each rule of the settings and the pipelines",
		"settings-get":        "the settings of one server",
		"assignments-preview": "one entry for each step AssignTasksToWorker",
		"workers-loads":       "one row of figures for each worker that may get items",
		"stats-queues":        "one row of figures for each queue, and their sum",
		"stats-get":           "the buckets of a stretch are limited",
		"report-get":          "groups, of which the parameters limit the number",
		"tasks-get":           "count",
		"items-why":           "the workers of one queue, and what each lacks",
		"queues-get":          "the settings of one queue",
		"queues-stats":        "the figures of one queue",
		"pipelines-get":       "the steps of one file",
	}
)

// Every list that grows with use has pages, with a limit.
func TestListsArePaged(t *testing.T) {
	s := apitest.Start(t, nil)
	doc := document(t, s.API)
	schemas, _ := dig(doc, "components", "schemas").(map[string]any)
	resolve := func(v any) any {
		ref, _ := dig(v, "$ref").(string)
		if ref == "" {
			return v
		}
		return schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
	}
	known := map[string]bool{}
	for _, op := range s.API.Operations() {
		if op.Method != http.MethodGet {
			continue
		}
		described := dig(doc, "paths", op.Path, "get")
		properties, _ := dig(resolve(dig(described, "responses", "200", "content", "application/json", "schema")), "properties").(map[string]any)
		isList := false
		for _, property := range properties {
			kind := dig(property, "type")
			if kinds, several := kind.([]any); several {
				isList = isList || slices.Contains(kinds, any("array"))
			}
			_, objects := dig(property, "items", "$ref").(string)
			isList = isList || kind == "array" && objects
		}
		paged := slices.Contains(pagedLists, op.ID)
		_, bounded := boundedLists[op.ID]
		if known[op.ID] = isList; isList == (paged == bounded) {
			t.Errorf("%s: is a list: %v, is paged: %v, is bounded: %v", op.ID, isList, paged, bounded)
		}
		if !paged {
			continue
		}
		if properties["next"] == nil {
			t.Errorf("%s has no next", op.ID)
		}
		limit := false
		for _, p := range entriesOf(dig(described, "parameters")) {
			limit = limit || dig(p, "name") == "limit" && dig(p, "schema", "maximum") == float64(500) && dig(p, "schema", "minimum") == float64(1)
		}
		if !limit {
			t.Errorf("%s has no parameter limit of 1 to 500", op.ID)
		}
	}
	for _, id := range slices.Concat(pagedLists, slices.Collect(maps.Keys(boundedLists))) {
		if !known[id] {
			t.Errorf("%s is not a list", id)
		}
	}
}

// The pages of a list have each entry once, also if the last entry of a page is removed in between.
func TestPages(t *testing.T) {
	s := apitest.Start(t, nil)
	ctx := t.Context()
	admin := as(t, s, access.Admin)
	for _, name := range []string{"B", "a", "c", "d", "é", "x&y=z/ä"} {
		if _, err := s.Store.CreateUser(ctx, access.UserParams{Name: name, Role: access.Viewer, By: "test"}); err != nil {
			t.Fatal(err)
		}
		s.Token(t, access.Viewer, name)
	}
	u, _, err := s.Store.User(ctx, "x&y=z/ä")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		p := access.NewSessionParams{UserID: u.ID, Hash: access.Hash(fmt.Sprint(i)), Idle: 1e12, Longest: 1e12}
		if _, err := s.Store.CreateSession(ctx, p); err != nil {
			t.Fatal(err)
		}
		registerWorker(t, s, fmt.Sprint("w", i))
	}
	queues := []workqueue.Queue{{Name: "forms", Consumer: workqueue.ConsumerRobots}, {Name: "A"}, {Name: "b"}, {Name: "C"}}
	if _, err := s.Store.DefineQueues(ctx, queues, "test"); err != nil {
		t.Fatal(err)
	}
	f := &forms{s, s.Token(t, access.Robot, "forms")}
	var made []workqueue.NewItem
	for range 5 {
		made = append(made, workqueue.NewItem{QueueName: "forms", NaturalKey: "K&1", State: workqueue.Pending})
	}
	if _, err := s.Store.Enqueue(ctx, made); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		taken := apitest.Decode[takenItems](t, f.post(t, "/queues/forms/take", object{"filter": object{"ids": []int{1}}}).Want(t, 200))
		f.post(t, "/checkouts/1/release", object{"fence": taken.Items[0].Fence, "lockKey": taken.LockKey}).Want(t, 200)
	}
	robot := caller{t, s, f.token}
	for _, c := range []struct {
		caller caller
		path   string
		least  int
	}{
		{admin, "/users?", 6}, {admin, "/tokens?", 8}, {admin, "/users/x%26y=z%2F%C3%A4/sessions?", 5}, {admin, "/queues?", 5}, {admin, "/workers?", 5},
		{admin, "/items/1/attempts?", 5}, {admin, "/audit?", 5}, {admin, "/items?", 5}, {robot, "/robots/items?queue=forms&key=K%261&", 5},
	} {
		var all []string
		for _, entry := range pageAt(t, c.caller, c.path+"limit=500").Items {
			all = append(all, keyOfEntry(t, entry))
		}
		if len(all) < c.least {
			t.Errorf("%s: got %d entries, want %d", c.path, len(all), c.least)
		}
		for limit := 1; limit <= len(all)+1; limit += 2 {
			var got []string
			for next := fmt.Sprint(c.path, "limit=", limit); next != ""; {
				page := pageAt(t, c.caller, next)
				if len(page.Items) > limit {
					t.Errorf("%s: got %d entries", next, len(page.Items))
				}
				for _, entry := range page.Items {
					got = append(got, keyOfEntry(t, entry))
				}
				if next = ""; page.Next != nil {
					next = strings.TrimPrefix(*page.Next, api.Prefix)
				}
			}
			if !slices.Equal(got, all) {
				t.Errorf("%slimit=%d: got %q, want %q", c.path, limit, got, all)
			}
		}
	}
	if got := pageAt(t, admin, "/users?after=b&limit=1"); len(got.Items) != 1 || keyOfEntry(t, got.Items[0]) != "c" {
		t.Errorf("after a name that does not exist: got %s", got.Items)
	}
	for _, query := range []string{"limit=0", "limit=501", "after=x"} {
		admin.get("/tokens?"+query).WantProblem(t, 422, "invalid-request")
	}
}

type anyPage struct {
	Items []json.RawMessage
	Next  *string
}

func pageAt(t *testing.T, c caller, path string) anyPage {
	t.Helper()
	a := c.get(path).Want(t, 200)
	page := apitest.Decode[anyPage](t, a)
	if link := a.Header.Get("Link"); (link == "") != (page.Next == nil) || page.Next != nil && link != "<"+*page.Next+`>; rel="next"` {
		t.Errorf("%s: next is %v, and the header Link %q", path, page.Next, link)
	}
	return page
}

// keyOfEntry returns the name of an entry of a list, or its id.
func keyOfEntry(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var entry struct {
		ID   json.Number
		Name string
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		t.Fatal(err)
	}
	if entry.Name != "" {
		return entry.Name
	}
	return entry.ID.String()
}
