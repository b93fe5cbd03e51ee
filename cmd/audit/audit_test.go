package audit_test

import (
	"os/user"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// entry is an entry of the log as JSON shows it.
type entry struct {
	ID                         int64
	Actor, Via, Host           string
	Action, TargetKind, Target string
	Filter                     map[string]any
	Changed                    int
	Before, After              map[string]any
	Reason                     string
	Items                      []struct {
		ItemID        int64
		Before, After map[string]any
	}
}

func list(t *testing.T, args ...string) []entry {
	t.Helper()
	return clitest.Decode[[]entry](t, clitest.Must(t, append([]string{"audit", "list", "-o", "json"}, args...)...))
}

func TestCommandsAreInTheLog(t *testing.T) {
	clitest.InProject(t)
	if out := clitest.Must(t, "audit", "list"); out != "no entries\n" {
		t.Errorf("a new project has the log\n%s", out)
	}
	clitest.BusyQueue(t) // 4 and 5 wait
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line           []string
		action, target string
		changed        int
		reason         string
	}{
		{[]string{"items", "update", "4", "--priority", "7", "--reason", "less urgent"}, "items.update", "4", 1, "less urgent"},
		{[]string{"items", "cancel", "4", "5", "--reason", "withdrawn"}, "items.cancel", "", 2, "withdrawn"},
		{[]string{"items", "repeat", "--status", "cancelled", "--reason", "a mistake"}, "items.repeat", "", 2, "a mistake"},
		{[]string{"items", "archive", "4"}, "items.archive", "4", 1, ""}, // the default text is not a reason of the user
		{[]string{"items", "clone", "4", "--reason", "again"}, "items.clone", "4", 1, "again"},
		{[]string{"items", "delete", "5", "--reason", "test"}, "items.delete", "5", 1, "test"},
		{[]string{"queues", "pause", "default", "--reason", "maintenance"}, "queues.pause", "default", 1, "maintenance"},
		{[]string{"queues", "resume", "default"}, "queues.resume", "default", 1, ""},
		{[]string{"pipelines", "pause", "ExecuteWorkQueue", "--reason", "upgrade"}, "pipelines.pause", "ExecuteWorkQueue", 1, "upgrade"},
		{[]string{"pipelines", "resume", "ExecuteWorkQueue", "--reason", "done"}, "pipelines.resume", "ExecuteWorkQueue", 1, "done"},
		{[]string{"workers", "drain", "worker-1", "--reason", "new disk"}, "workers.drain", "worker-1", 1, "new disk"},
		{[]string{"db", "restored"}, "db.restored", "", 1, ""},
	} {
		before := len(list(t))
		clitest.Must(t, c.line...)
		got := list(t)
		if len(got) != before+1 {
			t.Fatalf("botwork %s wrote %d entries, want one", strings.Join(c.line, " "), len(got)-before)
		}
		e := got[0]
		if e.Action != c.action || e.Target != c.target || e.Changed != c.changed || e.Reason != c.reason || e.Actor != who.Username || e.Via != "cli" || e.Host == "" {
			t.Errorf("botwork %s wrote %+v", strings.Join(c.line, " "), e)
		}
	}
	before := len(list(t))
	for _, line := range [][]string{
		{"items", "cancel", "4", "--reason", "it has ended already"}, {"items", "cancel", "999"}, {"queues", "delete", "default"},
	} {
		clitest.Do(t, line...).WantFailure(t, cli.ExitFailed)
	}
	clitest.Must(t, "queues", "resume", "default")
	clitest.Must(t, "items", "cancel", "--all", "--dry-run")
	if n := len(list(t)); n != before {
		t.Errorf("commands that changed nothing wrote %d entries", n-before)
	}
}

