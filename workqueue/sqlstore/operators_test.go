package sqlstore_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// desk is an administrator's environment: a database with a store, and a connection for
// hand-written SQL.
type desk struct {
	*testing.T
	*storetest.Factory

	engine testdb.Engine
	store  storetest.Store
	db     *sql.DB
}

// operators lists the operators' statements: prepare inserts the rows that they need, check
// checks their results. Statements about one item use item 1.
var operators = map[string]struct {
	prepare func(d *desk)
	check   func(d *desk, rows []row)
}{
	"01_what_waits_and_why":          {prepareWaiting, checkWaiting},
	"02_what_runs_where":             {prepareRunning, checkRunning},
	"03_who_is_stale":                {prepareStale, checkStale},
	"04_what_failed_today":           {prepareFailed, checkFailed},
	"05_requeue_item":                {prepareFinished, checkRequeued},
	"06_cancel_item":                 {prepareAssigned, checkCancelled},
	"07_change_priority":             {prepareAssigned, checkPriority},
	"08_backlog_by_band":             {prepareBacklog, checkBacklog},
	"09_history_of_item":             {prepareHistory, checkHistory},
	"10_schedules_missed_or_skipped": {prepareFirings, checkFirings},
	"11_throughput_by_hour":          {prepareFinished, checkThroughput},
	"12_how_long_runs_take":          {prepareDurations, checkDurations},
	"13_text_that_ran":               {prepareTexts, checkTexts},
	"14_who_changed_it":              {prepareChanged, checkChanged},
	"15_alerts":                      {prepareAlerts, checkAlerts},
	"16_escalation_rules":            {prepareEscalated, checkEscalationRules},
	"17_escalated_items":             {prepareEscalated, checkEscalatedItems},
	"18_batches_of_items":            {prepareBatches, checkBatches},
	"19_commands_in_batches":         {prepareCommands, checkCommands},
}

func TestOperators(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		files, err := fs.Glob(operatorFiles, folders[e.Driver]+"/operators/*.sql")
		if err != nil || len(files) != len(operators) {
			t.Fatalf("%d files (error %v), want one for each of the %d tests", len(files), err, len(operators))
		}
		for _, file := range files {
			name := strings.TrimSuffix(path.Base(file), ".sql")
			t.Run(name, func(t *testing.T) {
				operator, ok := operators[name]
				if !ok {
					t.Fatal("the file has no test")
				}
				text, err := fs.ReadFile(operatorFiles, file)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(string(text), "-- ") {
					t.Error("the file does not begin with a comment that describes it")
				}
				dsn := e.DSN(t)
				d := &desk{T: t, engine: e, store: e.Open(t, dsn), db: e.SQL(t, dsn)}
				d.Factory = storetest.NewFactory(t, d.store)
				operator.prepare(d)
				operator.check(d, d.query(string(text)))
			})
		}
	})
}

// The list in the readme must name every file and nothing else.
func TestReadmeListsOperators(t *testing.T) {
	readme, err := os.ReadFile("../../sql/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range operators {
		if n := strings.Count(string(readme), "| `"+name+".sql` |"); n != 1 {
			t.Errorf("sql/README.md lists %s.sql %d times, want once", name, n)
		}
	}
	if n := strings.Count(string(readme), ".sql` |"); n != len(operators) {
		t.Errorf("sql/README.md lists %d files, want %d", n, len(operators))
	}
}

// row is a row of a result: values as text by column name, NULL as "".
type row map[string]string

// query runs a statement unchanged. For a statement that changes rows it returns their number
// in the column "changed".
func (d *desk) query(text string) []row {
	d.Helper()
	if strings.Contains(text, "\nUPDATE ") {
		result, err := d.db.ExecContext(d.Context(), text)
		if err != nil {
			d.Fatal(err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			d.Fatal(err)
		}
		return []row{{"changed": fmt.Sprint(n)}}
	}
	rows, err := d.db.QueryContext(d.Context(), text)
	if err != nil {
		d.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		d.Fatal(err)
	}
	var answer []row
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			d.Fatal(err)
		}
		r := row{}
		for i, name := range columns {
			switch v := values[i].(type) {
			case nil:
				r[name] = ""
			case time.Time:
				r[name] = v.UTC().Format(time.RFC3339)
			case []byte:
				r[name] = string(v)
			default:
				r[name] = fmt.Sprint(v)
			}
		}
		answer = append(answer, r)
	}
	if err := rows.Err(); err != nil {
		d.Fatal(err)
	}
	return answer
}

// exec changes rows by hand.
func (d *desk) exec(format string, args ...any) {
	d.Helper()
	if _, err := d.db.ExecContext(d.Context(), fmt.Sprintf(format, args...)); err != nil {
		d.Fatal(err)
	}
}

// want checks columns of one row.
func (d *desk) want(r row, columns map[string]string) {
	d.Helper()
	for name, want := range columns {
		if got, ok := r[name]; !ok || got != want {
			d.Errorf("%s = %q, want %q in %v", name, got, want, r)
		}
	}
}

// rows checks how many rows a result has.
func (d *desk) rows(answer []row, n int) bool {
	d.Helper()
	if len(answer) != n {
		d.Errorf("%d rows, want %d: %v", len(answer), n, answer)
	}
	return len(answer) == n
}

// item returns item 1, which the statements use.
func (d *desk) item() workqueue.Item {
	d.Helper()
	it, err := d.store.Item(d.Context(), 1)
	if err != nil {
		d.Fatal(err)
	}
	return it
}
