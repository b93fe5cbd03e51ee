package sqlstore

import (
	"database/sql/driver"
	"reflect"
	"strconv"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"gorm.io/driver/sqlserver"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// SQL Server caches one plan for each statement text and list of parameter types. Its driver
// declares a text as nvarchar with the length of the text, so each length would make another
// plan. Here all texts are nvarchar(max). A statement that compares a text with a column casts
// it to a type like that of the column, since a comparison with nvarchar(max) may not use an
// index.

// comparedLen is the length of that type. It is longer than all columns that texts are compared
// with, so a truncated text equals none of them.
const comparedLen = 450

// oneType gives all texts the same type, whatever their lengths.
func oneType(args []any) []any {
	for i, arg := range args {
		switch text := arg.(type) {
		case string:
			args[i] = mssql.NVarCharMax(text)
		case *string:
			if text != nil {
				args[i] = mssql.NVarCharMax(*text)
			}
		}
	}
	return args
}

// sqlServerDialector does the same for the statements of gorm.
type sqlServerDialector struct{ *sqlserver.Dialector }

// BindVarTo implements gorm.Dialector.
func (d sqlServerDialector) BindVarTo(w clause.Writer, stmt *gorm.Statement, v any) {
	last := len(stmt.Vars) - 1
	value := plain(v)
	name := "@p" + strconv.Itoa(last+1)
	switch x := value.(type) {
	case string:
		stmt.Vars[last] = mssql.NVarCharMax(x)
		if len(x) <= comparedLen {
			name = "CAST(" + name + " AS NVARCHAR(" + strconv.Itoa(comparedLen) + "))"
		}
	case time.Time:
		// The driver sends a datetimeoffset; comparing it would convert the column.
		name = "CAST(" + name + " AS DATETIME2(3))"
	}
	_, _ = w.WriteString(name)
}

// plain returns the value that the driver gets for a parameter.
func plain(v any) any {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return nil
		}
		if _, ok := v.(driver.Valuer); !ok {
			return plain(r.Elem().Interface())
		}
	}
	if valuer, ok := v.(driver.Valuer); ok {
		value, err := valuer.Value()
		if err != nil {
			return nil // database/sql calls it again and returns the error
		}
		return value
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return r.String()
	}
	return v
}
