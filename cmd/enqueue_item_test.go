package cmd

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

// enqueued is what the tests read of what enqueue prints.
type enqueued struct {
	listed
	Existing   bool
	Lifecycle  string
	NaturalKey *string
	LimitKey   *string
	Tags       []string
	Metadata   map[string]string
	DeadlineAt *time.Time
	RetainMs   *int64
}

// defineQueues makes the queues of these tests.
func defineQueues(t *testing.T) {
	t.Helper()
	_, err := openQueue(t).DefineQueues(t.Context(), []workqueue.Queue{
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
	inProject(t)
	it := decode[enqueued](t, mustDo(t, "enqueue", "--pipeline", "hello", "--key", "order 1", "--limit-key", "c-1", "--tag", "b", "--tag", "a,c", "--tag", "b",
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
	it = decode[enqueued](t, mustDo(t, "enqueue", "--pipeline", "hello", "--in", "1h", "--deadline-in", "90m", "--retain", "2h", "-o", "json"))
	if it.DeadlineAt.Sub(it.CreatedAt) != 90*time.Minute || it.AvailableAt.Sub(it.CreatedAt) != time.Hour || *it.RetainMs != 7_200_000 || it.NaturalKey != nil {
		t.Errorf("enqueued %+v, want it due after 1h, given up after 90m, kept for 2h", it)
	}
	// Keys may repeat in a queue that does not say otherwise.
	if out := mustDo(t, "enqueue", "--pipeline", "hello", "--key", "order 1"); !strings.HasPrefix(out, "item 3: Pending") {
		t.Errorf("it said %q", out)
	}
}

func TestEnqueueExisting(t *testing.T) {
	inProject(t)
	defineQueues(t)
	do := func(args ...string) string {
		return mustDo(t, append([]string{"enqueue", "--pipeline", "hello"}, args...)...)
	}
	const there = "item %d was there already, with the same %s: %s, priority %d, queue %s\n"

	do("--queue", "orders", "--key", "A")
	if got, want := do("--queue", "orders", "--key", "A", "--priority", "7"), fmt.Sprintf(there, 1, "key", "pending", 1100, "orders"); got != want {
		t.Errorf("the same key: %q, want %q", got, want)
	}
	it := decode[enqueued](t, do("--queue", "orders", "--key", "A", "-o", "json"))
	if it.ID != 1 || !it.Existing {
		t.Errorf("the same key: %+v, want item 1, existing", it)
	}
	if yaml := do("--queue", "orders", "--key", "B", "-o", "yaml"); !strings.Contains(yaml, "id: 2\n") || !strings.Contains(yaml, "existing: false\n") {
		t.Errorf("another key:\n%s", yaml)
	}
	// A deleted item that keeps its key is shown as well.
	mustDo(t, "items", "delete", "1")
	if got, want := do("--queue", "orders", "--key", "A"), fmt.Sprintf(there, 1, "key", "deleted", 1100, "orders"); got != want {
		t.Errorf("the key of a deleted item: %q, want %q", got, want)
	}

	const content = "queue, pipeline and payload"
	do("--unique", "--payload", `{"name": "x"}`)
	if got, want := do("--unique", "--payload", `{ "name":"x" }`), fmt.Sprintf(there, 3, content, "pending", 1000, "default"); got != want {
		t.Errorf("unique: %q, want %q", got, want)
	}
	do("--unique-for", "1h", "--payload", `{"name": "y"}`)
	mustDo(t, "items", "cancel", "3", "4")
	if got, want := do("--unique-for", "1h", "--payload", `{"name": "y"}`), fmt.Sprintf(there, 4, content, "archived", 1000, "default"); got != want {
		t.Errorf("unique for an hour: %q, want %q", got, want)
	}
	if got := do("--unique", "--payload", `{"name": "x"}`); !strings.HasPrefix(got, "item 5: Pending") {
		t.Errorf("unique, when the first is finished: %q, want a new item", got)
	}
	if got, want := do("--queue", "orders", "--key", "C", "--count", "3"), "1 item enqueued: id 6; 2 were there already\n"; got != want {
		t.Errorf("three of one key: %q, want %q", got, want)
	}
	if got, want := do("--queue", "orders", "--key", "C", "--count", "1"), "no items enqueued; 1 was there already\n"; got != want {
		t.Errorf("one more of one key: %q, want %q", got, want)
	}
}

func TestEnqueueForRobots(t *testing.T) {
	inProject(t)
	defineQueues(t)
	it := decode[enqueued](t, mustDo(t, "enqueue", "--queue", "robots", "--payload", `{"n": 1}`, "-o", "json"))
	if it.QueueName != "robots" || it.IntegrationConfig != "" {
		t.Errorf("enqueued %+v, want an item without a pipeline", it)
	}
	r := botworkWith(t, `{"queue": "robots", "payload": 1}`+"\n"+`{"queue": "orders"}`+"\n"+`{"payload": 2}`, nil, "enqueue", "-")
	r.wantFailure(t, exitUsage, `stdin:2:1: pipeline: got none; items of the queue "orders" are run by workers and need one`, "stdin:3:1: ")
	if strings.Contains(r.stderr, "stdin:1:") {
		t.Errorf("an item for robots needs no pipeline:\n%s", r.stderr)
	}
	botwork(t, "enqueue", "--queue", "default").wantFailure(t, exitUsage, `--pipeline: pipeline: got none; items of the queue "default"`)
}

func TestEnqueueFlagsThatAreWrong(t *testing.T) {
	inProject(t)
	defineQueues(t)
	for line, want := range map[string][]string{
		"--key=":                                     {"--key: got an empty text"},
		"--retain=":                                  {"--retain: got an empty text"},
		"--retain -1s":                               {"--retain: ", "no negative duration"},
		"--retain soon":                              {"--retain: "},
		"--deadline noon":                            {`--deadline: got "noon"`},
		"--deadline-in 5":                            {"--deadline-in: ", "with a unit"},
		"--deadline 2090-01-01 --deadline-in 1h":     {"got --deadline and --deadline-in"},
		"--deadline 2089-12-31 --at 2090-01-01":      {"--deadline: deadline: got 2089-12-31", "never start"},
		"--deadline-in 1h --in 2h":                   {"--deadline-in: deadline: got 1h0m0s", "never start"},
		"--unique --unique-for 1h":                   {"got --unique and --unique-for"},
		"--unique-for 0s":                            {`--unique-for: got "0s", want more than 0s`},
		"--unique-for 1us":                           {"--unique-for: ", "1ms or more"},
		"--unique --count 2":                         {"--unique and --unique-for would make one item"},
		"--meta customer":                            {`--meta: got "customer", want KEY=VALUE`},
		"--tag= --meta a=1 --limit-key " + sign(201): {"--tag: tags: ", "--limit-key: limit key: got 201 signs"},
		"--key " + sign(401):                         {"--key: natural key: got 401 signs, want at most 400"},
		`--queue orders --payload {"n":"x"}`:         {`--payload: the payload does not fit the schema of the queue "orders": payload.n: `},
		"--queue orders --priority 2147483600":       {"--priority: priority: 2147483600 with the queue's offset 100"},
		"--stdin --key k":                            {"--key and --count do not go with --stdin"},
	} {
		t.Run(fmt.Sprintf("%.40s", line), func(t *testing.T) {
			botwork(t, append([]string{"enqueue", "--pipeline", "hello", "--no-check"}, strings.Fields(line)...)...).wantFailure(t, exitUsage, want...)
		})
	}
	if out := mustDo(t, "items", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("refused items are in the queue:\n%s", out)
	}
}

func sign(n int) string { return strings.Repeat("k", n) }

func TestEnqueueLinesWithFields(t *testing.T) {
	inProject(t)
	defineQueues(t)
	lines := strings.Join([]string{
		`{"key": "A", "tags": ["x"], "metadata": {"a": "1"}, "limitKey": "c", "deadlineIn": "1h", "retain": "0s"}`,
		`{"key": "A", "priority": 1}`,
		`{"key": "B", "deadline": "2090-01-01T00:00:00Z", "tags": [], "metadata": null, "unique": false}`,
		`{"payload": {"name": "u"}, "unique": true, "retain": null}`,
		`{"payload": {"name": "u"}, "unique": true}`,
		`{"payload": {"name": "v"}, "unique": "1h"}`,
	}, "\n")
	args := []string{"enqueue", "-", "--pipeline", "hello", "--queue", "orders", "--tag", "flag", "--meta", "f=g", "--retain", "1h", "--deadline-in", "2h", "--unique-for", "3h"}
	r := botworkWith(t, lines, nil, append(args, "-o", "json")...)
	if r.code != exitDone {
		t.Fatal(r.stderr)
	}
	items := decode[[]enqueued](t, r.stdout)
	if len(items) != 4 {
		t.Fatalf("got %d items, want four:\n%s", len(items), r.stdout)
	}
	byWhat := map[string]enqueued{}
	for _, it := range items {
		what := fmt.Sprint(it.Payload)
		if it.NaturalKey != nil {
			what = *it.NaturalKey
		}
		byWhat[what] = it
		if it.Existing {
			t.Errorf("%s was there already, want it new", what)
		}
	}
	a, b, u := byWhat["A"], byWhat["B"], byWhat["map[name:u]"]
	if a.Priority != 1100 || a.DeadlineAt.Sub(a.CreatedAt) != time.Hour || *a.RetainMs != 0 || *a.LimitKey != "c" ||
		!cmp.Equal(a.Tags, []string{"x"}) || !cmp.Equal(a.Metadata, map[string]string{"a": "1"}) {
		t.Errorf("A = %+v, want what its first line says", a)
	}
	if !b.DeadlineAt.Equal(time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)) || b.Tags != nil || !cmp.Equal(b.Metadata, map[string]string{"f": "g"}) || *b.RetainMs != 3_600_000 {
		t.Errorf("B = %+v, want its deadline, no tags, the flags' metadata", b)
	}
	if !cmp.Equal(u.Tags, []string{"flag"}) || u.DeadlineAt.Sub(u.CreatedAt) != 2*time.Hour {
		t.Errorf("the unique one = %+v, want what the flags say", u)
	}

	// Once more: nothing is new. B is not unique by its payload, but by its key.
	for range 2 {
		r = botworkWith(t, lines, nil, args...)
		if want := "no items enqueued; 6 were there already\n"; r.code != exitDone || r.stdout != want {
			t.Errorf("once more: exit code %d, %q, want %q", r.code, r.stdout, want)
		}
	}
	// What was there already may be far from what is new.
	mustDo(t, "enqueue", "--pipeline", "hello", "--count", "2500")
	r = botworkWith(t, `{"key": "Z", "unique": false}`+"\n"+lines, nil, append(args, "-o", "json")...)
	items = decode[[]enqueued](t, r.stdout)
	if len(items) != 5 || items[0].ID != 1 || !items[3].Existing || *items[4].NaturalKey != "Z" || items[4].Existing {
		t.Errorf("one new among six that were there: %s", r.stdout)
	}
}

// The places of all faults come at once, whether a line, its pipeline or its
// queue is at fault.
func TestEnqueueLinesTellsFieldsThatAreWrong(t *testing.T) {
	inProject(t)
	defineQueues(t)
	lines := strings.Join([]string{
		`{"key": "` + sign(401) + `", "limitKey": "` + sign(201) + `", "tags": ["", "` + sign(201) + `"], "metadata": {"": "x"}}`,
		`{"key": 1, "tags": "x", "metadata": ["x"], "unique": 1, "retain": 5, "deadline": true}`,
		`{"key": "", "retain": "", "unique": "", "limitKey": "", "deadlineIn": "", "deadline": ""}`,
		`{"tags": [null], "metadata": {"a": null}, "unique": "soon", "retain": "-1s"}`,
		`{"deadline": "2090-01-01T00:00:00Z", "deadlineIn": "1h"}`,
		`{"in": "2h", "deadlineIn": "1h"}`,
		`{"at": "2090-01-02T00:00:00Z", "deadline": "2090-01-01T00:00:00Z"}`,
		`{"queue": "orders", "payload": {"n": "x", "name": 1}}`,
		`{"queue": "order", "key": "` + sign(401) + `"}`,
		`{"naturalKey": "x", "limit_key": "y"}`,
		`{"queue": "orders", "priority": 2147483647}`,
	}, "\n")
	r := botworkWith(t, lines, nil, "enqueue", "--stdin", "--pipeline", "hello")
	r.wantFailure(t, exitUsage)
	golden(t, "enqueue_fields.txt", r.stderr)
	if out := mustDo(t, "items", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("a refused input wrote items:\n%s", out)
	}
	r = botworkWith(t, strings.Repeat(`{"queue": "nowhere"}`+"\n", 5000), nil, "enqueue", "-", "--pipeline", "hello")
	r.wantFailure(t, exitUsage, "stdin:100:11: ", "were not checked [too-many]")
	if n := strings.Count(r.stderr, "\n"); n > 110 {
		t.Errorf("it said %d lines, want about a hundred", n)
	}
}
