package sqlstore_test

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/namedsql"
	"botwork/internal/testdb"
	sqlfiles "botwork/sql"
	"botwork/workqueue/sqlstore"

	"github.com/jackc/pgx/v5"
)

// uses reports whether a plan uses the index, and not only one whose name begins with its name.
func uses(plan, index string) bool {
	return regexp.MustCompile(index + `\b`).MatchString(plan)
}

// series is a table expression with the numbers from 1 to last in the column n.
func series(e testdb.Engine, last int) string {
	switch e.Driver {
	case database.Postgres:
		return fmt.Sprintf(`(SELECT n FROM generate_series(1, %d) AS s(n)) g`, last)
	case database.SQLServer:
		return fmt.Sprintf(`(SELECT TOP (%d) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM sys.all_columns a CROSS JOIN sys.all_columns b) g`, last)
	}
	return fmt.Sprintf(`(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n FROM s) g`, last)
}

// planned returns how many rows a test of query plans needs. SQLite has no statistics of rows, so a few
// are enough.
func planned(e testdb.Engine, rows int) int {
	if e.Driver == database.SQLite {
		return min(rows, 500)
	}
	return rows
}

// countRows updates the planner's statistics of a table, except on SQLite, which has none.
func countRows(t *testing.T, e testdb.Engine, db *sql.DB, table string) {
	t.Helper()
	statement := map[database.Driver]string{database.Postgres: `ANALYZE "%s"`, database.SQLServer: `UPDATE STATISTICS "%s" WITH FULLSCAN`}[e.Driver]
	if statement == "" {
		return
	}
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf(statement, table)); err != nil {
		t.Fatal(err)
	}
}

// hasStatement reports whether an engine has a hand-written statement with this name.
func hasStatement(e testdb.Engine, name string) bool {
	_, err := fs.Stat(sqlfiles.Files, folders[e.Driver]+"/queries/"+name+".sql")
	return err == nil
}

// compiled returns a hand-written statement with its arguments.
func compiled(t *testing.T, e testdb.Engine, name string, values map[string]any) (string, []any) {
	t.Helper()
	statement := statementOf(t, e, name)
	args, err := statement.Args(values)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if e.Driver == database.SQLServer {
		args = sqlstore.OneType(args)
	}
	return statement.Text, args
}

// statementOf returns a hand-written statement of an engine.
func statementOf(t *testing.T, e testdb.Engine, name string) namedsql.Statement {
	t.Helper()
	file := "queries/" + name
	if strings.Contains(name, "/") {
		file = name // in another folder
	}
	text, err := sqlfiles.Read(sqlfiles.Files, folders[e.Driver]+"/"+file+".sql")
	if err != nil {
		t.Fatal(err)
	}
	return namedsql.Compile(text, e.Driver.Style())
}

// explain returns the engine's plan of a hand-written statement.
func explain(t *testing.T, e testdb.Engine, db *sql.DB, name string, values map[string]any) string {
	t.Helper()
	text, args := compiled(t, e, name, values)
	return explainText(t, e, db, name, text, args)
}

// explainText returns the engine's plan of a statement.
func explainText(t *testing.T, e testdb.Engine, db *sql.DB, name, text string, args []any) string {
	t.Helper()
	if e.Driver == database.SQLServer {
		return actualPlan(t, db, name, text, args)
	}
	verb := "EXPLAIN "
	if e.Driver == database.SQLite {
		verb = "EXPLAIN QUERY PLAN "
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if e.Driver == database.Postgres {
		text, args = prepare(t, conn, name, text, args), nil
	}
	rows, err := conn.QueryContext(t.Context(), verb+text, args...)
	if err != nil {
		t.Fatalf("explain %s: %v", name, err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var line string
		into := []any{&line}
		if e.Driver == database.SQLite {
			into = []any{&id, &parent, &unused, &line}
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// preparations numbers the prepared statements: a connection may be used again.
var preparations atomic.Int64

// prepare prepares a statement for PostgreSQL on a connection, and returns the statement that executes it. Only a
// prepared statement has the plan that the store uses, one for all values of the parameters.
func prepare(t *testing.T, conn *sql.Conn, name, text string, args []any) string {
	t.Helper()
	planned := fmt.Sprintf("planned_%d", preparations.Add(1))
	if _, err := conn.ExecContext(t.Context(), "PREPARE "+planned+" AS "+text, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("prepare %s: %v", name, err)
	}
	var literals []string
	for _, arg := range args {
		literal := "NULL"
		if value, err := driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			t.Fatalf("%s: %v", name, err)
		} else if at, ok := value.(time.Time); ok {
			literal = "'" + at.Format(time.RFC3339Nano) + "'"
		} else if value != nil {
			literal = "'" + strings.ReplaceAll(fmt.Sprintf("%v", value), "'", "''") + "'"
		}
		literals = append(literals, literal)
	}
	if len(literals) == 0 {
		return "EXECUTE " + planned
	}
	return "EXECUTE " + planned + "(" + strings.Join(literals, ", ") + ")"
}

// fullScan returns the line of a plan that reads all items, or "".
func fullScan(e testdb.Engine, plan string) string {
	for line := range strings.Lines(plan) {
		line = strings.TrimSpace(line)
		switch e.Driver {
		case database.Postgres:
			if strings.Contains(line, `Seq Scan on "BotWorkQueueItems"`) {
				return line
			}
		case database.SQLServer:
			if strings.HasPrefix(line, "Clustered Index Scan BotWorkQueueItems") || strings.HasPrefix(line, "Table Scan BotWorkQueueItems") {
				return line
			}
		default:
			if table := strings.TrimPrefix(line, "SCAN "); table != line && !strings.Contains(line, "INDEX") &&
				(strings.HasPrefix(table, "BotWorkQueueItems") || table == "i" || table == "c" || table == "t") {
				return line
			}
		}
	}
	return ""
}
