package dashboard_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestWorkerPage(t *testing.T) {
	s := newSite(t)
	name := "bot <b>1"
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: name, InstanceID: "a", Host: "h-7", PID: 4711, Capacity: 4, Lease: time.Minute, Labels: `{"gpu": true}`}); err != nil {
		t.Fatal(err)
	}
	at := "/workers/" + url.PathEscape(name)
	viewer, editor := s.as(t, access.Viewer), s.as(t, access.Editor)
	got := wantShown(t, viewer, at, name, "h-7", "4711", "gpu=true", "Nothing runs here now", "0 of 4 slots", "0 % of the slots were busy")
	if len(got.forms()) != 1 { // to sign out
		t.Errorf("a viewer is offered %v", got.forms())
	}
	if list := wantShown(t, viewer, "/workers", name); !slices.Contains(list.links(), at) {
		t.Errorf("the list leads to %v", list.links())
	}
	if forms := wantShown(t, editor, at).forms(); !slices.Contains(forms, at+"/capacity") || !slices.Contains(forms, at+"/drain") {
		t.Errorf("an editor is offered %v", forms)
	}
	if _, said := viewer.said(viewer.post(at+"/capacity", url.Values{"capacity": {"8"}}, nil)); !strings.HasPrefix(said, "refused: ") {
		t.Errorf("a viewer's change: %q", said)
	}
	for value, want := range map[string]string{"many": "refused: ", "-1": "refused: ", "8": "Worker bot <b>1 has 8 slots now"} {
		if to, said := editor.said(editor.post(at+"/capacity", url.Values{"capacity": {value}}, nil)); !strings.HasPrefix(said, want) {
			t.Errorf("%s slots: %q at %q, want %s", value, said, to, want)
		}
	}
	wantShown(t, editor, at, "0 of 8 slots", "Set by a person")
	if got := viewer.get("/workers/nobody"); got.status != http.StatusNotFound {
		t.Errorf("the page of nobody: status %d", got.status)
	}
}
