package items_test

import (
	"slices"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// taggedQueue enqueues items with tags, metadata, keys and tasks, with the ids 1 to 4.
func taggedQueue(t *testing.T) {
	t.Helper()
	items := []workqueue.NewItem{
		{NaturalKey: "4711", Tags: []string{"urgent", "invoice"}, Metadata: map[string]string{"customer": "Ada", "city": "Faro"}, Labels: matching.Labels{"gpu": matching.Bool(true), "site": matching.Text("north")}},
		{NaturalKey: "4711", Tags: []string{"invoice"}, Metadata: map[string]string{"customer": "Ada=Bo", "city": ""}, Labels: matching.Labels{"gpu": matching.Bool(false), "site": matching.Text("a=b")}},
		{TaskName: "nightly", Tags: []string{"a,b", `say "hi"`}, Metadata: map[string]string{"customer": "Bo"}},
		{},
	}
	store := clitest.OpenQueue(t)
	for _, it := range items {
		it.State, it.IntegrationConfig, it.CreatedBy = workqueue.Pending, "hello", "test"
		if _, err := store.Enqueue(t.Context(), []workqueue.NewItem{it}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestItemsListFields(t *testing.T) {
	clitest.InProject(t)
	taggedQueue(t)
	for _, c := range []struct {
		flags []string
		want  []int64
	}{
		{[]string{"--key", "4711"}, []int64{2, 1}},
		{[]string{"--key", "471"}, nil},
		{[]string{"--key-part", "71"}, []int64{2, 1}},
		{[]string{"--key-part", "7%"}, nil},
		{[]string{"--meta-like", "customer=Ada*"}, []int64{2, 1}},
		{[]string{"--meta-like", "customer=ada*"}, nil},
		{[]string{"--meta-like", "customer=da*"}, nil},
		{[]string{"--meta-like", "city=*"}, []int64{2, 1}},
		{[]string{"--meta-like", "city=*", "--meta-like", "customer=Ada=*"}, []int64{2}},
		{[]string{"--task", "nightly"}, []int64{3}},
		{[]string{"--tag", "invoice"}, []int64{2, 1}},
		{[]string{"--tag", "urgent", "--tag", "a,b"}, []int64{3, 1}},
		{[]string{"--tag", `say "hi"`}, []int64{3}},
		{[]string{"--tag", "invoice", "--tag", "urgent", "--all-tags"}, []int64{1}},
		{[]string{"--tag", "inv"}, nil},
		{[]string{"--meta", "customer=Ada"}, []int64{1}},
		{[]string{"--meta", "customer=Ada=Bo"}, []int64{2}},
		{[]string{"--meta", "city="}, []int64{2}},
		{[]string{"--meta", "customer=Ada", "--meta", "city=Faro"}, []int64{1}},
		{[]string{"--meta", "customer=Bo", "--meta", "city=Faro"}, nil},
		{[]string{"--label", "gpu=true"}, []int64{1}},
		{[]string{"--label", "gpu"}, []int64{2, 1}},
		{[]string{"--label", "gpu", "--label", "site=a=b"}, []int64{2}},
		{[]string{"--label", "gpu=true", "--label", "site=a=b"}, nil},
		{[]string{"--key", "4711", "--tag", "urgent", "--lifecycle", "pending"}, []int64{1}},
		{[]string{"--key", "4711", "--tag", "urgent", "--status", "PENDING,business-error"}, []int64{1}},
		{[]string{"--key", "4711", "--status", "failed"}, nil},
	} {
		t.Run(strings.Join(c.flags, " "), func(t *testing.T) {
			if got := listedIDs(t, c.flags...); !slices.Equal(got, c.want) {
				t.Errorf("got the items %d, want %d", got, c.want)
			}
		})
	}
}

// The commands that change items have the same filters as items list.
func TestItemsChangeWithFilters(t *testing.T) {
	clitest.InProject(t)
	taggedQueue(t)
	if out := clitest.Must(t, "items", "archive", "--tag", "invoice", "--tag", "urgent", "--all-tags"); out != "1 item archived\n" {
		t.Errorf("archive of all tags printed %q", out)
	}
	if out := clitest.Must(t, "items", "cancel", "--key", "4711", "--meta", "customer=Ada=Bo"); out != "1 item cancelled\n" {
		t.Errorf("cancel by key and metadata printed %q", out)
	}
	if out := clitest.Must(t, "items", "update", "--label-where", "site=north", "--label", "site=south", "--dry-run"); out != "no items would be updated\n" {
		t.Errorf("update of an archived item by its label printed %q", out)
	}
	if out := clitest.Must(t, "items", "delete", "--label", "site=north", "--dry-run"); out != "1 item would be deleted\n" {
		t.Errorf("delete by a label printed %q", out)
	}
	if out := clitest.Must(t, "items", "delete", "--task", "nightly", "--worker", "nobody", "--yes"); out != "no items deleted\n" {
		t.Errorf("delete without a match printed %q", out)
	}
	if got := listedIDs(t, "--lifecycle", "pending"); !slices.Equal(got, []int64{4, 3}) {
		t.Errorf("pending are %d, want 4 and 3", got)
	}
}

func TestItemsLabelFaults(t *testing.T) {
	clitest.InProject(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "--label", "=x"}, `--label: got "=x", want NAME=VALUE, or NAME for any value`},
		{[]string{"list", "--label", ""}, "--label: got an empty text; omit it to match any"},
		{[]string{"list", "--label", "gpu=true", "--label", ""}, "--label: got an empty text; omit it to match any"},
		{[]string{"cancel", "--label", "gpu=true", "--label", "gpu=false"}, "--label: got gpu=true and gpu=false, but a label has only one value"},
		{[]string{"update", "--label-where", "=x", "--priority", "5"}, `--label-where: got "=x", want NAME=VALUE, or NAME for any value`},
		{[]string{"update", "--label-where", "", "--priority", "5"}, "--label-where: got an empty text; omit it to match any"},
	} {
		clitest.Do(t, append([]string{"items"}, c.args...)...).WantFailure(t, cli.ExitUsage, c.want)
	}
}

// listedIDs are the ids that items list shows.
func listedIDs(t *testing.T, flags ...string) []int64 {
	t.Helper()
	var ids []int64
	for _, it := range clitest.Decode[[]clitest.Listed](t, clitest.Must(t, append([]string{"items", "list", "-o", "json"}, flags...)...)) {
		ids = append(ids, it.ID)
	}
	return ids
}

// A mistyped queue must not look like an empty one.
func TestItemsOfUnknownQueue(t *testing.T) {
	clitest.InProject(t)
	taggedQueue(t)
	for _, line := range []string{"list --queue defualt", "list --queue defualt --output json", "cancel --queue defualt", "delete --queue defualt --dry-run"} {
		clitest.Do(t, append([]string{"items"}, strings.Fields(line)...)...).
			WantFailure(t, cli.ExitFailed, `read queue "defualt": not found; did you mean "default"?`)
	}
	// An empty page of an existing queue is not an error.
	if out := clitest.Must(t, "items", "list", "--queue", "default", "--before", "1"); out != "no items\n" {
		t.Errorf("items list printed %q, want no items", out)
	}
}

// The command asks whether waiting or finished items are meant before it runs everything again.
func TestItemsRunNeedsAStatusOrYes(t *testing.T) {
	clitest.InProject(t)
	taggedQueue(t)
	clitest.Do(t, "items", "run", "--tag", "invoice").WantFailure(t, cli.ExitUsage, "every matching finished item", "--status scheduled,retry")
	for flags, want := range map[string]string{
		"--tag invoice --dry-run":           "2 items would be set to run\n",
		"--tag invoice --yes":               "2 items set to run\n",
		"--tag invoice --lifecycle pending": "2 items set to run\n",
		"--tag invoice --state 4":           "2 items set to run\n",
		"--all --yes":                       "4 items set to run\n",
	} {
		if out := clitest.Must(t, append([]string{"items", "run"}, strings.Fields(flags)...)...); out != want {
			t.Errorf("items run %s printed %q, want %q", flags, out, want)
		}
	}
}
