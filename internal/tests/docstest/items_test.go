package docstest

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/pipelines"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
)

func TestStates(t *testing.T) {
	var documented, real []string
	for _, r := range read(t, "docs/items.md").under(t, "States").rows {
		documented = append(documented, r.cells[0]+" "+r.cells[1])
	}
	for _, s := range workqueue.States() {
		real = append(real, fmt.Sprintf("%d %s", int(s), s))
	}
	sameSet(t, "states", documented, real)
}

// TestBands checks for the priority of each row which step of the shipped pipelines
// runs an item.
func TestBands(t *testing.T) {
	compiler := pipelines.NewCompiler(registry(t), pipelines.Options{})
	for _, r := range read(t, "docs/items.md").under(t, "Priorities").rows {
		priority, err := strconv.Atoi(r.cells[0])
		if err != nil {
			t.Errorf("line %d: %v", r.line, err)
			continue
		}
		got := ""
		for _, file := range shipped.Files() {
			p, findings := compiler.Parse(file.Name, file.Data)
			if len(findings) > 0 {
				t.Fatal(findings)
			}
			// The first step that takes the item leaves no item for the second.
			for _, s := range p.Steps {
				if s.Handler == "ExecuteWorkItems" && bandOf(t, s).Contains(priority) {
					got = fmt.Sprintf("`%s`, step `%s`", p.Name, s.Name)
					break
				}
			}
		}
		if want := r.cells[2]; got != want {
			t.Errorf("line %d: priority %d is run by %s, documented %s", r.line, priority, got, want)
		}
	}
}

func bandOf(t *testing.T, s *pipelines.Step) workqueue.Band {
	t.Helper()
	bound := func(name string) *int {
		if v, ok := s.With[name].(int); ok {
			return &v
		}
		return nil
	}
	band, err := workqueue.NewBand(bound("minPriority"), bound("abovePriority"), bound("belowPriority"))
	if err != nil {
		t.Fatal(err)
	}
	return band
}

// TestSQL executes the statements of a document, in order, on an empty database of
// each engine. Each statement must find its rows.
func TestSQL(t *testing.T) {
	for _, path := range []string{"docs/items.md", "docs/queues.md"} {
		t.Run(path, func(t *testing.T) {
			testdb.Each(t, func(t *testing.T, e testdb.Engine) {
				dsn := e.DSN(t)
				e.Open(t, dsn)
				runSQL(t, e.SQL(t, dsn), read(t, path).blocks)
			})
		})
	}
}

func runSQL(t *testing.T, db *sql.DB, blocks []block) {
	t.Helper()
	for _, b := range blocks {
		if !b.is("sql") {
			continue
		}
		for statement := range strings.SplitSeq(b.text, ";\n") {
			if statement = strings.TrimSpace(statement); statement == "" {
				continue
			}
			if found, err := rowsOf(t, db, statement); err != nil || found == 0 {
				t.Errorf("line %d: %s\n%d rows, %v", b.line, statement, found, err)
			}
		}
	}
}

// rowsOf executes a statement and counts the rows that it returned or changed.
func rowsOf(t *testing.T, db *sql.DB, statement string) (int64, error) {
	t.Helper()
	if !strings.HasPrefix(statement, "SELECT") {
		result, err := db.ExecContext(t.Context(), statement)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	rows, err := db.QueryContext(t.Context(), statement)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var n int64
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}
