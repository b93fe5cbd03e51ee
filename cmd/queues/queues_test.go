package queues_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

const someQueues = `worker: {name: bot-1}
queues:
  invoices:
    description: Invoices of our suppliers
    consumer: robots
    priorityOffset: 200
    ttl: 7d
    retain: 2h
    archive: {maxAge: 90d, limit: 10000}
    deletion: logical
    keys: {unique: queue, countDeleted: true}
    retry: {as: copy, limit: 3, retryOn: [error, business]}
    schemas: {payload: {file: schemas/invoice.json}}
    encrypted: true
    robots: {deletesOnlyOwn: true, rights: {robot-1: read-write, robot-2: read}}
    checkout: 5m
    limits: {concurrency: 4, rate: 10/1m, perKey: {concurrency: 1, rate: 2/1s}}
    distribution: {mode: best-worker, scoring: {rule: map, label: skill, scores: {expert: 10}}}
  mail:
`

// defineSome creates a project whose settings define two queues.
func defineSome(t *testing.T) {
	t.Helper()
	clitest.InProject(t)
	if err := os.Mkdir("schemas", 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.WriteFile(t, filepath.Join("schemas", "invoice.json"), `{"type": "object", "required": ["number"]}`)
	clitest.WriteFile(t, "botwork.yaml", someQueues)
}

func TestQueuesContract(t *testing.T) {
	defineSome(t)
	if out := clitest.Must(t, "queues", "define"); out != "queue invoices: defined\nqueue mail: defined\n" {
		t.Errorf("queues define: %q", out)
	}
	if out := clitest.Must(t, "queues", "define"); out != "nothing to do: the 2 queues in the database are up to date\n" {
		t.Errorf("queues define, again: %q", out)
	}
	clitest.Golden(t, "queues_list.json", clitest.Must(t, "queues", "list", "--output", "json"))
	clitest.Golden(t, "queues_show.yaml", clitest.Must(t, "queues", "show", "mail", "--output", "yaml"))
	clitest.Golden(t, "queues_list.txt", clitest.Must(t, "queues", "list"))
	clitest.Golden(t, "queues_show.txt", clitest.ShownInstants.ReplaceAllString(clitest.Must(t, "queues", "show", "invoices"), "YYYY-MM-DD hh:mm:ssZ"))
	if out := clitest.Must(t, "queues", "define", "-o", "json"); out != "[]\n" {
		t.Errorf("queues define -o json: %q, want an empty list", out)
	}
}

func TestQueuesDefineReportsAllErrorsFirst(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "queues:\n  good:\n  bad one: {ttl: -1s, limtis: {}}\n")
	for _, args := range [][]string{{"queues", "define"}, {"run"}, {"run", "--once"}} {
		clitest.Do(t, args...).WantFailure(t, cli.ExitUsage,
			`botwork.yaml:3:3: queues.bad one: got "bad one", want 1 to 200 Latin letters`,
			"botwork.yaml:3:18: queues.bad one.ttl: got -1s, want more than 0 [invalid-value]",
			`botwork.yaml:3:23: unknown key "limtis" in queues.bad one [unknown-key]; did you mean "limits"?`)
	}
	if out := clitest.Must(t, "queues", "list"); strings.Contains(out, "good") {
		t.Errorf("a queue was written although there are errors:\n%s", out)
	}
	clitest.WriteFile(t, "botwork.yaml", "")
	if out := clitest.Must(t, "queues", "define"); !strings.Contains(out, "the settings define no queues") {
		t.Errorf("queues define without any: %q", out)
	}
}

