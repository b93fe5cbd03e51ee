package dashboard_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/author/strictyaml"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
	"botwork/workqueue/storetest"
)

// folder is a project of a few files.
type folder struct {
	api.Project
	project operations.Project
}

func (f folder) Load() (*operations.Project, error) { return &f.project, nil }

func (folder) WhyParams() (assign.WhyParams, error) { return assign.WhyParams{}, nil }

const letterFile = `name: letters
description: "` + `<script>alert(1)</script>` + `"
steps:
  - name: print
    handler: Log
    with: {message: "to ${{ payload.to }} </td><script>alert(2)</script>"} # a line
  - name: stop
    handler: Fail
    if: payload.to == ""
    with: {message: "no address"}
`

func newPipelineSite(t *testing.T) *site {
	t.Helper()
	k := pipelines.NewCatalogue(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}))
	files := map[string]string{
		"letters.yaml": letterFile,
		"nightly.yaml": "name: nightly\ntrigger: {cron: \"30 2 * * *\", timezone: Europe/Berlin}\nsteps:\n  - handler: Log\n    with: {message: x}\n",
	}
	for name, text := range files {
		if findings := k.Add(name, []byte(text)); len(findings) > 0 {
			t.Fatal(findings)
		}
	}
	warning := strictyaml.Finding{File: "letters.yaml", Line: 9, Column: 5, Severity: strictyaml.Warning, Code: "odd", Message: "this is <odd>"}
	loose := warning
	loose.Line, loose.Column, loose.Message = 0, 0, "about the <whole> file"
	other := warning
	other.File, other.Message = "nightly.yaml", "of another file"
	f := folder{project: operations.Project{
		Folder: true, Catalogue: k, Findings: strictyaml.Findings{warning, loose, other},
		Engine: func() *pipelines.Engine { return pipelines.NewEngine(pipelines.EngineOptions{}) },
	}}
	return newSiteWith(t, func(o *api.Options) { o.Project = f })
}

func wantShown(t *testing.T, b *browser, path string, wanted ...string) seen {
	t.Helper()
	got := b.get(path)
	if got.status != http.StatusOK {
		t.Fatalf("GET %s: status %d: %.500s", path, got.status, got.text)
	}
	judge(t, path, got)
	for _, want := range wanted {
		if text := got.visible(); !strings.Contains(text, want) {
			t.Errorf("GET %s does not show %q: %s", path, want, text)
		}
	}
	return got
}

func TestPipelinePage(t *testing.T) {
	s := newPipelineSite(t)
	for range 3 {
		if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "letters"}}); err != nil {
			t.Fatal(err)
		}
	}
	viewer, operator := s.as(t, access.Viewer), s.as(t, access.Operator)
	got := wantShown(t, viewer, "/pipelines/letters", "<script>alert(1)</script>", "warning this is <odd> odd", "# a line", "10", "2 found by the checker", "warning about the <whole> file odd")
	if strings.Contains(got.visible(), "of another file") || len(got.forms()) != 1 { // to sign out
		t.Errorf("a viewer sees %s, and is offered %v", got.visible(), got.forms())
	}
	for _, class := range []string{`class="expression">${{ payload.to }}<`, `class="key">handler<`, `class="comment"># a line<`, `class="marked"`} {
		if !strings.Contains(got.text, class) {
			t.Errorf("the text of the pipeline lacks %s", class)
		}
	}
	next := wantShown(t, operator, "/pipelines/nightly", "Next runs", "Europe/Berlin", "02:30:00 +0", "UTC")
	if forms, links := next.forms(), next.links(); !slices.Contains(forms, "/pipelines/nightly/pause") || slices.Contains(forms, "/pipelines/nightly/resume") || !slices.Contains(links, "/pipelines/nightly/backfill") {
		t.Errorf("an operator is offered %v and %v", forms, links)
	}
	wantShown(t, viewer, "/pipelines", "letters", "nightly", "figures of the last 24 hours")
	wantShown(t, viewer, "/failures?pipeline=letters", "letters", "No failures")
}

