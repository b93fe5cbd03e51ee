package stats_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

const work = `steps:
  - handler: Fail
    if: payload.fails != ""
    with: {message: "no", kind: "${{ payload.fails }}"}
`

// worked makes a project in which three items of one pipeline ended: one succeeded, one failed,
// one had a business error.
func worked(t *testing.T) {
	t.Helper()
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/work.yaml", work)
	clitest.WriteFile(t, "pipelines/other.yaml", work)
	clitest.Must(t, "db", "migrate")
	for _, fails := range []string{"", "error", "business"} {
		clitest.Must(t, "enqueue", "--pipeline", "work", "--attempts", "1", "--priority", "1100", "--payload", `{"fails":"`+fails+`"}`)
	}
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue", "--log-level", "error")
}

// series reads the statistics of the last hour as JSON.
func series(t *testing.T, args ...string) workqueue.Series {
	t.Helper()
	return clitest.Decode[workqueue.Series](t, clitest.Must(t, append([]string{"stats", "--since", "1h", "--output", "json"}, args...)...))
}

func TestStatsCountsTheEndsApart(t *testing.T) {
	worked(t)
	s := series(t)
	if len(s.Totals) != 1 {
		t.Fatalf("%d totals, want one", len(s.Totals))
	}
	p := s.Totals[0]
	if p.Enqueued != 3 || p.Started != 3 || p.Succeeded != 1 || p.Errors != 1 || p.BusinessErrors != 1 || p.Cancelled != 2 || p.Wait == nil || p.Wait.Count != 3 {
		t.Errorf("the totals are %+v, want 3 items, of which 1 succeeded, 1 failed and 1 had a business error", p)
	}
	for _, c := range []struct {
		args []string
		want int64
	}{{[]string{"--pipeline", "work"}, 3}, {[]string{"--pipeline", "other"}, 0}, {[]string{"--band", "high"}, 3}, {[]string{"--band", "low"}, 0}, {[]string{"--queue", "default"}, 3}} {
		if got := series(t, c.args...).Totals[0].Started; got != c.want {
			t.Errorf("stats %v: %d started, want %d", c.args, got, c.want)
		}
	}
	if s := series(t, "--group", "pipeline", "--by", "hour"); len(s.Totals) != 1 || s.Totals[0].Group != "work" || s.By != workqueue.ByHour {
		t.Errorf("by pipeline: %+v, want the group work", s.Totals)
	}
}

func TestStatsPrintsTablesAndCSV(t *testing.T) {
	worked(t)
	table := clitest.Must(t, "stats", "--since", "5m")
	for _, want := range []string{"MINUTE", "in all: enqueued 3, succeeded 1, business errors 1, errors 1, cancelled 2", "waited: mean ", "█", "▒"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	if groups := clitest.Must(t, "stats", "--group", "worker"); !strings.Contains(groups, "WORKER") || strings.Contains(groups, "in all") {
		t.Errorf("the table of the workers is\n%s", groups)
	}
	rows, err := csv.NewReader(strings.NewReader(clitest.Must(t, "stats", "--since", "5m", "--output", "csv"))).ReadAll()
	if err != nil || len(rows) < 6 || rows[0][0] != "start" {
		t.Fatalf("CSV: %d rows, %v, want a header and a row for each minute", len(rows), err)
	}
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			t.Errorf("a row has %d cells, want %d: %v", len(row), len(rows[0]), row)
		}
	}
}

func TestStatsOfAnEmptyDatabase(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	if out := clitest.Must(t, "stats", "--since", "2h"); !strings.Contains(out, "in all: enqueued 0") {
		t.Errorf("an empty database:\n%s", out)
	}
	if out := clitest.Must(t, "stats", "--group", "queue"); out != "nothing happened in this time\n" {
		t.Errorf("an empty database by queue: %q", out)
	}
}

func TestStatsRefuses(t *testing.T) {
	worked(t)
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"--by", "week"}, cli.ExitUsage, `resolution "week": want minute, hour or day`},
		{[]string{"--band", "top"}, cli.ExitUsage, `band "top": want high`},
		{[]string{"--group", "kind"}, cli.ExitUsage, `group "kind": want queue`},
		{[]string{"--since", "soon"}, cli.ExitUsage, "--since"},
		{[]string{"--until", "2d"}, cli.ExitUsage, "want a start and an end after it"},
		{[]string{"--by", "minute", "--since", "30d"}, cli.ExitUsage, "a coarser resolution"},
		{[]string{"--queue", "defalt"}, cli.ExitFailed, `did you mean "default"?`},
		{[]string{"--worker", "nobody"}, cli.ExitFailed, `worker "nobody" has never registered`},
	} {
		clitest.Do(t, append([]string{"stats"}, c.args...)...).WantFailure(t, c.code, c.text)
	}
}
