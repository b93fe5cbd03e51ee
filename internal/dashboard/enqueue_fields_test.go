package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// newSchemaSite has a pipeline that describes its payload, and one that does not.
func newSchemaSite(t *testing.T) *site {
	t.Helper()
	k := pipelines.NewCatalogue(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}))
	const steps = "steps: [{name: a, handler: Log, with: {message: x}}]\n"
	for name, text := range map[string]string{
		"send.yaml": "name: send\ninput:\n  type: object\n  additionalProperties: true\n  required: [customer, urgent]\n  properties:\n" +
			"    customer: {type: string, description: its name in the shop}\n    amount: {type: number, minimum: 1}\n    urgent: {type: boolean}\n" +
			"    channel: {enum: [mail, letter], default: letter}\n    lines: {type: array}\n" + steps,
		"plain.yaml": "name: plain\n" + steps,
	} {
		if findings := k.Add(name, []byte(text)); len(findings) > 0 {
			t.Fatal(findings)
		}
	}
	return newSiteWith(t, func(o *api.Options) { o.Project = letters{catalogue: k} })
}

// The form of a pipeline that describes its payload has an input for each property.
func TestEnqueueFields(t *testing.T) {
	s := newSchemaSite(t)
	b := s.as(t, access.Operator)
	page := wantShown(t, b, "/enqueue?pipeline=send", "customer (required)", "its name in the shop", "lines, JSON", "Used in place of the fields above")
	form := page.entered("/enqueue")
	if form.Get("input.channel") != `"letter"` || form.Get("payload") != "" || form.Get("input.urgent") != "false" {
		t.Fatalf("the form: %v", form)
	}
	form.Set("input.customer", "Ada")
	form.Set("input.amount", "1,5")
	form.Set("input.lines", `[{"sku": 1}]`)
	wrong := b.post("/enqueue", form, nil)
	judge(t, "/enqueue", wrong)
	if text := wrong.visible(); wrong.status != http.StatusUnprocessableEntity || !strings.Contains(text, `amount: got "1,5", want a number such as 12.5`) {
		t.Fatalf("a wrong number: %d %s", wrong.status, text)
	}
	again := wrong.entered("/enqueue")
	if again.Get("input.customer") != "Ada" || again.Get("input.amount") != "1,5" || again.Get("input.lines") != `[{"sku": 1}]` {
		t.Fatalf("the refused form does not have what was entered: %v", again)
	}
	again.Set("input.amount", "0.5")
	if low := b.post("/enqueue", again, nil); low.status != http.StatusUnprocessableEntity || low.entered("/enqueue").Get("input.amount") != "0.5" {
		t.Fatalf("a number that the schema refuses: %d %s", low.status, low.visible())
	}
	again.Set("input.amount", "2.50")
	again["input.urgent"] = []string{"false", "true"}
	if it := s.made(t, b.post("/enqueue", again, nil)); it.Payload != `{"amount":2.50,"channel":"letter","customer":"Ada","lines":[{"sku":1}],"urgent":true}` {
		t.Errorf("the payload: %s", it.Payload)
	}
	copied := wantShown(t, b, "/enqueue?from=1").entered("/enqueue")
	if copied.Get("input.amount") != "2.50" || !slices.Equal(copied["input.urgent"], []string{"false", "true"}) {
		t.Errorf("the form of a copy: %v", copied)
	}
	copied.Set("payload", `{"customer": "Bob", "urgent": false, "more": 1}`)
	it := s.made(t, b.post("/enqueue", copied, nil))
	if it.Payload != `{"customer":"Bob","urgent":false,"more":1}` {
		t.Errorf("JSON in place of fields: %s", it.Payload)
	}
	odd := wantShown(t, b, "/enqueue?from=2", "values that the fields of the pipeline's input cannot show").entered("/enqueue")
	if odd.Has("input.customer") || !strings.Contains(odd.Get("payload"), `"more": 1`) {
		t.Errorf("the form of a payload with other values: %v", odd)
	}
}

// The name of the pipeline is entered in the form: its fields come on request, and those of another pipeline are
// not sent.
func TestEnqueueFieldsOfAnotherPipeline(t *testing.T) {
	s := newSchemaSite(t)
	b := s.as(t, access.Operator)
	form := wantShown(t, b, "/enqueue", "Payload, JSON").entered("/enqueue")
	form.Set("pipeline", "send")
	form.Set("key", "K-1")
	form.Set("do", "fields")
	page := b.post("/enqueue", form, nil)
	judge(t, "/enqueue", page)
	form = page.entered("/enqueue")
	if page.status != http.StatusOK || form.Get("key") != "K-1" || !form.Has("input.customer") || form.Get("fields") != "send" {
		t.Fatalf("the fields: %d %v", page.status, form)
	}
	form.Set("input.customer", "Ada")
	form.Set("pipeline", "plain")
	other := b.post("/enqueue", form, nil)
	if other.status != http.StatusUnprocessableEntity || !strings.Contains(other.visible(), "the payload has the fields of the pipeline send") {
		t.Fatalf("the fields of another pipeline: %d %s", other.status, other.visible())
	}
	if form = other.entered("/enqueue"); form.Has("input.customer") || !form.Has("payload") {
		t.Errorf("a pipeline that describes no payload: %v", form)
	}
	if items, err := s.Store.Items(t.Context(), workqueue.ItemFilter{}); err != nil || len(items) != 0 {
		t.Errorf("%d items were enqueued, error %v", len(items), err)
	}
}