// Earlier texts of a pipeline can be read, and all of them are listed on request.
func TestPipelineVersions(t *testing.T) {
	s := newPipelineSite(t)
	var texts []workqueue.PipelineText
	for i := range 12 {
		texts = append(texts, workqueue.PipelineText{Hash: strings.Repeat(fmt.Sprintf("%x", i), 64), Pipeline: "letters", Text: fmt.Sprintf("steps: [] # number %d </td><script>\n", i)})
	}
	if err := s.Store.KeepTexts(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Viewer)
	got := wantShown(t, b, "/pipelines/letters", "Versions")
	if n := strings.Count(got.text, "#version\""); n != 10 || !slices.Contains(got.links(), "?versions=all#versions") {
		t.Errorf("%d versions with a text and the links %q, want 10 and one to all", n, got.links())
	}
	got = wantShown(t, b, "/pipelines/letters?versions=all")
	if n := strings.Count(got.text, "#version\""); n != 12 || slices.Contains(got.links(), "?versions=all#versions") {
		t.Errorf("%d versions with a text, want 12 and no link to more", n)
	}
	wantShown(t, b, "/pipelines/letters?version="+texts[3].Hash, "Version 33333333", "# number 3 </td><script>")
	if got := b.get("/pipelines/letters?version=dddd"); got.status != http.StatusNotFound {
		t.Errorf("a version that was never loaded: status %d", got.status)
	}
}

// The graph of an item's pipeline has what the run did with each step.
func TestRunGraph(t *testing.T) {
	s := newPipelineSite(t)
	f := storetest.NewFactory(t, s.Store)
	w := f.Worker(storetest.WorkerOpts{Name: "bot-1"})
	f.Items(1, storetest.ItemOpts{Pipeline: "letters"})
	b := s.as(t, access.Viewer)
	waits := b.get("/items/1")
	if strings.Contains(waits.text, "/drawings/items/1") {
		t.Error("the graph of an item without a run is offered")
	}
	fails(t, s, f, w, "letters", workqueue.Cancelled, workqueue.KindError, "no paper")
	page := wantShown(t, b, "/items/2", "Graph with this attempt")
	at := regexp.MustCompile(`/drawings/items/2\?of=[0-9a-f]+`).FindString(page.text)
	got := b.get(at)
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
		t.Fatalf("GET %s: %d, %v", at, got.status, got.header)
	}
	for _, want := range []string{`class="box step`, `>letters</text>`, `? Not recorded`} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the graph lacks %q: %s", want, got.text)
		}
	}
	for path, want := range map[string]int{"/drawings/items/99": http.StatusNotFound, "/drawings/items/x": http.StatusUnprocessableEntity} {
		if got := b.get(path); got.status != want {
			t.Errorf("GET %s: status %d, want %d", path, got.status, want)
		}
	}
	if got := s.browser(t).get(at); got.status == http.StatusOK {
		t.Error("a graph without a session")
	}
	if got := s.as(t, access.Viewer, "mail").get(at); got.status == http.StatusOK {
		t.Error("the graph of an item of another queue")
	}
}

func TestDryRunPage(t *testing.T) {
	s := newPipelineSite(t)
	operator := s.as(t, access.Operator)
	wantShown(t, operator, "/pipelines/letters/dry-run", "Payload of the item", "No handler is called")
	for payload, want := range map[string]string{
		`{"to": "Ada <b>"}`: "would succeed", `{"to": ""}`: "no address", `{"to": `: "the payload is not JSON",
	} {
		got := operator.post("/pipelines/letters/dry-run", url.Values{"payload": {payload}}, nil)
		judge(t, "/pipelines/letters/dry-run", got)
		if text := got.visible(); got.status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("a dry run with %s: status %d, %s; want %q", payload, got.status, text, want)
		}
		if !strings.Contains(got.visible(), payload) {
			t.Errorf("a dry run with %s: the form has forgotten the payload", payload)
		}
	}
	if got := s.as(t, access.Viewer).post("/pipelines/letters/dry-run", url.Values{"payload": {"{}"}}, nil); got.status != http.StatusForbidden {
		t.Errorf("a viewer's dry run: status %d", got.status)
	}
	if got := operator.get("/pipelines/nowhere/dry-run"); got.status != http.StatusNotFound {
		t.Errorf("a dry run of nothing: status %d", got.status)
	}
}

