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
		return fault(err.Error(), "this program is damaged: reinstall it")
	}
	applied := map[int64]bool{}
	var newest int64
	err = d.query(ctx, "schema", func(rows *sql.Rows) error {
		var v int64
		err := rows.Scan(&v)
		applied[v] = true
		newest = max(newest, v)
		return err
	})
	if err != nil && !noSuchTable(err) {
		return d.queryFailed(ctx, err)
	}
	for _, v := range known {
		if !applied[v] {
			d.waiting++
		}
	}
	return evaluateSchema(d.waiting, newest, known[len(known)-1])
}

// evaluateSchema reports whether the schema fits this program: waiting is the number of pending
// migrations, newest the latest applied one, and known the latest one of this program.
func evaluateSchema(waiting int, newest, known int64) []Result {
	const migrate = "`botwork run` applies them when it starts, if its login may change the schema; otherwise run `botwork db migrate` with another login"
	switch {
	case newest == 0:
		return warning("the tables do not exist yet, or this login may not see them", migrate)
	case waiting > 0:
		return warning(fmt.Sprintf("migration %d was applied last; %s pending", newest, counted(waiting, "migration")), migrate)
	case newest > known:
		return warning(fmt.Sprintf("the schema is newer than this program: migration %d was applied, this program knows migrations up to %d", newest, known),
			"install the version of the program that the other workers have")
	}
	return ok(fmt.Sprintf("migration %d, the latest", newest))
}

// migrations returns the versions of the schema that this program knows, in order.
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

// noSuchTable reports whether the error means that the schema was never created.
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