func TestAuditListAndShow(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.Must(t, "items", "update", "4", "5", "--priority", "7", "--reason", "less urgent")
	clitest.Must(t, "items", "cancel", "--status", "pending", "--reason", "withdrawn")
	clitest.Must(t, "queues", "pause", "default")
	for _, c := range []struct {
		args []string
		want string // actions
	}{
		{nil, "queues.pause items.cancel items.update"},
		{[]string{"--action", "items"}, "items.cancel items.update"},
		{[]string{"--action", "items.update"}, "items.update"},
		{[]string{"--target", "queue:default"}, "queues.pause"},
		{[]string{"--target", "item"}, "items.cancel items.update"},
		{[]string{"--target", "item:5"}, "items.update"},
		{[]string{"--item", "4"}, "items.cancel items.update"},
		{[]string{"--actor", "nobody"}, ""},
		{[]string{"--since", "1h"}, "queues.pause items.cancel items.update"},
		{[]string{"--until", "1h"}, ""},
		{[]string{"--limit", "1"}, "queues.pause"},
		{[]string{"--before", "3", "--limit", "1"}, "items.cancel"},
	} {
		var actions []string
		for _, e := range list(t, c.args...) {
			actions = append(actions, e.Action)
		}
		if got := strings.Join(actions, " "); got != c.want {
			t.Errorf("audit list %s: %q, want %q", strings.Join(c.args, " "), got, c.want)
		}
	}
	if out := clitest.Must(t, "audit", "list"); !strings.Contains(out, "2 items") || !strings.Contains(out, "withdrawn") || !strings.Contains(out, "queue default") {
		t.Errorf("the table is\n%s", out)
	}
	shown := clitest.Decode[entry](t, clitest.Must(t, "audit", "show", "1", "-o", "json"))
	if len(shown.Items) != 2 || shown.Items[0].ItemID != 4 || shown.Items[0].Before["priority"] != 1001.0 || shown.Items[1].After["priority"] != 7.0 {
		t.Errorf("the update is %+v", shown)
	}
	if out := clitest.Must(t, "audit", "show", "1", "--limit", "1"); !strings.Contains(out, `{"priority":1001}`) || !strings.Contains(out, "1 item more") {
		t.Errorf("the sheet is\n%s", out)
	}
	ofItem := clitest.Decode[struct{ Audit []entry }](t, clitest.Must(t, "items", "show", "4", "-o", "json")).Audit
	if len(ofItem) != 2 || ofItem[0].After["state"] != 3.0 || ofItem[1].After["priority"] != 7.0 {
		t.Errorf("items show has %+v, want its own values of both entries", ofItem)
	}
	if out := clitest.Must(t, "items", "show", "4"); !strings.Contains(out, "items.cancel") || !strings.Contains(out, "less urgent") {
		t.Errorf("items show prints\n%s", out)
	}
	clitest.Do(t, "audit", "show", "99").WantFailure(t, cli.ExitFailed, "audit entry 99", workqueue.ErrNotFound.Error())
}

func TestAuditShowsNoSecret(t *testing.T) {
	clitest.InProject(t)
	clitest.BusyQueue(t)
	clitest.Must(t, "items", "update", "4", "--payload", `"hunter22"`, "--no-check", "--reason", "as hunter22 said")
	for _, args := range [][]string{{"audit", "list"}, {"audit", "show", "1"}, {"audit", "show", "1", "-o", "json"}, {"items", "show", "5"}, {"audit", "list", "--item", "4", "-o", "yaml"}} {
		r := clitest.DoWith(t, "", []string{"BOTWORK_SECRET_MAIL=hunter22"}, args...)
		if r.Code != cli.ExitDone || strings.Contains(r.Stdout, "hunter22") {
			t.Errorf("botwork %s: exit code %d, it prints\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
		}
	}
}

// A worker that starts defines the queues and tasks of its settings, and its pipelines follow rules:
// neither is a change of the person who started it.
func TestAuditOfAWorker(t *testing.T) {
	clitest.InProject(t)
	settings := clitest.ReadFile(t, "botwork.yaml")
	clitest.WriteFile(t, "botwork.yaml", strings.Replace(settings, "\nqueues:\n", "\nqueues:\n  mail: {priorityOffset: 5}\n", 1))
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue", "--worker", "worker-7")
	found := list(t, "--target", "queue:mail")
	if len(found) != 1 || found[0].Action != "queues.define" || found[0].Via != "worker" || found[0].Actor != "worker-7" || found[0].After["priorityOffset"] != 5.0 {
		t.Errorf("the log has %+v, want that worker-7 defined the queue", found)
	}
	before := len(list(t))
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue", "--worker", "worker-7")
	if n := len(list(t)); n != before {
		t.Errorf("a second start wrote %d entries", n-before)
	}
}
