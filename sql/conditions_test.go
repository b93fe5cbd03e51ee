package sql_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"botwork/sql"
)

// The tests do not execute the T-SQL of the queries, so they compare its conditions with those
// of the other engines' statements, which are executed. Each condition that both others have
// must be in the T-SQL at least as often as in the one that has it less often, and the T-SQL
// must have no condition that neither of them has.

// different are conditions of the T-SQL, by file, that are written in another form or are
// missing, each with the reason.
var different = map[string][]struct{ condition, reason string }{
	"checkout.sql":      {{"LimitKey = Piece", "keys are compared after RTRIM: SQL Server ignores trailing spaces"}},
	"checkout_peek.sql": {{"LimitKey = Piece", "likewise"}},
	"clean_steps.sql":   {{"ItemId = ItemId", "a join, where the others compare rows"}, {"Step = Step", "likewise"}},
	"due.sql":           {{"LimitKey IS NULL", "likewise"}, {"Queue = QueueName", "a join, where the others use a correlated subquery"}},
	"due_queue.sql":     {{"LimitKey IS NULL", "likewise"}, {"Queue = QueueName", "likewise"}},
	"gauge_add.sql":     {{"MostWaiting > Waits", "CASE, where the others have a function for the larger of two"}, {"OldestMs > Oldest", "likewise"}, {"MostRunning > Runs", "likewise"}, {"MostOffered > Offers", "likewise"}},
	"stat_count.sql":    {{"DeletedAt IS NULL", "one scan counts what the others count in two"}},
	"take.sql":          {{"Id = ItemId", "IN, where the others join the batch"}, {"Name = QueueName", "NOT EXISTS, where the others have NOT IN"}},
	"workers_held.sql":  {{"StartedAt >= NOW", "DATEDIFF overflows, so the values are limited before"}, {"StartedAt IS NULL", "likewise"}},
}

var sqlSpace = regexp.MustCompile(`\s+`)

// rewrites convert a statement of any engine to one form, in this order.
var rewrites = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{tsqlComment, ""},
	{regexp.MustCompile(`"`), ""},
	{regexp.MustCompile(`\bN'`), "'"},
	{sqlSpace, " "},
	{regexp.MustCompile(`COALESCE\(CAST\(@now AS DATETIME2\(3\)\), CAST\(SYSUTCDATETIME\(\) AS DATETIME2\(3\)\)\)`), "NOW"},
	{regexp.MustCompile(`CAST\(COALESCE\(CAST\(@now AS timestamptz\), statement_timestamp\(\)\) AS timestamptz\(3\)\)`), "NOW"},
	{regexp.MustCompile(`COALESCE\(@now, strftime\('%Y-%m-%d %H:%M:%f', 'now'\)\)|COALESCE\(@now, 'now'\)`), "NOW"},
	{regexp.MustCompile(`\(SELECT NOW\)`), "NOW"},
	{regexp.MustCompile(`CASE WHEN length\((?:\w\.)?IntegrationConfig\) <= 200 THEN (?:\w\.)?IntegrationConfig ELSE '' END`), "PipelineName"},
	{regexp.MustCompile(`CAST\((@?[\w.]+) AS \w+(?:\(\w+\))?\)`), "$1"},
	{regexp.MustCompile(`\b(?:[a-z]\w*|Bot\w+)\.([A-Z])`), "$1"},
	{regexp.MustCompile(`DATEADD\(millisecond, (-?)\(?@(\w+) % 1000\)?, DATEADD\(second, -?\(?@\w+ / 1000\)?, NOW\)\)`), "NOW$1@$2"},
	{regexp.MustCompile(`DATEADD\(millisecond, (-?)@(\w+), NOW\)`), "NOW$1@$2"},
	{regexp.MustCompile(`NOW (-) @(\w+) \* INTERVAL '1 millisecond'`), "NOW$1@$2"},
	{regexp.MustCompile(`NOW \+ @(\w+) \* INTERVAL '1 millisecond'`), "NOW@$1"},
	{regexp.MustCompile(`strftime\('%Y-%m-%d %H:%M:%f', NOW, printf\('%\+\.3f seconds', (-?)@(\w+) / 1000\.0\)\)`), "NOW$1@$2"},
	{regexp.MustCompile(`\b(Paused|DeletedKeysCount|Scheduled|Encrypted|Active|CanRead|CanWrite) = 1\b`), "$1"},
	{regexp.MustCompile(`\b(Paused|DeletedKeysCount|Scheduled|Encrypted|Active|CanRead|CanWrite) = 0\b`), "NOT $1"},
	{regexp.MustCompile(`State NOT BETWEEN 1 AND 3`), "State IN (0, 4, 5)"},
	{regexp.MustCompile(`(?:\bSET|,) ?[A-Z]\w* = `), "SET "}, // an assignment is not a condition
}

