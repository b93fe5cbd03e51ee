package pipelines

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/google/go-cmp/cmp"
)

func TestBatchKey(t *testing.T) {
	c := testCompiler(nil)
	b := parse(t, c, "batch: {by: '${{ payload.customer }}', wait: 10m}\nsteps: [{handler: Echo, with: {value: 1}}]\n").Batch
	if b.Max != 100 || b.Wait != 10*time.Minute || b.AtMost != 10*time.Minute {
		t.Errorf("batch = %d, %v, %v; want 100, 10m, 10m", b.Max, b.Wait, b.AtMost)
	}
	long := strings.Repeat("x", 201)
	for payload, want := range map[workqueue.JSONText]string{
		`{"customer": " C1 "}`: "C1", `{"customer": 17}`: "17", `{"customer": null}`: "", `{}`: "", `{"customer": "  "}`: "",
		"": "", "no JSON": "", `[1]`: "", `{"customer": "` + workqueue.JSONText(long) + `"}`: workqueue.BatchKeyOf(long),
	} {
		if got := b.Key(payload); got != want {
			t.Errorf("Key(%s) = %q, want %q", payload, got, want)
		}
	}
	if key := workqueue.BatchKeyOf(long); len(key) > workqueue.MaxBatchKey || key == workqueue.BatchKeyOf(long+"y") {
		t.Errorf("the key of a long text is %q", key)
	}
	joined := parse(t, c, "batch: {by: '${{ payload.a }}/${{ payload.b }}'}\nsteps: [{handler: Echo, with: {value: 1}}]\n").Batch
	if got := joined.Key(`{"a": 1, "b": "x"}`); got != "1/x" {
		t.Errorf("the key of two parts is %q, want 1/x", got)
	}
	if got := joined.Key(`{"a": 1}`); got != "" {
		t.Errorf("the key without its second part is %q, want none", got)
	}
}

// batchOf makes a run of several items.
func batchOf(payloads ...string) *workqueue.Run {
	b := &workqueue.RunBatch{}
	for i, payload := range payloads {
		b.Items = append(b.Items, &workqueue.Item{ID: int64(i + 1), QueueName: "default", Payload: workqueue.JSONText(payload), Fence: int64(10 + i)})
	}
	run := workqueue.NewRun(b.Items[0])
	run.Batch = b
	return run
}

// outcomes returns how each item of a run ended: ok, left, or the kind of its failure.
func outcomes(run *workqueue.Run, o workqueue.Outcome) map[int64]string {
	how := map[int64]string{}
	for _, it := range run.Batch.Items {
		one := run.Batch.OutcomeOf(it.ID, o)
		switch {
		case run.Batch.Left(it.ID):
			how[it.ID] = "left"
		case one.Verdict == workqueue.Succeeded:
			how[it.ID] = "ok"
		default:
			how[it.ID] = string(one.Kind) + ": " + one.Error
		}
	}
	return how
}

func TestBatchRunsItemsOfOneKey(t *testing.T) {
	const head = "batch: {by: '${{ payload.c }}'}\ninput: {type: object, required: [n]}\n"
	tests := []struct {
		name   string
		text   string
		do     do
		items  []string
		output string
		want   map[int64]string
	}{
		{
			name:  "all payloads",
			text:  head + "steps: [{handler: Echo, with: {value: '${{ {key: batch.key, sum: sum(batch.items, .payload.n), first: payload.n, id: item.id} }}'}}]",
			items: []string{`{"c":"a","n":1}`, `{"c":"a","n":2}`, `{"c":"a","n":4}`}, output: `{"first":1,"id":1,"key":"a","sum":7}`,
			want: map[int64]string{1: "ok", 2: "ok", 3: "ok"},
		},
		{
			name:  "an edited payload leaves",
			text:  head + "steps: [{handler: Echo, with: {value: '${{ map(batch.items, .id) }}'}}]",
			items: []string{`{"c":"a","n":1}`, `{"c":"b","n":2}`, `{"n":3}`, `{"c":"a","n":4}`}, output: `[1,4]`,
			want: map[int64]string{1: "ok", 2: "left", 3: "left", 4: "ok"},
		},
		{
			name:  "the pipeline has no batch any more",
			text:  "steps: [{handler: Echo, with: {value: '${{ map(batch.items, .id) }}'}}]",
			items: []string{`{"c":"a"}`, `{"c":"a"}`}, output: `[1]`, want: map[int64]string{1: "ok", 2: "left"},
		},
		{
			name:  "the next item leads if the first is wrong",
			text:  head + "steps: [{handler: Echo, with: {value: '${{ [item.id, payload.n, len(batch.items)] }}'}}]",
			items: []string{`{"c":"a"}`, `{"c":"a","n":2}`, `{`}, output: `[2,2,1]`,
			want: map[int64]string{
				1: "business: the payload does not match the pipeline's input: payload: missing property 'n'", 2: "ok",
				3: "permanent: the payload is not JSON: json ends too early; hint: a JSON text needs double quotes: \"text\"",
			},
		},
		{
			name:  "items that an output names",
			text:  "batch: {by: '${{ payload.c }}', failed: '${{ steps.Do.output.bad }}'}\nsteps: [{handler: Do}]",
			do:    returns(map[string]any{"bad": []any{2, map[string]any{"id": 3, "error": "unknown article", "kind": "business"}}}, nil),
			items: []string{`{"c":1}`, `{"c":1}`, `{"c":1}`}, output: `{"bad":[2,{"error":"unknown article","id":3,"kind":"business"}]}`,
			want: map[int64]string{1: "ok", 2: "error: the pipeline names this item in batch.failed", 3: "business: unknown article"},
		},
		{
			name:  "an output that names another item",
			text:  "batch: {by: '${{ payload.c }}', failed: '${{ steps.Do.output }}'}\nsteps: [{handler: Do}]",
			do:    returns([]any{9}, nil),
			items: []string{`{"c":1}`, `{"c":1}`},
			want:  map[int64]string{1: "permanent: batch.failed, entry 1: the run has no item 9", 2: "permanent: batch.failed, entry 1: the run has no item 9"},
		},
		{
			name:  "an output that is no list",
			text:  "batch: {by: '${{ payload.c }}', failed: '${{ steps.Do.output }}'}\nsteps: [{handler: Do}]",
			do:    returns("all", nil),
			items: []string{`{"c":1}`, `{"c":1}`},
			want: map[int64]string{
				1: "permanent: batch.failed evaluates to a text, want a list of items", 2: "permanent: batch.failed evaluates to a text, want a list of items",
			},
		},
		{
			name: "items that a handler names",
			text: "batch: {by: '${{ payload.c }}'}\nsteps: [{handler: Do}]",
			do: func(_ context.Context, call *handlers.Call) (any, error) {
				call.FailItem(call.Batch[1].ID, handlers.Business(errors.New("closed account")))
				return nil, nil
			},
			items: []string{`{"c":1}`, `{"c":1}`}, want: map[int64]string{1: "ok", 2: "business: closed account"},
		},
		{
			name: "a step that fails fails all",
			text: "batch: {by: '${{ payload.c }}'}\nsteps: [{handler: Do}]",
			do: func(_ context.Context, call *handlers.Call) (any, error) {
				call.FailItem(2, errors.New("named by an attempt that failed"))
				return nil, errors.New("no connection")
			},
			items: []string{`{"c":1}`, `{"c":1}`}, want: map[int64]string{1: "error: step \"Do\" (Do): no connection", 2: "error: step \"Do\" (Do): no connection"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := batchOf(tt.items...)
			r := testEngine(nil).Run(t.Context(), parse(t, testCompiler(map[string]do{"Do": tt.do}), tt.text), RunInput{Run: run})
			if diff := cmp.Diff(tt.want, outcomes(run, r.Outcome)); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if string(r.Output) != tt.output {
				t.Errorf("output = %s, want %s", r.Output, tt.output)
			}
		})
	}
}

