package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	sqlfiles "botwork/sql"
)

// schema compares the migrations that were applied with those of this program.
func (d *Doctor) schema(ctx context.Context) []Result {
	known, err := d.migrations()
	if err != nil {
		return fault(err.Error(), "this program is damaged: install it again")
	}
	applied := map[int64]bool{}
	var newest int64
	err = d.ask(ctx, "schema", func(rows *sql.Rows) error {
		var v int64
		err := rows.Scan(&v)
		applied[v] = true
		newest = max(newest, v)
		return err
	})
	if err != nil && !noSuchTable(err) {
		return d.unanswered(ctx, err)
	}
	for _, v := range known {
		if !applied[v] {
			d.waiting++
		}
	}
	return judgeSchema(d.waiting, newest, known[len(known)-1])
}

// judgeSchema says whether the schema fits: how many migrations wait, the newest
// that was applied, and the newest that this program knows.
func judgeSchema(waiting int, newest, known int64) []Result {
	const mend = "`botwork run` applies them when it starts, if its login may change the schema; `botwork db migrate` does it for one that may not"
	switch {
	case newest == 0:
		return warning("the tables are not there yet, or this login may not see them", mend)
	case waiting > 0:
		return warning(fmt.Sprintf("migration %d was applied last; %s of this program to come", newest, counted(waiting, "migration")), mend)
	case newest > known:
		return warning(fmt.Sprintf("the schema is newer than this program: migration %d was applied, %d is the newest known here", newest, known),
			"install the version of the program that the other workers have")
	}
	return ok(fmt.Sprintf("migration %d, the newest", newest))
}

// migrations are the versions of the schema that this program knows, in order.
func (d *Doctor) migrations() ([]int64, error) {
	files, err := fs.Glob(sqlfiles.Files, path.Join(string(d.o.Driver), "migrations", "*.sql"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("read the migrations of %s: %w", d.o.Driver, errors.Join(err, fs.ErrNotExist))
	}
	versions := make([]int64, len(files))
	for i, file := range files {
		number, _, _ := strings.Cut(path.Base(file), "_")
		if versions[i], err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, fmt.Errorf("read the migrations of %s: %w", d.o.Driver, err)
		}
	}
	return versions, nil
}

// noSuchTable reports whether the schema was never created.
func noSuchTable(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "42P01"
	}
	if ms, ok := errors.AsType[mssql.Error](err); ok {
		return ms.Number == 208
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == sqlite3.SQLITE_ERROR && strings.Contains(e.Error(), "no such table")
}
