package enqueue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

// enqueued holds the fields of an enqueued item that the tests check.
type enqueued struct {
	clitest.Listed
	Existing   bool
	Lifecycle  string
	NaturalKey *string
	LimitKey   *string
	Tags       []string
	Metadata   map[string]string
	DeadlineAt *time.Time
	RetainMs   *int64
}

// defineQueues creates the queues of these tests.
func defineQueues(t *testing.T) {
	t.Helper()
	_, err := clitest.OpenQueue(t).DefineQueues(t.Context(), []workqueue.Queue{
		{Name: "orders", PriorityOffset: 100, QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue, DeletedKeysCount: true},
			QueueLife:    workqueue.QueueLife{Deletion: workqueue.DeletionLogical},
			QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type": ["object", "null"], "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}}`}},
		{Name: "robots", Consumer: workqueue.ConsumerRobots},
	}, "test")
	if err != nil {
		t.Fatal(err)
	}
}

func TestEnqueueFields(t *testing.T) {
	clitest.InProject(t)
	it := clitest.Decode[enqueued](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--key", "order 1", "--limit-key", "c-1", "--tag", "b", "--tag", "a,c", "--tag", "b",
		"--meta", "customer=Ada", "--meta", "note=x=y", "--deadline", "2090-01-31T13:45:00Z", "--retain", "0s", "-o", "json"))
	if *it.NaturalKey != "order 1" || *it.LimitKey != "c-1" || *it.RetainMs != 0 || !it.DeadlineAt.Equal(time.Date(2090, 1, 31, 13, 45, 0, 0, time.UTC)) || it.Existing {
		t.Errorf("enqueued %+v", it)
	}
	if diff := cmp.Diff([]string{"a,c", "b"}, it.Tags); diff != "" {
		t.Errorf("tags: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{"customer": "Ada", "note": "x=y"}, it.Metadata); diff != "" {
		t.Errorf("metadata: %s", diff)
	}
	it = clitest.Decode[enqueued](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--in", "1h", "--deadline-in", "90m", "--retain", "2h", "-o", "json"))
	if it.DeadlineAt.Sub(it.CreatedAt) != 90*time.Minute || it.AvailableAt.Sub(it.CreatedAt) != time.Hour || *it.RetainMs != 7_200_000 || it.NaturalKey != nil {
		t.Errorf("enqueued %+v, want it due after 1h, with a deadline after 90m, kept for 2h", it)
	}
	// By default, keys may repeat in a queue.
	if out := clitest.Must(t, "enqueue", "--pipeline", "hello", "--key", "order 1"); !strings.HasPrefix(out, "item 3: Pending") {
		t.Errorf("it printed %q", out)
	}
}

func TestEnqueueExisting(t *testing.T) {
	clitest.InProject(t)
	defineQueues(t)
	do := func(args ...string) string {
		return clitest.Must(t, append([]string{"enqueue", "--pipeline", "hello"}, args...)...)
	}
	const nobody = "expected to start: unknown: no worker is alive; hint: start one: botwork run\n"
	const there = "item %d already exists with the same %s: %s, priority %d, queue %s\n"

	do("--queue", "orders", "--key", "A")
	if got, want := do("--queue", "orders", "--key", "A", "--priority", "7"), fmt.Sprintf(there, 1, "key", "Pending", 1100, "orders")+nobody; got != want {
		t.Errorf("the same key: %q, want %q", got, want)
	}
	it := clitest.Decode[enqueued](t, do("--queue", "orders", "--key", "A", "-o", "json"))
	if it.ID != 1 || !it.Existing {
		t.Errorf("the same key: %+v, want item 1, existing", it)
	}
	if yaml := do("--queue", "orders", "--key", "B", "-o", "yaml"); !strings.Contains(yaml, "id: 2\n") || !strings.Contains(yaml, "existing: false\n") {
		t.Errorf("another key:\n%s", yaml)
	}
	// A deleted item that keeps its key is shown as well.
	clitest.Must(t, "items", "delete", "1")
	if got, want := do("--queue", "orders", "--key", "A"), fmt.Sprintf(there, 1, "key", "Deleted", 1100, "orders"); got != want {
		t.Errorf("the key of a deleted item: %q, want %q", got, want)
	}

	const content = "queue, pipeline and payload"
	do("--unique", "--payload", `{"name": "x"}`)
	if got, want := do("--unique", "--payload", `{ "name":"x" }`), fmt.Sprintf(there, 3, content, "Pending", 1000, "default")+nobody; got != want {
		t.Errorf("unique: %q, want %q", got, want)
	}
	do("--unique-for", "1h", "--payload", `{"name": "y"}`)
	clitest.Must(t, "items", "cancel", "3", "4")
	if got, want := do("--unique-for", "1h", "--payload", `{"name": "y"}`), fmt.Sprintf(there, 4, content, "Cancelled", 1000, "default"); got != want {
		t.Errorf("unique for an hour: %q, want %q", got, want)
	}
	if got := do("--unique", "--payload", `{"name": "x"}`); !strings.HasPrefix(got, "item 5: Pending") {
		t.Errorf("unique, when the first is finished: %q, want a new item", got)
	}
	if got, want := do("--queue", "orders", "--key", "C", "--count", "3"), "1 item enqueued: id 6; 2 already existed\n"+nobody; got != want {
		t.Errorf("three of one key: %q, want %q", got, want)
	}
	if got, want := do("--queue", "orders", "--key", "C", "--count", "1"), "no items enqueued; 1 already existed\n"; got != want {
		t.Errorf("one more of one key: %q, want %q", got, want)
	}
}

func TestEnqueueForRobots(t *testing.T) {
	clitest.InProject(t)
	defineQueues(t)
	it := clitest.Decode[enqueued](t, clitest.Must(t, "enqueue", "--queue", "robots", "--payload", `{"n": 1}`, "-o", "json"))
	if it.QueueName != "robots" || it.IntegrationConfig != "" {
		t.Errorf("enqueued %+v, want an item without a pipeline", it)
	}
	r := clitest.DoWith(t, `{"queue": "robots", "payload": 1}`+"\n"+`{"queue": "orders"}`+"\n"+`{"payload": 2}`, nil, "enqueue", "-")
	r.WantFailure(t, cli.ExitUsage, `stdin:2:1: pipeline: got none; items of the queue "orders" are run by workers and need one`, "stdin:3:1: ")
	if strings.Contains(r.Stderr, "stdin:1:") {
		t.Errorf("an item for robots needs no pipeline:\n%s", r.Stderr)
	}
	clitest.Do(t, "enqueue", "--queue", "default").WantFailure(t, cli.ExitUsage, `--pipeline: pipeline: got none; items of the queue "default"`)
}

func TestEnqueueRejectsWrongFlags(t *testing.T) {
	clitest.InProject(t)
	defineQueues(t)
	for line, want := range map[string][]string{
		"--key=":                                     {"--key: got an empty text"},
		"--retain=":                                  {"--retain: got an empty text"},
		"--estimated-duration 0s":                    {"--estimated-duration: got 0s, want more than 0s; leave it out if it is not known"},
		"--estimated-duration -5m":                   {"--estimated-duration: got -5m, want more than 0s"},
		"--estimated-duration=":                      {"--estimated-duration: got an empty text"},
		"--retain -1s":                               {"--retain: ", "no negative duration"},
		"--retain -7d":                               {`--retain: got "-7d", want no negative duration`},
		"--retain soon":                              {"--retain: "},
		"--deadline noon":                            {`--deadline: got "noon"`},
		"--deadline-in 5":                            {"--deadline-in: ", "with a unit"},
		"--deadline 2090-01-01 --deadline-in 1h":     {"got --deadline and --deadline-in"},
		"--deadline 2089-12-31 --at 2090-01-01":      {"--deadline: deadline: got 2089-12-31", "never start"},
		"--deadline-in 1h --in 2h":                   {"--deadline-in: deadline: got 1h from now; the item becomes due 2h", "never start"},
		"--unique --unique-for 1h":                   {"got --unique-for and --unique"},
		"--unique-for 0s":                            {`--unique-for: got "0s", want more than 0s`},
		"--unique-for 1us":                           {"--unique-for: ", "1ms or more"},
		"--unique --count 2":                         {"which would create only one item"},
		"--meta customer":                            {`--meta: got "customer", want KEY=VALUE`},
		"--tag= --meta a=1 --limit-key " + sign(201): {"--tag: tags: ", "--limit-key: limit key: got 201 characters"},
		"--key " + sign(401):                         {"--key: natural key: got 401 characters, want at most 400"},
		`--queue orders --payload {"n":"x"}`:         {`--payload: the payload does not match the schema of the queue "orders": payload.n: `},
		"--queue orders --priority 2147483600":       {"--priority: priority: 2147483600 with the queue's offset 100"},
		"--stdin --key k":                            {"--key and --count do not go with --stdin"},
	} {
		t.Run(fmt.Sprintf("%.40s", line), func(t *testing.T) {
			clitest.Do(t, append([]string{"enqueue", "--pipeline", "hello", "--no-check"}, strings.Fields(line)...)...).WantFailure(t, cli.ExitUsage, want...)
		})
	}
	if out := clitest.Must(t, "items", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("refused items are in the queue:\n%s", out)
	}
}

func sign(n int) string { return strings.Repeat("k", n) }