// A worker that starts defines the queues of its settings, leaves a paused one
// paused, and writes nothing when nothing differs.
func TestRunDefinesQueues(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "worker: {name: bot-1}\nqueues: {mail: {limits: {concurrency: 3}}}\n")
	show := func() workqueue.Queue {
		t.Helper()
		return clitest.Decode[workqueue.Queue](t, clitest.Must(t, "queues", "show", "mail", "-o", "json"))
	}
	clitest.Must(t, "run", "--once")
	first := show()
	if first.Revision != 1 || first.Concurrency != 3 || deref(first.DefinedBy) != "bot-1" {
		t.Errorf("the queue is %+v, want revision 1 by bot-1", first)
	}
	clitest.Must(t, "run", "--once")
	if again := show(); again.Revision != 1 {
		t.Errorf("revision %d after a start without a change, want 1", again.Revision)
	}
	clitest.Must(t, "queues", "pause", "mail")
	clitest.WriteFile(t, "botwork.yaml", "worker: {name: bot-2}\nqueues: {mail: {limits: {concurrency: 4}}}\n")
	r := clitest.Do(t, "run", "--once")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "updated queues from botwork.yaml") {
		t.Errorf("run --once: exit code %d\n%s", r.Code, r.Stderr)
	}
	if got := show(); got.Revision != 3 || got.Concurrency != 4 || !got.Paused || deref(got.DefinedBy) != "bot-2" {
		t.Errorf("the queue is %+v, want revision 3 by bot-2, and paused", got)
	}
	clitest.WriteFile(t, "botwork.yaml", "queues: {mail: {encrypted: true}}\n")
	if r := clitest.Do(t, "run", "--once"); !strings.Contains(r.Stderr, "encrypted queue, but no keyset is configured") {
		t.Errorf("no warning about the missing keys:\n%s", r.Stderr)
	}
}

func deref(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func TestQueuesPauseAndResume(t *testing.T) {
	defineSome(t)
	clitest.Must(t, "queues", "define")
	if out := clitest.Must(t, "queues", "pause", "mail", "invoices"); out != "queue mail: paused\nqueue invoices: paused\n" {
		t.Errorf("queues pause: %q", out)
	}
	if out := clitest.Must(t, "queues", "pause", "mail"); out != "queue mail: paused already\n" {
		t.Errorf("queues pause, again: %q", out)
	}
	if out := clitest.Must(t, "queues", "list"); strings.Count(out, "  paused  ") != 2 {
		t.Errorf("the list does not show two paused queues:\n%s", out)
	}
	r := clitest.Do(t, "queues", "resume", "mial", "mail")
	r.WantFailure(t, cli.ExitFailed, `resume queue "mial": not found; did you mean "mail"?`)
	if r.Stdout != "queue mail: running\n" {
		t.Errorf("queues resume of the existing one: %q", r.Stdout)
	}
	clitest.Do(t, "queues", "show", "elsewhere").WantFailure(t, cli.ExitFailed, `queue "elsewhere": not found; existing queues: default, invoices, mail`)
	clitest.Do(t, "queues", "pause").WantFailure(t, cli.ExitUsage, "want one or more: the queues' names")
}

func TestQueuesDelete(t *testing.T) {
	defineSome(t)
	clitest.Must(t, "queues", "define")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--queue", "mail", "--payload", `{"name": "Ada"}`)
	r := clitest.Do(t, "queues", "delete", "mail", "default", "invoices")
	r.WantFailure(t, cli.ExitFailed,
		`delete queue "mail": it has 1 item(s), finished and deleted ones included; delete them first`,
		"the queue default is never deleted")
	if want := "queue invoices: deleted, until `botwork queues define`; botwork.yaml still defines it\n"; r.Stdout != want {
		t.Errorf("queues delete: %q, want %q", r.Stdout, want)
	}
	clitest.Must(t, "queues", "create", "extra")
	if out := clitest.Must(t, "queues", "delete", "extra"); out != "queue extra: deleted\n" {
		t.Errorf("queues delete of a queue that no file defines: %q", out)
	}
	store := clitest.OpenQueue(t)
	if _, err := store.DefineTasks(t.Context(), []workqueue.TaskRow{{Name: "nightly", Active: true, QueueName: "extra", Pipeline: "hello", Definition: "x"}}, "test"); err != nil {
		t.Fatal(err)
	}
	clitest.Must(t, "queues", "create", "extra")
	if out := clitest.Must(t, "queues", "delete", "extra"); !strings.Contains(out, "it has active tasks, which can no longer create items: nightly") {
		t.Errorf("queues delete of a queue with a task: %q", out)
	}
	clitest.WriteFile(t, "botwork.yaml", someQueues+"  extra:\n")
	clitest.Must(t, "queues", "create", "extra")
	if out := clitest.Must(t, "queues", "delete", "extra"); !strings.Contains(out, "botwork.yaml defines it: a worker that starts creates it") {
		t.Errorf("queues delete of a queue that only the file defines: %q", out)
	}
}

// A deletion overrides the file like a change: a worker that starts leaves the queue deleted.
func TestQueuesDeleteOverridesTheFile(t *testing.T) {
	defineSome(t)
	clitest.Must(t, "run", "--once")
	clitest.Must(t, "queues", "delete", "mail")
	r := clitest.Do(t, "run", "--once")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "changed or deleted by a command") || !strings.Contains(r.Stderr, "mail") {
		t.Errorf("run --once: exit code %d, want a warning about mail\n%s", r.Code, r.Stderr)
	}
	clitest.Do(t, "queues", "show", "mail").WantFailure(t, cli.ExitFailed, "not found")
	if out := clitest.Must(t, "queues", "list"); !strings.Contains(out, "\nqueue mail: deleted by ") || !strings.Contains(out, "until `botwork queues define`") {
		t.Errorf("queues list does not show the deleted queue:\n%s", out)
	}
	for _, output := range []string{"json", "table"} {
		if out := clitest.Must(t, "queues", "list", "--deleted", "-o", output); !strings.Contains(out, "mail") || strings.Contains(out, "invoices") {
			t.Errorf("queues list --deleted:\n%s", out)
		}
	}
	if out := clitest.Must(t, "queues", "define"); out != "queue mail: defined\n" {
		t.Errorf("queues define: %q", out)
	}
	if out := clitest.Must(t, "queues", "list", "--deleted", "-o", "json"); out != "[]\n" {
		t.Errorf("queues list --deleted: %q, want an empty list", out)
	}
}

