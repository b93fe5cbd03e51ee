package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/database"
	"botwork/internal/namedsql"
	"botwork/internal/tracing"
	sqlfiles "botwork/sql"
)

// values are a statement's parameters by name.
type values map[string]any

// runner is a pool, a connection or a transaction.
type runner interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// lockStatement is the name of the statement that takes the assignment lock.
const lockStatement = "assignment_lock"

// queries are the hand-written statements of one engine.
type queries struct {
	compiled
	db      *sql.DB
	style   namedsql.Style
	prepare bool

	asked   atomic.Int64                                     // how many statements were run
	observe func(name string, took time.Duration, err error) // nil: nothing does; set before the first statement

	mu       sync.Mutex
	prepared map[string]*sql.Stmt // guarded by mu
	wanted   map[string]wanted    // likewise; statements that were run without being prepared
}

// wanted is a statement that was run without being prepared.
type wanted struct {
	text string
	runs int
}

// compiled are the statements of one folder. Stores share them.
type compiled struct {
	texts   map[string]namedsql.Statement
	inserts *inserts // nil in a folder without the statement enqueue
}

// folder is a folder of the statements in the program.
type folder struct {
	dialect *dialect
	name    string
}

var compiledFolders sync.Map // functions that return a compiled and an error, by folder

// loadQueries reads the statements of one folder: "queries" or "checks".
func loadQueries(statements fs.FS, d *dialect, name string, db *sql.DB) (*queries, error) {
	compile := func() (compiled, error) { return compileFolder(statements, d, name) }
	if statements == fs.FS(sqlfiles.Files) {
		once, _ := compiledFolders.LoadOrStore(folder{d, name}, sync.OnceValues(compile))
		compile = once.(func() (compiled, error))
	}
	c, err := compile()
	if err != nil {
		return nil, err
	}
	if c.inserts != nil {
		c.inserts = c.inserts.fresh()
	}
	return &queries{compiled: c, db: db, style: d.driver.Style(), prepare: d.prepare, prepared: map[string]*sql.Stmt{}, wanted: map[string]wanted{}}, nil
}

func compileFolder(statements fs.FS, d *dialect, name string) (compiled, error) {
	c := compiled{texts: map[string]namedsql.Statement{}}
	texts, err := sqlfiles.Load(statements, d.folder, name)
	if err != nil {
		return c, err
	}
	for name, text := range texts {
		// modernc's driver takes a line break after the semicolon for a second statement, and
		// then prepares both again at each execution.
		text = strings.TrimSpace(text)
		if name == lockStatement {
			// It has no parameters, but the variables of T-SQL look like some.
			c.texts[name] = namedsql.Statement{Text: text}
			continue
		}
		if name == enqueueStatement {
			if c.inserts, err = newInserts(statements, d); err != nil {
				return c, err
			}
			c.texts[name] = c.inserts.general.Statement
			continue
		}
		c.texts[name] = namedsql.Compile(text, d.driver.Style())
	}
	return c, nil
}

func (q *queries) query(ctx context.Context, on runner, name string, v values) (*sql.Rows, error) {
	b, err := q.bind(ctx, on, name, v)
	if err != nil {
		return nil, err
	}
	return b.query(ctx, on)
}

