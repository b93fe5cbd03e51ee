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

// SQL Server keeps a plan for each text of a statement and each list of its parameters'
// types. Its driver declares a text as nvarchar of its length, so that each length would
// make another plan. All texts are nvarchar(max) here; where one is compared with a
// column, the statement casts it to a type of the column's kind, since a comparison with
// nvarchar(max) may not use an index as well.

// comparedLen is the size of that type: more than all columns that texts are compared
// with have, so that a text which is cut equals none of them.
const comparedLen = 450

// oneType makes texts one type, whatever their lengths.
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

// sqlServerDialector does the same for the statements that gorm writes.
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
		// The driver sends a datetimeoffset, to which a column would be converted.
		name = "CAST(" + name + " AS DATETIME2(3))"
	}
	_, _ = w.WriteString(name)
}

// plain is the value that a driver gets for a parameter.
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
			return nil // database/sql asks again, and returns the error
		}
		return value
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return r.String()
	}
	return v
}
