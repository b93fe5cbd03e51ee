package durations_test

import (
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/operations"
	"botwork/workqueue/learned"
)

// learnSome creates a project with learned durations.
func learnSome(t *testing.T) {
	t.Helper()
	clitest.InProject(t)
	store := clitest.OpenQueue(t)
	took := func(kind learned.Kind, pipeline, name string, runs ...learned.Run) {
		t.Helper()
		key := learned.Key{Kind: kind, Pipeline: pipeline, Name: name}
		if err := store.Learn(t.Context(), []learned.Runs{{Key: key, Runs: runs}}); err != nil {
			t.Fatal(err)
		}
	}
	const s = time.Second
	took(learned.OfPipeline, "invoices", "", learned.Run{Took: 10 * s}, learned.Run{Took: 20 * s}, learned.Run{Took: 30 * s})
	took(learned.OfTask, "invoices", "nightly", learned.Run{Took: 90*s + 1234567*time.Microsecond})
	took(learned.OfKey, "invoices", "LIS", learned.Run{Took: 7 * s}, learned.Run{Took: 7 * s, Estimate: 14 * s})
	took(learned.OfTask, "", "inline", learned.Run{Took: 123456}, learned.Run{Took: 123456})
	took(learned.OfPipeline, "nothing", "", learned.Run{}, learned.Run{Estimate: s})
	clitest.ByHand(t, `UPDATE BotDurations SET UpdatedAt = '2026-01-31 13:45:00.250'`)
}

func TestDurationsList(t *testing.T) {
	learnSome(t)
	clitest.Golden(t, "durations_list.txt", clitest.Must(t, "durations", "list"))
	clitest.Golden(t, "durations_list.json", clitest.Must(t, "durations", "list", "--output", "json"))
	clitest.Golden(t, "durations_list.yaml", clitest.Must(t, "durations", "list", "--pipeline", "invoices", "-o", "yaml"))
	for _, c := range []struct {
		n    int
		args []string
	}{
		{5, nil}, {2, []string{"--limit", "2"}}, {3, []string{"--pipeline", "invoices"}}, {2, []string{"--kind", "task"}},
		{1, []string{"--kind", "task", "--pipeline", "invoices"}}, {1, []string{"--task", "inline"}}, {1, []string{"--key", "LIS", "--kind", "key"}},
		{0, []string{"--task", "LIS"}}, {0, []string{"--pipeline", "nobody"}},
	} {
		if got := clitest.Decode[[]operations.Duration](t, clitest.Must(t, append([]string{"durations", "list", "-o", "json"}, c.args...)...)); len(got) != c.n {
			t.Errorf("%v lists %d, want %d", c.args, len(got), c.n)
		}
	}
}

func TestDurationsForget(t *testing.T) {
	learnSome(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--task", "nightly"}, "1 duration forgotten\n"},
		{[]string{"--pipeline", "invoices"}, "2 durations forgotten\n"},
		{[]string{"--all", "--yes"}, "2 durations forgotten\n"},
		{[]string{"--all", "--yes"}, "0 durations forgotten\n"},
	} {
		if out := clitest.Must(t, append([]string{"durations", "forget"}, c.args...)...); out != c.want {
			t.Errorf("forget %v: %q, want %q", c.args, out, c.want)
		}
	}
	if out := clitest.Must(t, "durations", "list"); out != "nothing has been learned: workers record how long a run took within ten seconds\n" {
		t.Errorf("the list says %q", out)
	}
	clitest.Do(t, "durations", "forget", "--pipeline", "invoices").WantFailure(t, cli.ExitFailed, "no learned durations match", "botwork durations list")
}

func TestDurationsUsage(t *testing.T) {
	learnSome(t)
	for _, c := range []struct {
		args  []string
		texts []string
	}{
		{[]string{"forget"}, []string{"got no filter", "--all"}},
		{[]string{"forget", "--all"}, []string{"needs --yes"}},
		{[]string{"forget", "--all", "--yes", "--task", "x"}, []string{"a filter and --all"}},
		{[]string{"forget", "--pipeline", ""}, []string{"--pipeline: got an empty text"}},
		{[]string{"forget", "invoices"}, []string{`got the argument "invoices"`}},
		{[]string{"list", "--kind", "taks"}, []string{`got "taks"`, `did you mean "task"?`}},
		{[]string{"list", "--kind", "pipeline", "--task", "x"}, []string{"pipeline does not go with --task"}},
		{[]string{"list", "--key", "LIS", "--task", "x"}, []string{"--task and --key"}},
		{[]string{"list", "--limit", "0"}, []string{"--limit: got 0, want 1 or more"}},
	} {
		clitest.Do(t, append([]string{"durations"}, c.args...)...).WantFailure(t, cli.ExitUsage, c.texts...)
	}
	if got := clitest.Decode[[]operations.Duration](t, clitest.Must(t, "durations", "list", "-o", "json")); len(got) != 5 {
		t.Errorf("%d durations are left, want all 5", len(got))
	}
}
