package enqueue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

// ruled are the fields of an item's own policy and times.
type ruled struct {
	enqueued
	ResilienceConfig map[string]any
	FinishBy         *time.Time
}

func TestEnqueuePolicies(t *testing.T) {
	clitest.InProject(t)
	it := clitest.Decode[ruled](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--attempts", "5", "--timeout", "2m", "--backoff", "10s",
		"--finish-by", "2090-01-31T18:00:00Z", "-o", "json"))
	if got, want := fmt.Sprint(it.ResilienceConfig), "map[delay:10s limit:5 timeout:2m0s]"; got != want {
		t.Errorf("the policy is %s, want %s", got, want)
	}
	end := time.Date(2090, 1, 31, 18, 0, 0, 0, time.UTC)
	if it.FinishBy == nil || !it.FinishBy.Equal(end) || !it.DeadlineAt.Equal(end) {
		t.Errorf("it must finish by %v and start by %v, want both %s", it.FinishBy, it.DeadlineAt, end)
	}
	if out := clitest.Must(t, "items", "show", "1", "--utc"); !strings.Contains(out, "finish by") || !strings.Contains(out, "2090-01-31 18:00:00") {
		t.Errorf("items show:\n%s", out)
	}
	if out := clitest.Must(t, "items", "why", "1", "--utc"); !strings.Contains(out, "must finish by") || !strings.Contains(out, "2090-01-31 18:00:00") {
		t.Errorf("items why:\n%s", out)
	}
	it = clitest.Decode[ruled](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--resilience", `{"limit": 2, "retryOn": ["business"]}`, "--finish-in", "1h", "-o", "json"))
	if got, want := fmt.Sprint(it.ResilienceConfig), "map[limit:2 retryOn:[business]]"; got != want || it.FinishBy.Sub(it.CreatedAt) != time.Hour {
		t.Errorf("the policy is %s, want %s; it must finish by %s", got, want, it.FinishBy)
	}
}

// The values of a line go before those of the flags, each by itself; resilience replaces all.
func TestEnqueueLinesWithPolicies(t *testing.T) {
	clitest.InProject(t)
	lines := `{"attempts": 2}
{"resilience": {"factor": 1}, "finishIn": "2h"}
{"timeout": "1s", "backoff": "2s", "unique": "done"}
{"timeout": "1s", "backoff": "2s", "unique": "done"}
`
	r := clitest.DoWith(t, lines, nil, "enqueue", "-", "--pipeline", "hello", "--attempts", "7", "--timeout", "1m", "--finish-in", "3h", "-o", "json")
	if r.Code != cli.ExitDone {
		t.Fatal(r.Stderr)
	}
	var got []string
	for _, it := range clitest.Decode[[]ruled](t, r.Stdout) {
		got = append(got, fmt.Sprint(it.ResilienceConfig, it.FinishBy.Sub(it.CreatedAt)))
	}
	want := []string{"map[limit:2 timeout:1m0s] 3h0m0s", "map[factor:1] 2h0m0s", "map[delay:2s limit:7 timeout:1s] 3h0m0s"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("enqueued %q, want %q", got, want)
	}
}

