package items_test

import (
	"os"
	"strconv"
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

func TestItemsUpdateFinishBy(t *testing.T) {
	clitest.InProject(t)
	store := clitest.BusyQueue(t)
	ends := func() (deadline, finishBy *time.Time) {
		t.Helper()
		it, err := store.Item(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}
		return it.DeadlineAt, it.FinishBy
	}
	clitest.Must(t, "items", "update", "4", "--finish-by", "2040-01-02T03:04:05Z")
	want := time.Date(2040, 1, 2, 3, 4, 5, 0, time.UTC)
	if deadline, finishBy := ends(); finishBy == nil || !finishBy.Equal(want) || deadline == nil || !deadline.Equal(want) {
		t.Errorf("deadline %v and finish by %v, want both to be %v", deadline, finishBy, want)
	}
	if out := clitest.Must(t, "items", "update", "4", "--finish-in", "2h", "--dry-run"); out != "item 4: would be updated\n" {
		t.Errorf("dry run printed %q", out)
	}
	clitest.Must(t, "items", "update", "4", "--finish-in", "2h")
	if _, finishBy := ends(); finishBy == nil || time.Until(*finishBy) > 2*time.Hour || time.Until(*finishBy) < time.Hour {
		t.Errorf("finish by %v, want in 2h", finishBy)
	}
	for _, dry := range []string{"--dry-run", "--dry-run=false"} {
		clitest.Do(t, "items", "update", "4", "--in", "3h", dry).WantFailure(t, cli.ExitFailed,
			"item 4: refused: finish by: the item keeps ", "would never finish; hint: set a later finish by as well, or clear it")
		clitest.Do(t, "items", "update", "4", "--finish-by", "2020-01-01", dry).WantFailure(t, cli.ExitFailed, "finish by: got ", "which has passed")
		clitest.Do(t, "items", "update", "6", "--finish-in", "2h", dry).WantFailure(t, cli.ExitFailed, "while it runs, only")
		r := clitest.Do(t, "items", "update", "--status", "pending,scheduled", "--finish-in", "1h", dry)
		if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "item 5: refused: finish by: ") || !strings.Contains(r.Stdout, "1 item") {
			t.Errorf("exit code %d, %q, %q, want item 5, which is due later, refused", r.Code, r.Stdout, r.Stderr)
		}
	}
	clitest.Must(t, "items", "update", "4", "--clear", "finish-by")
	if deadline, finishBy := ends(); deadline != nil || finishBy != nil {
		t.Errorf("deadline %v and finish by %v, want none", deadline, finishBy)
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

// A new payload is compared with the pipeline of the item, as by enqueue.
func TestItemsUpdateChecksPayload(t *testing.T) {
	clitest.InProject(t)
	store := clitest.BusyQueue(t)
	const wrong = "--payload: the payload does not match the pipeline's input: payload: missing property 'name'"
	for _, dry := range []string{"--dry-run", "--dry-run=false"} {
		clitest.Do(t, "items", "update", "4", "--payload", `{"nmae": "x"}`, dry).WantFailure(t, cli.ExitFailed, "item 4: refused: "+wrong)
	}
	made, err := store.Enqueue(t.Context(), []workqueue.NewItem{
		{IntegrationConfig: "helo", Payload: `1`}, {IntegrationConfig: "steps: [{handler: Log, with: {message: hello}}]", Payload: `1`},
	})
	if err != nil {
		t.Fatal(err)
	}
	unknown, inline := made[0].ID, made[1].ID
	named := func(id int64) string { return strconv.FormatInt(id, 10) }
	clitest.Do(t, "items", "update", named(unknown), "--payload", `2`).
		WantFailure(t, cli.ExitFailed, `refused: pipeline: there is no pipeline "helo"`, `did you mean "hello"?; --no-check updates it anyway`)
	for dry, want := range map[string]string{"--dry-run": "would be updated", "--dry-run=false": "updated"} {
		r := clitest.Do(t, "items", "update", "--status", "scheduled,pending", "--payload", `{"nmae": "x"}`, dry)
		if r.Code != cli.ExitDone || !strings.HasPrefix(r.Stdout, "1 item "+want) || strings.Count(r.Stderr, wrong) != 2 || !strings.Contains(r.Stderr, "item 4: refused: ") ||
			!strings.Contains(r.Stderr, "item "+named(unknown)+": refused: pipeline: ") || !strings.Contains(r.Stdout, "3 items") {
			t.Errorf("%s: exit code %d, %q, %q, want 3 refused items and the inline one updated", dry, r.Code, r.Stdout, r.Stderr)
		}
	}
	clitest.Must(t, "items", "update", "4", named(unknown), named(inline), "--payload", `3`, "--no-check")
	if err := os.RemoveAll("pipelines"); err != nil {
		t.Fatal(err)
	}
	clitest.Must(t, "items", "update", "4", "--payload", `{"nmae": "x"}`) // like enqueue on a machine without the folder
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
		{"4 --finish-in 1h --finish-by 2030-01-01", "want one of them"},
		{"4 --finish-in 1h --clear finish-by", "want one of them"},
		{"4 --finish-by soon", "--finish-by"},
		{"4 --finish-in -1h", "--finish-in"},
		{"4 --finish-by=", "--finish-by: got an empty text"},
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
