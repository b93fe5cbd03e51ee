package dashboard

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"botwork/workqueue/matching"
)

func TestRelations(t *testing.T) {
	root, key, kind, text, began := int64(4), "INV-1", "error", "HTTP 503 from ledger.example", minute(1)
	it := &item{ID: 9, Pipeline: "book", RootID: &root, BatchLeaderID: &root, NaturalKey: &key, TaskName: &key, Error: &text, ErrorKind: &kind, StartedAt: &began}
	p := &pipeline{Steps: []step{
		{Path: "log", Handler: "Log"}, {Path: "lines / mail", Handler: "Enqueue", With: map[string]any{"pipeline": "send"}}, {Path: "any", Handler: "Enqueue", With: map[string]any{"pipeline": "${{ payload.p }}"}},
	}}
	history := []entry{{Action: "items.clone", After: json.RawMessage(`{"clone": 12}`)}, {Action: "items.cancel", After: json.RawMessage(`{"state": 3}`)}}
	got := relationsOf(it, p, history, []item{{ID: 9}, {ID: 7}}, minute(60*24*7))
	var lines []string
	for _, r := range got {
		lines = append(lines, r.Name+" "+r.Link)
		if r.Name == "Same key" && (len(r.Items) != 1 || r.Items[0].ID != 7) {
			t.Errorf("the same key: %+v", r.Items)
		}
	}
	want := []string{
		"First item /items/4", "Ran together with /items/4", "Clone /items/12", "Same key /items?key=INV-1", "Same task /items?task=INV-1",
		"Same error /items?error=HTTP+503+from+ledger.example&errorKind=error&failedSince=2026-01-31T12%3A00%3A00Z&pipeline=book",
		"Made by step lines / mail /items?createdSince=2026-01-31T12%3A01%3A00Z&pipeline=send",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if got := relationsOf(&item{ID: 1, BatchLeaderID: new(int64(1))}, &pipeline{}, nil, nil, minute(0)); got != nil {
		t.Errorf("an item alone has %+v", got)
	}
}

func TestChangesOfAnEntry(t *testing.T) {
	got := changesOf(json.RawMessage(`{"state": 0, "version": 1, "error": null, "same": "x"}`), json.RawMessage(`{"state": 3, "version": 2, "error": "<b>", "same": "x", "new": [1]}`))
	want := []valueChange{{"error", "none", "<b>"}, {"new", "none", "[1]"}, {"state", "0", "3"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := changesOf(nil, json.RawMessage(`{"clone": 1}`)); len(got) != 0 { // the clone is a related item
		t.Errorf("got %+v", got)
	}
}

func TestMatch(t *testing.T) {
	gpu, err := matching.ParseSelectors(`["gpu = true"]`)
	if err != nil {
		t.Fatal(err)
	}
	it := &item{QueueName: "mail", Labels: json.RawMessage(`{"language": "fr"}`), Selectors: json.RawMessage(`["ram >= 16"]`), AvailableAt: minute(0)}
	workers := []worker{
		{ID: 1, Name: "small", State: "active", Capacity: 2, Labels: map[string]any{"gpu": true, "ram": 8.0, "language": "fr"}},
		{ID: 2, Name: "large", State: "active", Capacity: 4, Labels: map[string]any{"gpu": true, "ram": 16.0, "language": "de"}},
		{ID: 3, Name: "other", State: "active", Queues: []string{"orders"}, Labels: map[string]any{"gpu": true, "ram": 64.0}},
		{ID: 4, Name: "gone", State: "active", Gone: true}, {ID: 5, Name: "stopped", State: "stopped"},
	}
	var why reason
	if err := json.Unmarshal([]byte(`{"workers": [{"name": "large", "slots": 4, "running": 3, "holds": 5}]}`), &why); err != nil {
		t.Fatal(err)
	}
	m := matchOf(it, &itemPipeline{Selectors: gpu}, &why, workers, minute(1))
	if !slices.Equal(m.Labels, []itemLabel{{"language = fr", "/items?label=language%3Dfr"}}) || !slices.Equal(m.Selectors, []string{"gpu = true", "ram >= 16"}) || len(m.Workers) != 3 {
		t.Fatalf("got %+v", m)
	}
	large, lacking := m.Workers[0], []string{m.Workers[1].Lacks, m.Workers[2].Lacks}
	slices.Sort(lacking)
	if large.Name != "large" || large.Lacks != "" || large.Score != "0.50" || large.Running == nil || *large.Running != 3 || *large.Holds != 5 {
		t.Errorf("the worker that may run it: %+v", large)
	}
	if !slices.Equal(lacking, []string{"does not serve the queue mail", "has ram = 8 of >= 16"}) {
		t.Errorf("the others: %q", lacking)
	}
	it.Labels = json.RawMessage(`{"a": "x=1 & y", "size": 3}`)
	m = matchOf(it, &itemPipeline{Labels: matching.Labels{"size": matching.Number(2), "gpu": matching.Bool(true)}}, &why, workers, minute(1))
	want := []itemLabel{{"a = x=1 & y", "/items?label=a%3Dx%3D1+%26+y"}, {"gpu = true", ""}, {"size = 3", "/items?label=size%3D3"}}
	if !slices.Equal(m.Labels, want) {
		t.Errorf("labels of the item and its pipeline: %+v, want %+v", m.Labels, want)
	}
	it.Labels, it.Selectors = json.RawMessage(`["x"]`), json.RawMessage(`null`)
	if m := matchOf(it, &itemPipeline{}, &reason{}, workers, minute(1)); len(m.Faults) != 1 || m.Workers[0].Score != "" {
		t.Errorf("labels that cannot be read: %+v", m)
	}
}