func TestEnqueueRejectsPolicies(t *testing.T) {
	clitest.InProject(t)
	for _, c := range []struct {
		flags string
		want  string
	}{
		{"--attempts 0", "--attempts: got 0, want 1 or more"},
		{"--timeout 0s", "--timeout: got \"0s\", want more than 0s"},
		{"--backoff -1s", "--backoff: got \"-1s\", want more than 0s"},
		{"--backoff=", "--backoff: got an empty text"},
		{"--attempts 2 --resilience {\"limit\":3}", "got --resilience with --attempts"},
		{"--resilience {\"limits\":3}", `unknown field "limits"`},
		{"--resilience {", "--resilience:"},
		{"--unique-until tomorrow", "--unique-until: got \"tomorrow\", want done; hint: --unique-for"},
		{"--unique-until done --unique-for 1h", "got --unique-for and --unique or --unique-until"},
		{"--conflict ignore", "--conflict: got \"ignore\", want existing"},
		{"--finish-by 2090-01-01T00:00:00Z --finish-in 1h", "got --finish-by and --finish-in"},
		{"--finish-by 2001-01-01T00:00:00Z", "--finish-by: finish by: got 2001-01-01T00:00:00.000Z, which has passed: the database's clock shows "},
		{"--deadline 2001-01-01T00:00:00Z", "--deadline: deadline: got 2001-01-01T00:00:00.000Z, which has passed: the database's clock shows "},
		{"--in 3h --finish-in 2h", "would never finish"},
		{"--at 2090-01-01T00:00:00Z --deadline-in 2h", "would never start"},
	} {
		t.Run(c.flags, func(t *testing.T) {
			r := clitest.Do(t, append([]string{"enqueue", "--pipeline", "hello"}, strings.Fields(c.flags)...)...)
			r.WantFailure(t, cli.ExitUsage, c.want)
		})
	}
	r := clitest.DoWith(t, `{"attempts": 0}
{"attempts": 2, "resilience": {"limit": 3}}
{"deadline": "2001-01-01T00:00:00Z"}
{"at": "2090-01-01T00:00:00Z", "finishIn": "1h"}
{"conflict": "maybe"}
{"resilience": {"limit": 0}}
`, nil, "enqueue", "-", "--pipeline", "hello")
	r.WantFailure(t, cli.ExitUsage, "stdin:1:14: attempts: got 0", "stdin:2:14: got resilience and attempts, want one of them",
		"stdin:3:14: deadline: got 2001-01-01T00:00:00.000Z, which has passed", "stdin:4:44: finish by", "stdin:5:14: conflict: got \"maybe\"", "stdin:6:16: resilience", "limit 0")
	if out := clitest.Must(t, "items", "list", "-o", "json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("refused commands enqueued %s", out)
	}
}

func TestEnqueueConflictFails(t *testing.T) {
	clitest.InProject(t)
	defineQueues(t)
	args := []string{"enqueue", "--pipeline", "hello", "--queue", "orders", "--conflict", "fail"}
	clitest.Must(t, append(args, "--key", "A")...)
	clitest.Do(t, append(args, "--key", "A")...).WantFailure(t, cli.ExitFailed, `item 1 has the same natural key "A"`)
	clitest.Must(t, append(args, "--key", "B", "--unique-until", "done")...)

	// More lines than one batch, of which the last ones have keys in use: none is enqueued.
	var lines strings.Builder
	for n := range 1500 {
		fmt.Fprintf(&lines, "{\"key\": \"N%d\"}\n", n)
	}
	lines.WriteString("{\"key\": \"A\"}\n\n{\"key\": \"N7\"}\n{\"key\": \"B\", \"conflict\": \"existing\"}\n")
	r := clitest.DoWith(t, lines.String(), nil, append(args, "-")...)
	r.WantFailure(t, cli.ExitFailed, `stdin:1501:1: item 1 has the same natural key "A" [key-in-use]`, `stdin:1503:1: line 8 has the same natural key "N7" [key-in-use]`,
		"no item was enqueued: 2 refused lines")
	if strings.Contains(r.Stderr, "1504") {
		t.Errorf("the line that accepts an existing item was refused:\n%s", r.Stderr)
	}
	if got := clitest.Decode[[]clitest.Listed](t, clitest.Must(t, "items", "list", "-o", "json")); len(got) != 2 {
		t.Errorf("%d items exist, want the first two", len(got))
	}
	// The same batch once more is no conflict with itself.
	again := append(args, "-", "--batch", "import-4711")
	for range 2 {
		if r := clitest.DoWith(t, `{"key": "C"}`, nil, again...); r.Code != cli.ExitDone {
			t.Error(r.Stderr)
		}
	}
}

// A key that is free again when its item has ended, in whatever state.
func TestEnqueueUniqueUntilDone(t *testing.T) {
	clitest.InProject(t)
	enqueue := func() int64 {
		return clitest.Decode[enqueued](t, clitest.Must(t, "enqueue", "--pipeline", "hello", "--unique-until", "done", "-o", "json")).ID
	}
	first := enqueue()
	if again := enqueue(); again != first {
		t.Errorf("item %d, want the existing item %d", again, first)
	}
	clitest.Must(t, "items", "cancel", fmt.Sprint(first))
	second := enqueue()
	if second == first {
		t.Errorf("the cancelled item still has the key")
	}
	clitest.Do(t, "enqueue", "--pipeline", "hello", "--unique-until", "done", "--conflict", "fail").
		WantFailure(t, cli.ExitFailed, fmt.Sprintf("item %d has the same queue, pipeline and payload", second))
}