const operand = `NOW(?:-?@\w+)?|@\w+|'[^']*'|-?\d+|[A-Z]\w*\b`

var (
	compared = regexp.MustCompile(`\b([A-Z]\w*) (=|<>|<=|>=|<|>) (` + operand + `)(\(?)`)
	absent   = regexp.MustCompile(`\b([A-Z]\w*) IS (?:NOT )?NULL`)
	oneOf    = regexp.MustCompile(`\b([A-Z]\w*) (?:NOT )?IN \([^()@]*\)`)
	flag     = regexp.MustCompile(`\b(?:NOT )?Paused\b`)
)

// conditions counts the comparisons of a statement.
func conditions(text string) map[string]int {
	for _, r := range rewrites {
		text = r.pattern.ReplaceAllString(text, r.by)
	}
	found := map[string]int{}
	for _, m := range compared.FindAllStringSubmatch(text, -1) {
		left, op, right := m[1], m[2], m[3]
		if m[4] != "" { // the name of a function
			continue
		}
		if op == "=" && right < left {
			left, right = right, left
		}
		found[fmt.Sprintf("%s %s %s", left, op, right)]++
	}
	for _, pattern := range []*regexp.Regexp{absent, oneOf, flag} {
		for _, m := range pattern.FindAllString(text, -1) {
			found[m]++
		}
	}
	return found
}

// differences lists how the conditions of the T-SQL differ from those of the other engines.
func differences(tsql map[string]int, siblings []map[string]int) (faults []string) {
	least := func(condition string) int {
		n := siblings[0][condition]
		for _, s := range siblings {
			n = min(n, s[condition])
		}
		return n
	}
	for condition := range siblings[0] {
		if want := least(condition); tsql[condition] < want {
			faults = append(faults, fmt.Sprintf("lacks %s (%d times, want %d)", condition, tsql[condition], want))
		}
	}
	for condition := range tsql {
		if !slices.ContainsFunc(siblings, func(s map[string]int) bool { return s[condition] > 0 }) {
			faults = append(faults, "has "+condition)
		}
	}
	slices.SortFunc(faults, cmp.Compare)
	return faults
}

func TestQueriesHaveSameConditionsOnSQLServer(t *testing.T) {
	engines := sql.Files
	names, err := fs.Glob(engines, "sqlserver/queries/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range names {
		name = path.Base(name)
		if name == "assignment_lock.sql" {
			continue // each engine has its own statement for the lock
		}
		text, err := sql.Read(engines, "sqlserver/queries/"+name)
		if err != nil {
			t.Fatal(err)
		}
		var siblings []map[string]int
		for _, engine := range []string{"postgres", "sqlite"} {
			sibling, err := sql.Read(engines, engine+"/queries/"+name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			siblings = append(siblings, conditions(sibling))
		}
		if len(siblings) == 0 {
			continue
		}
		compared++
		faults := differences(conditions(text), siblings)
		for _, d := range different[name] {
			before := len(faults)
			faults = slices.DeleteFunc(faults, func(fault string) bool { return strings.Contains(fault, " "+d.condition) })
			if len(faults) == before {
				t.Errorf("sqlserver/queries/%s no longer differs in %s", name, d.condition)
			}
		}
		for _, fault := range faults {
			t.Errorf("sqlserver/queries/%s %s", name, fault)
		}
	}
	if compared < 100 {
		t.Errorf("compared only %d statements, want at least 100", compared)
	}
}

// Changes that an audit made and that no other test noticed.
func TestLostConditionsAreFound(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := sql.Read(sql.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, c := range []struct{ file, old, by, want string }{
		{"finish.sql", " AND t.Fence = j.ItemFence", "", "lacks Fence = ItemFence"},
		{"expired.sql", "i.DeadlineAt <", "i.DeadlineAt >", "lacks DeadlineAt < NOW"},
		{"claim.sql", "w.State = N'active'", "w.State = N'stopped'", "lacks 'active' = State"},
		{"take.sql", "q.Paused = 1 OR ", "", "lacks Paused"},
	} {
		text := read("sqlserver/queries/" + c.file)
		broken := strings.Replace(text, c.old, c.by, 1)
		if broken == text {
			t.Errorf("%s has no %q", c.file, c.old)
			continue
		}
		siblings := []map[string]int{conditions(read("postgres/queries/" + c.file)), conditions(read("sqlite/queries/" + c.file))}
		faults := differences(conditions(broken), siblings)
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, c.want) }) {
			t.Errorf("%s with %q for %q: %q, want %q", c.file, c.by, c.old, faults, c.want)
		}
	}
}
