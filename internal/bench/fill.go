package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// fillAtOnce is the number of rows that one statement inserts.
const fillAtOnce = 100_000

// filler inserts rows into the queue's table, 100,000 at a time. The rows are copies of
// items that the program has enqueued or run, with other times, so that they look like
// real items.
type filler struct {
	db       *sql.DB
	dialect  fillDialect
	columns  []string // quoted, without Id
	ran      int64    // the id of a processed item to copy
	progress func(more int)
}

// fillDialect has the SQL that differs between engines. numbers selects rows with a
// column i from 1 to %d; shifted is the time %s seconds from now.
type fillDialect struct{ with, numbers, shifted, analyse string }

var fillDialects = map[database.Driver]fillDialect{
	database.SQLite: {
		with:    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `,
		numbers: `n`,
		shifted: `strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', (%s) || ' seconds')`,
	},
	database.Postgres: {
		numbers: `generate_series(1, %d) AS n(i)`,
		shifted: `date_trunc('milliseconds', statement_timestamp()) + (%s) * INTERVAL '1 second'`,
		// Autovacuum would otherwise do this during the measurement.
		analyse: `VACUUM (ANALYZE) "BotWorkQueueItems"`,
	},
	database.SQLServer: {
		numbers: `(SELECT TOP (%d) ROW_NUMBER() OVER (ORDER BY a.object_id) AS i
			FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS n`,
		shifted: `DATEADD(second, %s, CAST(SYSUTCDATETIME() AS DATETIME2(3)))`,
	},
}

func (c Common) newFiller(ctx context.Context, dsn string) (*filler, error) {
	dialect, ok := fillDialects[c.Driver]
	if !ok {
		_, err := database.ParseDriver(string(c.Driver))
		return nil, err
	}
	db, err := database.Open(c.Driver, dsn)
	if err != nil {
		return nil, err
	}
	f := &filler{db: db, dialect: dialect, progress: c.progress}
	if f.columns, err = columnsOf(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return f, nil
}

// columnsOf returns the quoted names of the queue's columns except Id.
func columnsOf(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT * FROM "BotWorkQueueItems" WHERE 1 = 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, name := range names {
		if name != "Id" {
			columns = append(columns, `"`+name+`"`)
		}
	}
	return columns, rows.Err()
}

// times maps columns to SQL expressions over the row number i: the time of a copy, in
// seconds from now. Columns that are not in the map keep the value of the original.
type times map[string]string

// copies inserts n copies of the item with the given id.
func (f *filler) copies(ctx context.Context, id int64, n int, at times) error {
	values := make([]string, len(f.columns))
	for i, column := range f.columns {
		values[i] = "t." + column
		if seconds, ok := at[strings.Trim(column, `"`)]; ok {
			values[i] = fmt.Sprintf(f.dialect.shifted, seconds)
		}
	}
	for n > 0 {
		batch := min(n, fillAtOnce)
		with, numbers := f.dialect.with, f.dialect.numbers
		if with != "" {
			with = fmt.Sprintf(with, batch)
		} else {
			numbers = fmt.Sprintf(numbers, batch)
		}
		_, err := f.db.ExecContext(ctx, fmt.Sprintf(`%sINSERT INTO "BotWorkQueueItems" (%s) SELECT %s FROM %s CROSS JOIN "BotWorkQueueItems" t WHERE t."Id" = %d`,
			with, strings.Join(f.columns, ", "), strings.Join(values, ", "), numbers, id))
		if err != nil {
			return fmt.Errorf("fill the table: %w", err)
		}
		n -= batch
		f.progress(batch)
	}
	return nil
}

// last returns the largest id.
func (f *filler) last(ctx context.Context) (id int64, err error) {
	err = f.db.QueryRowContext(ctx, `SELECT COALESCE(MAX("Id"), 0) FROM "BotWorkQueueItems"`).Scan(&id)
	return id, err
}

// between counts the rows whose id is greater than after and at most last.
func (f *filler) between(ctx context.Context, after, last int64) (n int, err error) {
	err = f.db.QueryRowContext(ctx, fmt.Sprintf(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "Id" > %d AND "Id" <= %d`, after, last)).Scan(&n)
	return n, err
}

// analyse updates the engine's statistics after rows were inserted.
func (f *filler) analyse(ctx context.Context) error {
	if f.dialect.analyse == "" {
		return nil
	}
	_, err := f.db.ExecContext(ctx, f.dialect.analyse)
	return err
}

// enqueueOne enqueues one item and returns its id; copies are made of this item.
func enqueueOne(ctx context.Context, store *sqlstore.Store, it workqueue.NewItem) (int64, error) {
	made, err := store.Enqueue(ctx, []workqueue.NewItem{it})
	if err != nil {
		return 0, err
	}
	return made[0].ID, nil
}