// exec returns the number of changed rows. That is only correct on every engine for statements
// without OUTPUT or RETURNING.
func (q *queries) exec(ctx context.Context, on runner, name string, v values) (int64, error) {
	b, err := q.bind(ctx, on, name, v)
	if err != nil {
		return 0, err
	}
	result, err := b.exec(ctx, on)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// ids runs a statement that returns ids.
func (q *queries) ids(ctx context.Context, on runner, name string, v values) ([]int64, error) {
	rows, err := q.query(ctx, on, name, v)
	if err != nil {
		return nil, err
	}
	var ids []int64
	err = eachRow(rows, func() error {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
		return nil
	})
	return ids, err
}

// refs runs a statement that returns claims: ids and fences.
func (q *queries) refs(ctx context.Context, on runner, name string, v values) ([]refRow, error) {
	rows, err := q.query(ctx, on, name, v)
	if err != nil {
		return nil, err
	}
	var refs []refRow
	err = eachRow(rows, func() error {
		var ref refRow
		if err := rows.Scan(&ref.ItemID, &ref.ItemFence); err != nil {
			return err
		}
		refs = append(refs, ref)
		return nil
	})
	return refs, err
}

// run is what a statement returns about a claim besides its id and fence.
type run struct {
	queue string
	took  time.Duration // so far

	ended    time.Time
	pipeline string
	priority int
}

// runs is refs for a statement that also returns the runs. into may be nil.
func (q *queries) runs(ctx context.Context, on runner, name string, v values, into map[refRow]run) ([]refRow, error) {
	rows, err := q.query(ctx, on, name, v)
	if err != nil {
		return nil, err
	}
	var refs []refRow
	err = eachRow(rows, func() error {
		var ref refRow
		var r run
		var began, now database.Time
		if err := rows.Scan(&ref.ItemID, &ref.ItemFence, &r.queue, &began, &now, &r.pipeline, &r.priority); err != nil {
			return err
		}
		r.ended, r.pipeline = now.Time, seriesPipeline(r.pipeline)
		if began.Valid {
			r.took = max(now.Sub(began.Time), 0)
		}
		refs = append(refs, ref)
		if into != nil {
			into[ref] = r
		}
		return nil
	})
	return refs, err
}

// bound is a statement with its parameters.
type bound struct {
	stmt *sql.Stmt // nil: run text
	text string
	args []any

	name    string
	observe func(name string, took time.Duration, err error) // nil: nothing does
}

// traced ends the span of a statement, which has its name and nothing of its parameters.
func (b bound) traced(span *tracing.Span, err error) {
	span.Text("botwork.statement", b.name)
	if err != nil {
		span.Fail("error")
	}
	span.End()
}

// observed reports how long the statement took until its first answer.
func (b bound) observed(started time.Time, err error) {
	if b.observe != nil {
		b.observe(b.name, time.Since(started), err)
	}
}

func (b bound) query(ctx context.Context, on runner) (rows *sql.Rows, err error) {
	ctx, span := tracing.Client(ctx, b.name)
	if span != nil {
		defer func() { b.traced(span, err) }()
	}
	if b.observe != nil {
		started := time.Now()
		defer func() { b.observed(started, err) }()
	}
	if b.stmt != nil {
		return b.stmt.QueryContext(ctx, b.args...)
	}
	return on.QueryContext(ctx, b.text, b.args...)
}

func (b bound) exec(ctx context.Context, on runner) (result sql.Result, err error) {
	ctx, span := tracing.Client(ctx, b.name)
	if span != nil {
		defer func() { b.traced(span, err) }()
	}
	if b.observe != nil {
		started := time.Now()
		defer func() { b.observed(started, err) }()
	}
	if b.stmt != nil {
		return b.stmt.ExecContext(ctx, b.args...)
	}
	return on.ExecContext(ctx, b.text, b.args...)
}

func (q *queries) bind(ctx context.Context, on runner, name string, v values) (bound, error) {
	text, ok := q.texts[name]
	if !ok {
		return bound{}, fmt.Errorf("no statement %q", name)
	}
	args, err := text.Args(v)
	if err != nil {
		return bound{}, err
	}
	return q.bindArgs(ctx, on, name, text.Text, args), nil
}

// bindArgs does the same for parameters in the order of their numbers. The name identifies the
// prepared statement.
func (q *queries) bindArgs(ctx context.Context, on runner, name, text string, args []any) bound {
	q.asked.Add(1)
	if q.style == namedsql.AtP {
		args = oneType(args)
	}
	b := bound{stmt: q.ready(name, text), text: text, args: args, name: name, observe: q.observe}
	if b.stmt == nil {
		return b
	}
	if tx, ok := on.(*sql.Tx); ok {
		b.stmt = tx.StmtContext(ctx, b.stmt)
	} else if on != runner(q.db) {
		b.stmt = nil // prepared statements belong to the connections of q.db
	}
	return b
}

// ready returns the prepared statement. If there is none, it returns nil and records the text
// for warm.
func (q *queries) ready(name, text string) *sql.Stmt {
	if !q.prepare {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	stmt := q.prepared[name]
	if stmt == nil && q.wanted != nil {
		q.wanted[name] = wanted{text, q.wanted[name].runs + 1}
	}
	return stmt
}

// warm prepares the statements that were run twice without being prepared, on engines where that
// pays off: a process runs a few statements many times, and others once. Do not call it inside a
// transaction: with a single connection it would wait for itself. It does nothing while the tables
// do not exist.
func (q *queries) warm(ctx context.Context) {
	if !q.prepare {
		return
	}
	for name, text := range q.unprepared() {
		// Not while holding the lock: the goroutine that has the connection may be waiting for
		// it.
		stmt, err := q.db.PrepareContext(ctx, text)
		if err != nil {
			return
		}
		q.mu.Lock()
		if q.wanted == nil || q.prepared[name] != nil {
			// The pool is closed, or another goroutine was faster; the statement was not run.
			_ = stmt.Close() //nolint:sqlclosecheck // the others stay open until close
		} else {
			q.prepared[name] = stmt
			delete(q.wanted, name)
		}
		q.mu.Unlock()
	}
}

func (q *queries) unprepared() map[string]string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var texts map[string]string
	for name, w := range q.wanted {
		if w.runs < 2 {
			continue
		}
		if texts == nil {
			texts = map[string]string{}
		}
		texts[name] = w.text
	}
	return texts
}

func (q *queries) close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var errs []error
	for _, stmt := range q.prepared {
		errs = append(errs, stmt.Close())
	}
	q.prepared, q.wanted = nil, nil
	return errors.Join(errs...)
}

// eachRow reads rows to the end and closes them.
func eachRow(rows *sql.Rows, scan func() error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return rows.Close()
}

// jsonRows encodes a batch as one parameter.
func jsonRows(batch any) (string, error) {
	text, err := json.Marshal(batch)
	return string(text), err
}
