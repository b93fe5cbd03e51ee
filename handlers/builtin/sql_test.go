package builtin

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	mssql "github.com/microsoft/go-mssqldb"

	"botwork/handlers"
)

// sqlRunner runs SQL steps on the database of testConnections.
func sqlRunner(t *testing.T) (handlers.Kind, func(with map[string]any) (any, error)) {
	kind := sqlKind(Resources{Connections: testConnections(t)})
	return kind, func(with map[string]any) (any, error) {
		t.Helper()
		with["connection"] = "shop"
		return run(t, kind, with, nil)
	}
}

func TestSQLQuery(t *testing.T) {
	_, do := sqlRunner(t)
	out, err := do(map[string]any{
		"query":  "SELECT id, name, NULL AS none FROM customers WHERE country = @c AND id < @max -- @no",
		"params": map[string]any{"c": "PT", "max": 2},
	})
	want := map[string]any{"rows": []any{map[string]any{"id": 1, "name": "Ana", "none": nil}}, "count": 1}
	if diff := cmp.Diff(any(want), out); diff != "" || err != nil {
		t.Error(err, diff)
	}
	out, err = do(map[string]any{"query": "SELECT id FROM customers WHERE 1 = 0"})
	if diff := cmp.Diff(any(map[string]any{"rows": []any{}, "count": 0}), out); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestSQLParametersAreNeverText(t *testing.T) {
	_, do := sqlRunner(t)
	evil := "x'); DROP TABLE customers; --"
	if _, err := do(map[string]any{"exec": "INSERT INTO customers (name) VALUES (@name)", "params": map[string]any{"name": evil}}); err != nil {
		t.Fatal(err)
	}
	out, err := do(map[string]any{"query": "SELECT name FROM customers WHERE name = @name", "params": map[string]any{"name": evil}})
	if err != nil || out.(map[string]any)["count"] != 1 {
		t.Errorf("query = %v, %v, want the row with the text", out, err)
	}
}

func TestSQLValuesRoundTrip(t *testing.T) {
	_, do := sqlRunner(t)
	at := time.Date(2026, 3, 4, 5, 6, 7, 890_000_000, time.FixedZone("east", 3600))
	_, err := do(map[string]any{
		"exec":   "INSERT INTO samples (id, at, amount, data, flag, doc) VALUES (1, @at, @amount, @data, @flag, @doc)",
		"params": map[string]any{"at": at, "amount": 12.5, "data": nil, "flag": true, "doc": map[string]any{"a": []any{1, "<"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := do(map[string]any{"query": "SELECT at, amount, data, flag, doc, x'ff' AS raw, strftime('%H', at) AS hour FROM samples"})
	want := map[string]any{"rows": []any{map[string]any{
		"at": at.UTC(), "amount": 12.5, "data": nil, "flag": true, "doc": `{"a":[1,"<"]}`, "raw": "/w==", "hour": "04",
	}}, "count": 1}
	if diff := cmp.Diff(any(want), out); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestSQLRowsAreOneTransaction(t *testing.T) {
	_, do := sqlRunner(t)
	insert := "INSERT INTO mailings (customer_id, campaign) VALUES (@id, @campaign)"
	row := func(id any) map[string]any { return map[string]any{"id": id, "not used": "x"} }
	count := func() any {
		out, err := do(map[string]any{"query": "SELECT COUNT(*) AS n FROM mailings"})
		if err != nil {
			t.Fatal(err)
		}
		return out.(map[string]any)["rows"].([]any)[0].(map[string]any)["n"]
	}
	params := map[string]any{"campaign": "spring"}
	_, err := do(map[string]any{"exec": insert, "params": params, "rows": []any{row(1), row(2), row(1)}})
	wantError(t, err, "error", "rows[2]", "UNIQUE")
	if got := count(); got != 0 {
		t.Errorf("%v rows stay after a failure, want 0", got)
	}
	out, err := do(map[string]any{
		"exec": []any{insert, "UPDATE customers SET country = @country WHERE id = @id"},
		"rows": []any{map[string]any{"id": 1, "campaign": "own"}, row(2)}, "params": map[string]any{"campaign": "spring", "country": "ES"},
	})
	if diff := cmp.Diff(any(map[string]any{"rowsAffected": 4}), out); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if got := count(); got != 2 {
		t.Errorf("%v rows, want 2", got)
	}
	out, err = do(map[string]any{"exec": insert, "rows": []any{}, "params": params})
	if err != nil || out.(map[string]any)["rowsAffected"] != 0 {
		t.Errorf("an empty list = %v, %v, want nothing done", out, err)
	}
}

func TestSQLOutcomes(t *testing.T) {
	kind, do := sqlRunner(t)
	for _, c := range []struct {
		name    string
		with    map[string]any
		outcome string
		word    string
	}{
		{"syntax", map[string]any{"query": "SELEKT 1"}, "permanent", "syntax"},
		{"table", map[string]any{"exec": "DELETE FROM nowhere"}, "permanent", "nowhere"},
		{"no value", map[string]any{"query": "SELECT @a"}, "permanent", "@a has no value"},
		{"no parameter", map[string]any{"query": "SELECT 1", "params": map[string]any{"a": 1}}, "permanent", `"a" has no parameter`},
		{"no parameter in exec", map[string]any{"exec": "DELETE FROM mailings", "params": map[string]any{"a": 1}}, "permanent", `"a" has no parameter`},
		{"too many rows", map[string]any{"query": "SELECT id FROM customers", "maxRows": 2}, "permanent", "more than 2 rows"},
		{"constraint", map[string]any{"exec": "INSERT INTO customers (id, name) VALUES (1, 'x')"}, "error", "UNIQUE"},
		{"same name twice", map[string]any{"query": "SELECT 1 AS a, 2 AS a"}, "permanent", `two columns named "a"`},
		{"time limit", map[string]any{"query": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) AS m FROM n", "timeout": "20ms"}, "error", "no end within 20ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := do(c.with)
			wantError(t, err, c.outcome, `connection "shop"`, c.word)
		})
	}
	out, err := do(map[string]any{"query": "SELECT id FROM customers", "maxRows": 3})
	if err != nil || out.(map[string]any)["count"] != 3 {
		t.Errorf("as many rows as allowed = %v, %v", out, err)
	}
	wantInvalid(t, kind, map[string]any{"connection": "shpo", "maxRows": 0, "timeout": "0s"},
		`did you mean "shop"?`, "exactly one of query and exec", "maxRows: want 1", "timeout: want more")
	wantInvalid(t, kind, map[string]any{"connection": "shop", "query": "SELECT 1", "rows": []any{}}, "rows: goes with exec")
}

func TestSQLErrorsHideThePassword(t *testing.T) {
	connections, err := NewConnections(map[string]Connection{
		"pg": {Driver: "postgres", DSN: "postgres://bot:hunter2@127.0.0.1:1/x?connect_timeout=1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connections.Close() })
	_, err = run(t, sqlKind(Resources{Connections: connections}), map[string]any{"connection": "pg", "query": "SELECT 1"}, nil)
	wantError(t, err, "error", `connection "pg"`)
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error shows the password: %v", err)
	}
}

func TestClassifySQLServer(t *testing.T) {
	for number, what := range map[int32]string{208: "an unknown object", 4104: "a column of no table of the statement", 195: "an unknown function"} {
		if got := outcome(classifySQL(mssql.Error{Number: number})); got != "permanent" {
			t.Errorf("%s is %s, want permanent", what, got)
		}
	}
	if got := outcome(classifySQL(mssql.Error{Number: 1205})); got != "error" {
		t.Errorf("a deadlock is %s, want error", got)
	}
}

func TestSQLServerIdentifier(t *testing.T) {
	raw := []byte{0x67, 0x45, 0x23, 0x01, 0xab, 0x89, 0xef, 0xcd, 1, 2, 3, 4, 5, 6, 7, 8}
	if got := sqlResult("UNIQUEIDENTIFIER", raw); got != "01234567-89AB-CDEF-0102-030405060708" {
		t.Errorf("identifier = %v", got)
	}
}

func TestSQLOnPostgres(t *testing.T) {
	dsn := os.Getenv("BOTWORK_TEST_POSTGRES_DSN")
	if dsn == "" {
		t.Skip("BOTWORK_TEST_POSTGRES_DSN is not set")
	}
	connections, err := NewConnections(map[string]Connection{"pg": {Driver: "postgres", DSN: dsn}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connections.Close() })
	kind := sqlKind(Resources{Connections: connections})
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	with := map[string]any{
		"connection": "pg",
		"query":      `SELECT @n::int + 1 AS n, @at::timestamptz AS at, @t::text AS t, @d::numeric AS d, @j::jsonb ->> 'a' AS j`,
		"params":     map[string]any{"n": 1, "at": at, "t": "x", "d": "1.50", "j": map[string]any{"a": "b"}},
	}
	h, err := kind.Build(with)
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Handle(context.Background(), &handlers.Call{})
	checkShape(t, kind, with, out, err)
	want := map[string]any{"rows": []any{map[string]any{"n": 2, "at": at, "t": "x", "d": "1.50", "j": "b"}}, "count": 1}
	if diff := cmp.Diff(any(want), out); diff != "" || err != nil {
		t.Error(err, diff)
	}
	_, err = run(t, kind, map[string]any{"connection": "pg", "query": "SELECT * FROM no_such_table"}, nil)
	wantError(t, err, "permanent", "no_such_table")
}

func TestCheckLiteralRejectsExpressionsInSQL(t *testing.T) {
	connections, err := NewConnections(map[string]Connection{"db": {Driver: "sqlite", DSN: ":memory:"}})
	if err != nil {
		t.Fatal(err)
	}
	kind := sqlKind(Resources{Connections: connections})
	for _, c := range []struct {
		with    map[string]any
		dynamic string
		wrong   bool
	}{
		{map[string]any{"connection": "db", "query": nil}, "query", true},
		{map[string]any{"connection": "db", "exec": nil}, "exec", true},
		{map[string]any{"connection": "db", "exec": []any{"DELETE FROM a", nil}}, "exec.1", true},
		{map[string]any{"connection": "db", "query": "SELECT @a", "params": map[string]any{"a": nil}}, "params.a", false},
	} {
		wrong := kind.CheckLiteral(c.with, func(path []string) bool { return strings.Join(path, ".") == c.dynamic })
		if got := len(wrong) > 0; got != c.wrong {
			t.Errorf("an expression at %s: %v, want a mistake: %t", c.dynamic, wrong, c.wrong)
		}
	}
}
