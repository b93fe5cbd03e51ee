package sqlstore

import (
	"fmt"
	"reflect"

	"gorm.io/gorm/schema"

	sqlfiles "botwork/sql"
)

// Fields of itemRow, in the order in which statements return their columns.
var (
	wholeFields   = itemFields(sqlfiles.WholeItem)
	claimedFields = itemFields(sqlfiles.ClaimedItem)
)

// fieldOfColumn has the index of each column's field in itemRow.
var fieldOfColumn = func() map[string]int {
	byColumn := map[string]int{}
	row := reflect.TypeFor[itemRow]()
	for i := range row.NumField() {
		field := row.Field(i)
		column := schema.ParseTagSetting(field.Tag.Get("gorm"), ";")["COLUMN"]
		if column == "" {
			column = field.Name
		}
		byColumn[column] = i
	}
	return byColumn
}()

// itemFields returns the indexes of the fields for the columns of a list. It panics if a column
// has no field, because no statement of that list could be read.
func itemFields(list sqlfiles.ItemList) []int {
	var fields []int
	for _, column := range sqlfiles.ItemColumns(list) {
		at, ok := fieldOfColumn[column]
		if !ok {
			panic(fmt.Sprintf("sqlstore: itemRow has no field for the column %s of sql/item_columns.txt", column))
		}
		fields = append(fields, at)
	}
	return fields
}

// whole returns pointers to scan {{item_columns}} into.
func (r *itemRow) whole() []any { return r.pointers(wholeFields) }

// claimed returns pointers to scan {{claimed_columns}} and {{claimed_too_large}} into.
func (r *itemRow) claimed() []any { return append(r.pointers(claimedFields), &r.LeftOut) }

func (r *itemRow) pointers(fields []int) []any {
	row := reflect.ValueOf(r).Elem()
	pointers := make([]any, len(fields), len(fields)+1)
	for i, at := range fields {
		pointers[i] = row.Field(at).Addr().Interface()
	}
	return pointers
}
