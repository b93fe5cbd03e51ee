package builtin

import (
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"botwork/handlers"
	"botwork/internal/database"
	"botwork/internal/values"
)

// sqlArgs converts the values of expressions to values for drivers.
func sqlArgs(driver database.Driver, params []any) ([]any, error) {
	args := make([]any, len(params))
	for i, v := range params {
		switch v := v.(type) {
		case nil:
		case time.Time:
			args[i] = v.UTC()
			if driver == database.SQLite {
				// The driver's own form carries a zone's name, which neither
				// SQLite's functions nor a text comparison understand.
				args[i] = v.UTC().Format("2006-01-02 15:04:05.999999999")
			}
		case json.Number:
			if driver == database.SQLite {
				return nil, fmt.Errorf("%s needs more than 64 bits, which SQLite does not store exactly; pass it as text: string(…)", values.Describe(v))
			}
			args[i] = v.String() // the other databases convert it to the type of its column
		default:
			args[i] = v
			if k := reflect.TypeOf(v).Kind(); k == reflect.Slice || k == reflect.Map {
				text, err := encodeJSON(v, "")
				if err != nil {
					return nil, fmt.Errorf("write a parameter as json: %w", err)
				}
				args[i] = text
			}
		}
	}
	return args, nil
}

// readRows reads all rows, at most limit, as maps by column name. Two columns
// of one name are an error: one of them would be lost.
func readRows(rows *sql.Rows, limit int) ([]any, error) {
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		if slices.Contains(names[:i], c.Name()) {
			return nil, handlers.Permanent(fmt.Errorf("the query returns two columns named %q; name them apart with AS", c.Name()))
		}
		names[i] = c.Name()
	}
	list := []any{}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if len(list) == limit {
			return nil, handlers.Permanent(fmt.Errorf("the query returns more than %d rows; narrow it or raise maxRows", limit))
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		row := make(map[string]any, len(columns))
		for i, name := range names {
			row[name] = sqlResult(columns[i].DatabaseTypeName(), values[i])
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

func sqlResult(databaseType string, v any) any {
	data, ok := v.([]byte)
	if !ok {
		if n, whole := v.(int64); whole && databaseType == "BOOLEAN" {
			return n != 0 // SQLite has no separate type for it
		}
		return values.Plain(v)
	}
	if databaseType == "UNIQUEIDENTIFIER" {
		var id mssql.UniqueIdentifier
		if id.Scan(data) == nil {
			return id.String() // SQL Server swaps the bytes of the first three groups
		}
	}
	if utf8.Valid(data) {
		return string(data)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// classifySQL marks errors for invalid SQL as permanent.
func classifySQL(err error) error {
	var onPostgres *pgconn.PgError
	var onServer mssql.Error
	var onSQLite *sqlite.Error
	wrong := false
	switch {
	case errors.As(err, &onPostgres):
		// Class 42 is syntax and access rules; 42501 (no privilege) can be granted.
		wrong = len(onPostgres.Code) == 5 && onPostgres.Code[:2] == "42" && onPostgres.Code != "42501"
	case errors.As(err, &onServer):
		// Syntax near, unclosed quote, no such function, column, object or procedure,
		// and a column of a table that the statement does not name.
		wrong = slices.Contains([]int32{102, 105, 156, 195, 207, 208, 2812, 4104}, onServer.Number)
	case errors.As(err, &onSQLite):
		// The generic code is bad syntax and unknown names.
		wrong = onSQLite.Code() == sqlite3.SQLITE_ERROR
	}
	var permanent *handlers.PermanentError
	if wrong || errors.As(err, &permanent) {
		return handlers.Permanent(err)
	}
	return err
}