// TestBatchRetryForgetsNamedItems: an item that a failed attempt of a step has named succeeds if
// the next attempt does not name it.
func TestBatchRetryForgetsNamedItems(t *testing.T) {
	calls := 0
	c := testCompiler(map[string]do{"Do": func(_ context.Context, call *handlers.Call) (any, error) {
		if calls++; calls == 1 {
			call.FailItem(2, errors.New("half done"))
			return nil, errors.New("connection lost")
		}
		return nil, nil
	}})
	run := batchOf(`{"c":1}`, `{"c":1}`)
	p := parse(t, c, "batch: {by: '${{ payload.c }}'}\nsteps: [{handler: Do, retry: {attempts: 2, delay: 0s}}]")
	r := testEngine(nil).Run(t.Context(), p, RunInput{Run: run})
	if got := outcomes(run, r.Outcome); calls != 2 || got[1] != "ok" || got[2] != "ok" {
		t.Errorf("after %d calls: %v, want both items to succeed", calls, got)
	}
}

// TestBatchOfOne: an item alone fails if its run names it.
func TestBatchOfOne(t *testing.T) {
	for _, head := range []string{"batch: {by: '${{ payload.c }}'}\n", ""} {
		c := testCompiler(map[string]do{"Do": func(_ context.Context, call *handlers.Call) (any, error) {
			call.FailItem(call.ItemID, handlers.Permanent(errors.New("gone")))
			return "x", nil
		}})
		r := testEngine(nil).Run(t.Context(), parse(t, c, head+"steps: [{handler: Do}]"), RunInput{Run: testRun(`{"c":1}`)})
		if r.Verdict != workqueue.Failed || r.Kind != workqueue.KindPermanent || r.Error != "gone" || r.Output != "" {
			t.Errorf("%qoutcome = %+v, want a permanent failure", head, r.Outcome)
		}
	}
}

func TestCatalogueItemBatch(t *testing.T) {
	c := testCompiler(nil)
	k, findings := Load(c, []File{
		{Path: "lines.yaml", Data: []byte("batch: {by: '${{ payload.c }}', max: 7}\nsteps: [{handler: Echo, with: {value: 1}}]\n")},
		{Path: "plain.yaml", Data: []byte("steps: [{handler: Echo, with: {value: 1}}]\n")},
	})
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := &workqueue.ItemBatch{Key: "x", Max: 7, Wait: 30 * time.Second, AtMost: 5 * time.Minute}
	if diff := cmp.Diff(want, k.ItemBatch("lines", `{"c":"x"}`)); diff != "" {
		t.Errorf("batch (-want +got):\n%s", diff)
	}
	for _, it := range [][2]string{{"lines", `{}`}, {"plain", `{"c":"x"}`}, {"unknown", `{"c":"x"}`}, {"steps: []", `{"c":"x"}`}} {
		if got := k.ItemBatch(it[0], workqueue.JSONText(it[1])); got != nil {
			t.Errorf("ItemBatch(%q, %s) = %+v, want none", it[0], it[1], got)
		}
	}
}
