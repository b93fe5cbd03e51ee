package items_test

import (
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestItemsUpdate(t *testing.T) {
	clitest.InProject(t)
	store := clitest.BusyQueue(t)
	item := func(id int64) workqueue.Item {
		t.Helper()
		it, err := store.Item(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	clitest.WriteFile(t, "order.json", `{"name": "Ada"}`)
	out := clitest.Must(t, "items", "update", "4", "5", "--priority", "1500", "--in", "10m", "--tag", "+urgent", "--tag", "new", "--meta", "customer=Ada",
		"--payload-file", "order.json", "--estimated-duration", "2m", "--resilience", `{"limit":5}`, "--limit-key", "k", "--label", "tier=2", "--selector", "ram >= 32")
	if out != "item 4: updated\nitem 5: updated\n" {
		t.Errorf("update printed %q", out)
	}
	it := item(4)
	if it.Priority != 1500 || it.Tags != `["new","urgent"]` || it.Metadata != `{"customer":"Ada"}` || it.Payload != `{"name": "Ada"}` || *it.EstimatedDurationMs != 120_000 ||
		it.ResilienceConfig != `{"limit":5}` || *it.LimitKey != "k" || !strings.Contains(string(it.Labels), "tier") || !strings.Contains(string(it.Selectors), "ram") ||
		it.AvailableAt.Before(time.Now().Add(9*time.Minute)) {
		t.Errorf("item 4 = %+v, want all new values", it)
	}
	clitest.Must(t, "items", "update", "4", "--tag", "-new", "--meta", "-customer", "--label", "-tier", "--in", "0s",
		"--clear", "estimated-duration,resilience", "--clear", "limit-key,selector,payload")
	if it = item(4); it.Tags != `["urgent"]` || it.Metadata != "" || it.Payload != "" || it.EstimatedDurationMs != nil || it.ResilienceConfig != "" ||
		it.LimitKey != nil || it.Labels != "" || it.Selectors != "" || it.Priority != 1500 {
		t.Errorf("item 4 = %+v, want the values removed and the priority kept", it)
	}
}

func TestItemsUpdateMany(t *testing.T) {
	clitest.InProject(t)
	store := clitest.BusyQueue(t)
	if out := clitest.Must(t, "items", "update", "--pipeline", "hello", "--tag", "+batch", "--dry-run"); !strings.Contains(out, "would be updated") {
		t.Errorf("dry run printed %q", out)
	}
	clitest.Must(t, "items", "update", "--pipeline", "hello", "--tag", "+batch", "--priority", "7")
	all, err := store.Items(t.Context(), workqueue.ItemFilter{Pipeline: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	tagged := 0
	for _, it := range all {
		finished := it.State == workqueue.Processed || it.State == workqueue.Cancelled
		if has := it.Tags == `["batch"]`; has == finished || has != (it.Priority == 7) {
			t.Errorf("item %d, %s, has the tags %s and the priority %d", it.ID, it.State, it.Tags, it.Priority)
		} else if has {
			tagged++
		}
	}
	if tagged == 0 {
		t.Error("no item was updated")
	}
	if out := clitest.Must(t, "items", "update", "--tag", "batch", "--tag", "-batch"); !strings.HasSuffix(out, "updated\n") {
		t.Errorf("removing the tag of the filter printed %q", out)
	}
}

func TestItemsUpdateRefusals(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.Must(t, "items", "update", "4", "--priority", "9", "--if-version", "1")
	clitest.Do(t, "items", "update", "4", "--priority", "8", "--if-version", "1").
		WantFailure(t, cli.ExitFailed, "item 4 was changed in the meantime: it has version 2, want 1")
	clitest.Do(t, "items", "update", "1", "--priority", "8").WantFailure(t, cli.ExitFailed, "it has already finished")
	clitest.Do(t, "items", "update", "6", "--in", "1h").WantFailure(t, cli.ExitFailed, "only tags, metadata and the priority")
	clitest.Do(t, "items", "update", "4", "--deadline", "2020-01-01").WantFailure(t, cli.ExitFailed, "which has passed")
	clitest.Do(t, "items", "update", "4", "--to-queue", "nowhere").WantFailure(t, cli.ExitFailed, `queue "nowhere" does not exist`, "default")
	for _, c := range []struct{ flags, want string }{
		{"4", "got nothing to change"},
		{"4 --clear priority", "--clear"},
		{"4 --deadline-in 1h --clear deadline", "want one of them"},
		{"4 --in 1h --at 2030-01-01", "want one of them"},
		{"4 5 --if-version 1 --priority 3", "want one"},
		{"4 --resilience 7", "--resilience"},
		{"4 --label nothing", "want KEY=VALUE"},
		{"4 --tag +a --tag -a", "both to add and to remove"},
		{"--all --priority 3", "needs --yes"},
		{"--priority 3", "got no ids and no filter"},
		{"--tag +a", "got no ids and no filter"},
	} {
		clitest.Do(t, append([]string{"items", "update"}, strings.Fields(c.flags)...)...).WantFailure(t, cli.ExitUsage, c.want)
	}
}
