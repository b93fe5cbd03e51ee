package builtin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/handlers"
	"botwork/internal/database"
	"botwork/internal/namedsql"
	"botwork/internal/tracing"
)

const sqlDoc = `Runs SQL on a database that the settings name under connections. Values are parameters, written @name in the text and
given under params; ${{ }} is not allowed in the text. A parameter without a value or a value without a parameter is an
error. Lists and maps are passed as JSON text, times in UTC.

query reads rows. exec changes data: its statements run one after the other in one transaction. With rows, they
run once for each element, whose values are parameters too (and take precedence over params); values that no statement
names are ignored. The whole list is one transaction: all rows are written or none.

A query is safe to repeat. exec may run twice: if a worker dies between the commit and its record, or if a later step fails and
the item begins at its first step again. So write statements that are safe to repeat: with
a natural key and INSERT … ON CONFLICT DO NOTHING, INSERT … WHERE NOT EXISTS, or an UPDATE that sets values
instead of adding to them.

Invalid SQL (bad syntax, an unknown table or column), a wrong parameter and too many rows are permanent; all other errors,
such as a violated constraint, a deadlock or a lost connection, are retried.`

func sqlKind(res Resources) handlers.Kind {
	return handlers.Kind{
		Name: "SQL", Summary: "Query or change a database", Doc: sqlDoc,
		Output: "for query: {rows: list of maps by column, count}; for exec: {rowsAffected}. " +
			"Times are UTC; exact decimals and bytes are strings (bytes that are not UTF-8 in base64).",
		OutputShape: sqlGives, Lint: lintSQL,
		Example: `- name: customers
  handler: SQL
  with:
    connection: shop
    query: SELECT id, name FROM customers WHERE country = @country ORDER BY id
    params: {country: PT}
- handler: SQL
  with:
    connection: shop
    exec: INSERT INTO mailings (customer_id, campaign) VALUES (@id, @campaign) ON CONFLICT DO NOTHING
    params: {campaign: spring}
    rows: ${{ steps.customers.output.rows }}
`,
		New: func() handlers.Handler {
			return &sqlStep{MaxRows: 10_000, Timeout: handlers.Duration(30 * time.Second), connections: res.Connections}
		},
	}
}

type sqlStep struct {
	Connection string            `json:"connection" required:"true" doc:"name of the connection in the settings"`
	Query      string            `json:"query" literal:"true" doc:"statement that returns rows; exactly one of query and exec is given"`
	Exec       []string          `json:"exec" literal:"true" doc:"statements that change data, run in one transaction"`
	Params     map[string]any    `json:"params" doc:"values of the @name parameters"`
	Rows       []map[string]any  `json:"rows" nonNull:"true" doc:"run exec once for each of these; the element's values are parameters too"`
	MaxRows    int               `json:"maxRows" doc:"how many rows a query may return at most; more are an error"`
	Timeout    handlers.Duration `json:"timeout" doc:"longest time for the whole step, including the transaction"`

	connections *Connections
}

func (s *sqlStep) Validate() error {
	var errs []error
	if err := s.connections.check(s.Connection); err != nil {
		errs = append(errs, handlers.WrongParam("connection", err.Error()))
	}
	if (s.Query == "") == (len(s.Exec) == 0) {
		errs = append(errs, errors.New("give exactly one of query and exec"))
	}
	if s.Rows != nil && s.Query != "" {
		errs = append(errs, handlers.WrongParam("rows", "goes with exec, not with query"))
	}
	if s.MaxRows < 1 {
		errs = append(errs, handlers.WrongParam("maxRows", "want 1 or more"))
	}
	if s.Timeout <= 0 {
		errs = append(errs, handlers.WrongParam("timeout", "want more than 0s"))
	}
	return errors.Join(errs...)
}

func (s *sqlStep) Handle(ctx context.Context, _ *handlers.Call) (any, error) {
	db, driver, err := s.connections.open(s.Connection)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(s.Timeout), late("no end within %s", s.Timeout))
	defer cancel()
	ctx, span := tracing.Client(ctx, "SQL")
	defer span.End()
	span.Text("db.system.name", string(driver))
	span.Text("botwork.connection", s.Connection)
	var out any
	if s.Query != "" {
		out, err = s.query(ctx, db, driver)
	} else {
		out, err = s.exec(ctx, db, driver)
	}
	if err == nil {
		return out, nil
	}
	span.Fail("error")
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return nil, classifySQL(s.connections.explain(s.Connection, err))
}

func (s *sqlStep) query(ctx context.Context, db *sql.DB, driver database.Driver) (any, error) {
	statement := namedsql.Compile(s.Query, driver.Style())
	values, err := statement.Args(s.Params)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	args, err := sqlArgs(driver, values)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	rows, err := db.QueryContext(ctx, statement.Text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list, err := readRows(rows, s.MaxRows)
	if err != nil {
		return nil, err
	}
	return map[string]any{"rows": list, "count": len(list)}, nil
}

func (s *sqlStep) exec(ctx context.Context, db *sql.DB, driver database.Driver) (any, error) {
	statements, err := s.compile(driver)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // no effect after a commit; otherwise the first error is returned
	var affected int64
	if s.Rows == nil {
		affected, err = s.run(ctx, tx, driver, statements, nil)
	}
	for i, row := range s.Rows {
		var n int64
		if n, err = s.run(ctx, tx, driver, statements, row); err != nil {
			err = fmt.Errorf("rows[%d]: %w", i, err)
			break
		}
		affected += n
	}
	if err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	return map[string]any{"rowsAffected": int(affected)}, nil
}

// compile prepares the statements and rejects a value in params that none of them uses,
// because it is probably a typing error.
func (s *sqlStep) compile(driver database.Driver) ([]namedsql.Statement, error) {
	statements := make([]namedsql.Statement, len(s.Exec))
	var names []string
	for i, text := range s.Exec {
		statements[i] = namedsql.Compile(text, driver.Style())
		names = append(names, statements[i].Names...)
	}
	for name := range s.Params {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("params: value %q has no parameter @%s in any statement", name, name)
		}
	}
	return statements, nil
}

// run executes each statement once with the values of row, then of params.
func (s *sqlStep) run(ctx context.Context, tx *sql.Tx, driver database.Driver, statements []namedsql.Statement, row map[string]any) (int64, error) {
	var affected int64
	for _, statement := range statements {
		values := make(map[string]any, len(statement.Names))
		for _, name := range statement.Names {
			if v, ok := row[name]; ok {
				values[name] = v
			} else if v, ok := s.Params[name]; ok {
				values[name] = v
			}
		}
		ordered, err := statement.Args(values)
		if err != nil {
			return 0, handlers.Permanent(err)
		}
		args, err := sqlArgs(driver, ordered)
		if err != nil {
			return 0, handlers.Permanent(err)
		}
		result, err := tx.ExecContext(ctx, statement.Text, args...)
		if err != nil {
			return 0, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return 0, err
		}
		affected += n
	}
	return affected, nil
}
