package dashboard_test

import (
	"net/url"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// The pages of a pipeline and of its item name the steps of blocks with their paths. The list of pipelines
// names only the blocks.
func TestPagesOfNestedSteps(t *testing.T) {
	k, findings := pipelines.Load(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}), []pipelines.File{
		{Path: "pipelines/common/ledger.yaml", Data: []byte("steps: [{name: send, handler: Log, with: {message: x}}]\n")},
		{Path: "pipelines/order.yaml", Data: []byte("steps:\n  - name: lines\n    foreach: '${{ payload.lines }}'\n    steps: [{name: post, uses: ledger}]\n")},
		{Path: "pipelines/letter.yaml", Data: []byte("resume: true\nsteps:\n  - {name: load, handler: Log, with: {message: x}}\n  - name: each\n    foreach: [1, 2]\n    steps: [{name: send, handler: Log, with: {message: x}}]\n  - name: end\n    uses: ledger\nfinally: [{name: close, handler: Log, with: {message: x}}]\n")},
	})
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	s := newSiteWith(t, func(o *api.Options) { o.Project = letters{catalogue: k} })
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "order"}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	for at, wanted := range map[string][]string{
		"/items/1":         {"lines / post / send", "uses ledger", "for each of ${{ payload.lines }}"},
		"/pipelines/order": {"lines / post / send", "uses ledger", "${{ payload.lines }}"},
		"/pipelines":       {`<td class="dim">lines</td>`},
	} {
		got := b.get(at)
		for _, text := range wanted {
			if got.status != 200 || !strings.Contains(got.text, text) {
				t.Errorf("GET %s: %d, want %q in %s", at, got.status, text, got.text)
			}
		}
	}

	// The steps at which an item can begin are offered when it has failed.
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "letter"}}); err != nil {
		t.Fatal(err)
	}
	b.post("/items/2/cancel", nil, nil)
	want := `<select name="from"><option value="">the first step</option><option>load</option><option>each</option><option>end</option><option>end / send</option></select>`
	if got := b.get("/items/2"); !strings.Contains(got.text, want) {
		t.Errorf("the page lacks %s: %s", want, got.text)
	}
	if _, said := b.said(b.post("/items/2/repeat", url.Values{"from": {"end"}}, nil)); !strings.Contains(said, "nothing is recorded of its steps") {
		t.Errorf("an item without records was repeated from a step: %q", said)
	}
}