// A change of the consumer ends or strands the items that wait, so a person confirms it.
func TestStrandedItemsNeedYes(t *testing.T) {
	clitest.InProject(t)
	const workersFile, robotsFile = "worker: {name: bot-1}\nqueues: {mail: {consumer: workers}}\n", "worker: {name: bot-1}\nqueues: {mail: {consumer: robots}}\n"
	clitest.WriteFile(t, "botwork.yaml", robotsFile)
	clitest.Must(t, "queues", "define")
	clitest.Must(t, "queues", "set", "mail", "consumer=workers") // nothing waits
	clitest.Must(t, "queues", "define")
	clitest.Must(t, "enqueue", "--queue", "mail", "--count", "2")
	consumer := func(want workqueue.Consumer) {
		t.Helper()
		if got := clitest.Decode[workqueue.Queue](t, clitest.Must(t, "queues", "show", "mail", "-o", "json")); got.Consumer != want {
			t.Errorf("the consumer is %s, want %s", got.Consumer, want)
		}
	}
	const refused = `queue "mail" has 2 waiting items, and with this change robots can no longer take them: workers run them, and those without a pipeline fail at once; this needs --yes`

	clitest.Do(t, "queues", "set", "mail", "consumer=workers").WantFailure(t, cli.ExitUsage, refused)
	clitest.Do(t, "queues", "set", "mail", "robots={rights: {ann: write}}").WantFailure(t, cli.ExitUsage, "no robot may take them any longer; this needs --yes")
	clitest.WriteFile(t, "botwork.yaml", workersFile)
	clitest.Do(t, "queues", "define").WantFailure(t, cli.ExitUsage, refused)
	r := clitest.Do(t, "run", "--once")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "was not updated, because items wait in it that the change would strand") || !strings.Contains(r.Stderr, "botwork queues define --yes") {
		t.Errorf("run --once: exit code %d\n%s", r.Code, r.Stderr)
	}
	consumer(workqueue.ConsumerRobots)
	clitest.Must(t, "queues", "define", "--yes")
	consumer(workqueue.ConsumerWorkers)
	clitest.Do(t, "queues", "set", "mail", "consumer=robots").WantFailure(t, cli.ExitUsage, "workers no longer run them: they wait until robots take them; this needs --yes")
	clitest.Must(t, "queues", "set", "mail", "consumer=robots", "--yes")
	consumer(workqueue.ConsumerRobots)

	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET AvailableAt = '2001-01-01 00:00:00.000', CreatedAt = '2001-01-01 00:00:00.000'`)
	const rules = "escalation=[{name: old, after: 10m, cancel: true}, {name: late, after: 5m, raise: {by: 1}}]"
	clitest.Do(t, "queues", "set", "mail", rules).WantFailure(t, cli.ExitUsage, `queue "mail" has 2 waiting items, and with this change the rule "old" cancels them at the next pass; this needs --yes`)
	clitest.Must(t, "queues", "set", "mail", rules, "--yes")
	clitest.Must(t, "queues", "set", "mail", rules, "ttl=7d") // the rule is not new
}