func TestBackfillPage(t *testing.T) {
	s := newPipelineSite(t)
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 1, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	operator, viewer := s.as(t, access.Operator), s.as(t, access.Viewer)
	wantShown(t, operator, "/pipelines/nightly/backfill", "Show what did not run")
	const stretch = "from=2026-01-10T00:00:00Z&to=2026-01-13T00:00:00Z"
	got := wantShown(t, operator, "/pipelines/nightly/backfill?"+stretch, "3 of 3 planned times would run", "2026-01-10 01:30:00 UTC")
	if requests, err := s.Store.RunRequests(t.Context(), workqueue.RequestFilter{Limit: 10}); err != nil || len(requests) != 0 {
		t.Fatalf("looking has requested %v, %v", requests, err)
	}
	wantShown(t, operator, "/pipelines/nightly/backfill?from=2026-01-13T00:00:00Z&to=2026-01-10T00:00:00Z", "want one that begins before its end")
	form, err := url.ParseQuery(stretch + "&reason=holidays")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.forms(), "/pipelines/nightly/backfill") {
		t.Errorf("an operator is offered %v", got.forms())
	}
	if _, said := viewer.said(viewer.post("/pipelines/nightly/backfill", form, nil)); !strings.HasPrefix(said, "refused: ") {
		t.Errorf("a viewer's backfill: %q", said)
	}
	if _, said := operator.said(operator.post("/pipelines/nightly/backfill", form, nil)); !strings.HasPrefix(said, "3 runs were requested") {
		t.Errorf("a backfill: %q", said)
	}
	if requests, err := s.Store.RunRequests(t.Context(), workqueue.RequestFilter{Limit: 10}); err != nil || len(requests) != 3 {
		t.Fatalf("a backfill has requested %d runs, %v", len(requests), err)
	}
	wantShown(t, operator, "/pipelines/nightly/backfill?"+stretch, "0 of 3 planned times would run")
}

// hidden returns the values of the hidden fields of a form.
func (s seen) hidden(action string) url.Values {
	fields, inside := url.Values{}, false
	for _, n := range s.elements() {
		switch {
		case n.Data == "form":
			inside = attr(n, "action") == action && attr(n, "method") == "post"
		case inside && n.Data == "input" && attr(n, "type") == "hidden":
			fields.Add(attr(n, "name"), attr(n, "value"))
		}
	}
	return fields
}

// A backfill of "yesterday" to "now" runs the times that were shown, also if the person confirms it later.
func TestBackfillConfirmsTheTimesShown(t *testing.T) {
	s := newPipelineSite(t)
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 1, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	operator := s.as(t, access.Operator)
	got := wantShown(t, operator, "/pipelines/nightly/backfill?from=72h&to=now", "3 of 3 planned times would run")
	form := got.hidden("/pipelines/nightly/backfill")
	from, err := time.Parse(time.RFC3339, form.Get("from"))
	if err != nil {
		t.Fatal(err)
	}
	to, err := time.Parse(time.RFC3339, form.Get("to"))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{from, to.Add(-time.Millisecond)} {
		if !strings.Contains(got.visible(), at.UTC().Format("2006-01-02 15:04:05 UTC")) {
			t.Errorf("the form sends %v, which is not shown: %s", form, got.visible())
		}
	}
	if _, said := operator.said(operator.post("/pipelines/nightly/backfill", form, nil)); !strings.HasPrefix(said, "3 runs were requested") {
		t.Errorf("a backfill: %q", said)
	}
}

// To a person who may not see the pipelines, the page does not say that there are none.
func TestPipelinesOfBoundPeople(t *testing.T) {
	s := newPipelineSite(t)
	for _, queues := range []string{"mail", "mail print"} {
		got := wantShown(t, s.as(t, access.Viewer, strings.Fields(queues)...), "/pipelines", "Not shown to people who are bound to queues")
		if strings.Contains(got.visible(), "None.") {
			t.Errorf("queues %q: %s", queues, got.visible())
		}
	}
}

// live returns the topics whose news let a page ask for itself again.
func (s seen) live() string {
	for _, n := range s.elements() {
		if n.Data == "main" {
			return attr(n, "data-live")
		}
	}
	return ""
}

// Pages with figures of items follow items.
func TestPipelinesFollowItems(t *testing.T) {
	viewer := newPipelineSite(t).as(t, access.Viewer)
	for path, want := range map[string]string{"/pipelines": "items,runs", "/pipelines/letters": "items,runs", "/pipelines/nightly": "runs"} {
		if got := wantShown(t, viewer, path).live(); got != want {
			t.Errorf("%s follows %q, want %q", path, got, want)
		}
	}
}
