package items_test

import (
	"slices"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/testgroup"
	"botwork/workqueue"
)

// ordersQueue enqueues items with payloads, with the ids 1 to 4.
func ordersQueue(t *testing.T) {
	t.Helper()
	store := clitest.OpenQueue(t)
	for _, payload := range []workqueue.JSONText{
		`{"customer":"Ada","amount":1500,"lines":[{"article":"bolt"}]}`, `{"customer":"Bo","amount":20}`, `{"customer":"Ada","amount":"2000"}`, "",
	} {
		it := workqueue.NewItem{State: workqueue.Pending, IntegrationConfig: "hello", Payload: payload, CreatedBy: "test"}
		if _, err := store.Enqueue(t.Context(), []workqueue.NewItem{it}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestItemsByPayload(t *testing.T) {
	clitest.InProject(t)
	ordersQueue(t)
	for _, c := range []struct {
		flags []string
		want  []int64
	}{
		{[]string{"--payload", `amount > 1000 and customer == "Ada"`}, []int64{1}},
		{[]string{"--payload", `customer == "Ada"`}, []int64{3, 1}},
		{[]string{"--payload", `customer == "Ada"`, "--limit", "1"}, []int64{3}},
		{[]string{"--payload", `customer == "Ada"`, "--before", "3"}, []int64{1}},
		{[]string{"--payload", `customer == "Ada"`, "--sort=-id"}, []int64{3, 1}},
		{[]string{"--payload", `customer == "Ada"`, "--min-priority", "5"}, nil},
		{[]string{"--payload", `lines[0].article == "bolt"`}, []int64{1}},
		{[]string{"--payload", `customer == null`}, []int64{4}},
	} {
		if ids := listedIDs(t, c.flags...); !slices.Equal(ids, c.want) {
			t.Errorf("%q: got the items %d, want %d", c.flags, ids, c.want)
		}
	}
	if out := clitest.Must(t, "items", "list", "--payload", `customer != "Ada"`, "--count"); out != "2\n" {
		t.Errorf("--count printed %q, want 2", out)
	}
	if out := clitest.Must(t, "items", "cancel", "--payload", `customer == "Ada"`, "--dry-run"); out != "2 items would be cancelled\n" {
		t.Errorf("a dry run printed %q", out)
	}
	if out := clitest.Must(t, "items", "update", "--payload-where", `customer == "Bo"`, "--payload", `{"customer":"Cy"}`, "--no-check"); out != "1 item updated\n" {
		t.Errorf("an update printed %q", out)
	}
	if out := clitest.Must(t, "items", "cancel", "--payload", `customer == "Ada"`); out != "2 items cancelled\n" {
		t.Errorf("a cancel printed %q", out)
	}
	if ids := listedIDs(t, "--status", "cancelled"); !slices.Equal(ids, []int64{3, 1}) {
		t.Errorf("cancelled %d, want 3 and 1", ids)
	}
	if ids := listedIDs(t, "--payload", `customer == "Cy"`); !slices.Equal(ids, []int64{2}) {
		t.Errorf("the update changed %d, want 2", ids)
	}
}

// Payloads that are not JSON match nothing, and commands report their number.
func TestItemsByUnreadablePayload(t *testing.T) {
	clitest.InProject(t)
	ordersQueue(t)
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET Payload = '{' WHERE Id IN (1, 2)`)
	for _, c := range []struct{ command, stdout string }{
		{`list --payload customer!="Ada" --count`, "1\n"},
		{`list --payload customer=="Bo"`, "no items\n"},
		{`cancel --payload customer!="Ada" --dry-run`, "1 item would be cancelled\n"},
		{`cancel --payload customer!="Ada"`, "1 item cancelled\n"},
	} {
		r := clitest.Do(t, append([]string{"items"}, strings.Fields(c.command)...)...)
		if r.Code != cli.ExitDone || r.Stdout != c.stdout || !strings.Contains(r.Stderr, "2 items passed over: the payload cannot be read") {
			t.Errorf("items %s: exit code %d, %q, %q, want %q and two items passed over", c.command, r.Code, r.Stdout, r.Stderr, c.stdout)
		}
	}
}

// A search stops after 100,000 items. What it found is printed, the exit code is 1, and --before
// continues it; a change continues by itself.
func TestItemsByPayloadBeyondTheBound(t *testing.T) {
	testgroup.Need(t, testgroup.Nightly) // the store's tests try the bound
	clitest.InProject(t)
	ordersQueue(t)
	clitest.ByHand(t, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001)
		INSERT INTO BotWorkQueueItems (IntegrationConfig, Payload) SELECT 'hello', '{"n":' || i || '}' FROM n`)
	const want = "looked at 100,000 items down to id 6; narrow the filter, or continue with --before 6"
	r := clitest.Do(t, "items", "list", "--payload", `n == 100001 or customer == "Ada"`, "-o", "json")
	r.WantFailure(t, cli.ExitFailed, want)
	if found := clitest.Decode[[]clitest.Listed](t, r.Stdout); len(found) != 1 || found[0].ID != 100005 {
		t.Errorf("printed %+v, want the item 100005", found)
	}
	if ids := listedIDs(t, "--payload", `customer == "Ada"`, "--before", "6"); !slices.Equal(ids, []int64{3, 1}) {
		t.Errorf("the rest has the items %d, want 3 and 1", ids)
	}
	r = clitest.Do(t, "items", "list", "--payload", `customer == "Ada"`, "--count")
	r.WantFailure(t, cli.ExitFailed, want)
	if r.Stdout != "0\n" {
		t.Errorf("counted %q, want 0", r.Stdout)
	}
	if out := clitest.Must(t, "items", "cancel", "--payload", `customer == "Ada"`); out != "2 items cancelled\n" {
		t.Errorf("a cancel printed %q", out)
	}
}

func TestItemsByPayloadRefusals(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "--payload", "len(name) > 3"}, "--payload: unknown function len at column 1; allowed are ==, !="},
		{[]string{"list", "--payload", " "}, "--payload: got an empty text"},
		{[]string{"cancel", "--payload", ""}, "--payload: got an empty text"},
		{[]string{"update", "--payload-where", "", "--priority", "5"}, "--payload-where: got an empty text"},
		{[]string{"update", "--payload-where", "name = 5", "--priority", "5"}, "--payload-where: unknown operator = at column 6; did you mean ==?"},
		{[]string{"list", "--payload", "a == 1", "--sort", "due"}, "got --sort and --payload, want one of them"},
		{[]string{"cancel", "3", "--payload", "a == 1"}, "got ids and a filter"},
		{[]string{"run", "--payload", "a == 1"}, "got a filter without --status"},
	} {
		clitest.Do(t, append([]string{"items"}, c.args...)...).WantFailure(t, cli.ExitUsage, c.want)
	}
}
