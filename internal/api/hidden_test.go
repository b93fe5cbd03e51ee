package api_test

import (
	"fmt"
	"strings"
	"testing"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// What a queue hides is in no answer to viewers and operators, and cannot be searched by them.
func TestHiddenData(t *testing.T) {
	s := apitest.Start(t, nil)
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "salaries", QueueAccess: workqueue.QueueAccess{Payloads: workqueue.PayloadsHidden}}, "test"); err != nil {
		t.Fatal(err)
	}
	made, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{
		QueueName: "salaries", IntegrationConfig: "pay", Payload: `{"amount": "topsecret"}`, Metadata: map[string]string{"who": "topsecret"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	id := made[0].ID
	editor := s.Token(t, access.Editor)
	s.Do(t, apitest.Request{Method: "PATCH", Path: fmt.Sprintf("/items/%d?noCheck=true", id), Token: editor, Body: `{"payload": {"amount": "topsecret2"}}`}).Want(t, 200)
	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{ItemID: id})
	if err != nil || len(entries) != 1 {
		t.Fatalf("got the audit entries %v, %v", entries, err)
	}
	paths := []string{
		fmt.Sprintf("/items/%d", id), "/items?queue=salaries", "/items?fields=id,payload,metadata", "/items.ndjson", fmt.Sprintf("/items/%d/attempts", id),
		fmt.Sprintf("/items/%d/history", id), "/audit", fmt.Sprintf("/audit/%d", entries[0].ID),
	}
	shown := 0
	for _, path := range paths {
		for _, role := range access.Roles()[:4] {
			a := s.Do(t, apitest.Request{Method: "GET", Path: path, Token: s.Token(t, role)}).Want(t, 200)
			has := strings.Contains(string(a.Body), "topsecret")
			if has && !role.Includes(access.Editor) {
				t.Errorf("%s as %s: got hidden data: %s", path, role, a.Body)
			}
			if has {
				shown++
			}
		}
	}
	if shown < 10 {
		t.Errorf("editors and admins saw the data %d times, want 10 or more", shown)
	}
	for _, query := range []string{`payload=amount+%3D%3D+"topsecret2"`, "meta=who%3Dtopsecret", "metaLike=who%3Dtop*", "queue=salaries&meta=who%3Dx"} {
		for path, method := range map[string]string{"/items?": "GET", "/items/count?": "GET", "/items.ndjson?": "GET"} {
			s.Do(t, apitest.Request{Method: method, Path: path + query, Token: s.Token(t, access.Viewer)}).WantProblem(t, 403, "hidden-data")
			s.Do(t, apitest.Request{Method: method, Path: path + query, Token: editor}).Want(t, 200)
		}
	}
	s.Do(t, apitest.Request{Method: "POST", Path: "/items/actions/cancel", Token: s.Token(t, access.Operator), Body: `{"filter": {"meta": ["who=topsecret"]}, "dryRun": true}`}).WantProblem(t, 403, "hidden-data")
	s.Do(t, apitest.Request{Method: "GET", Path: "/items?queue=default&meta=who%3Dx", Token: s.Token(t, access.Viewer)}).Want(t, 200)
}
