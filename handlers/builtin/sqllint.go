package builtin

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/internal/namedsql"
)

// lintSQL finds parameters without a value and values without a parameter, with which every run
// fails. Only the names count, so the values can be expressions.
func lintSQL(with map[string]any) []handlers.ParamError {
	params, rows, known := sqlValues(with)
	if !known {
		return nil
	}
	var found []handlers.ParamError
	var names []string
	given, used := map[string]bool{}, map[string]bool{}
	for _, name := range slices.Concat(params, rows) {
		given[name] = true
	}
	for _, statement := range sqlStatements(with) {
		for _, name := range namedsql.Compile(statement.text, namedsql.Question).Names {
			if !used[name] {
				names = append(names, name)
			}
			if used[name] = true; !given[name] {
				found = append(found, handlers.ParamError{
					Path: statement.path, Code: handlers.WrongValue, Message: fmt.Sprintf("the parameter @%s has no value", name),
					Hint: similar(name, slices.Concat(params, rows), "write params: {"+name+": …}"),
				})
			}
		}
	}
	if len(names) == 0 && len(params) > 0 && len(sqlStatements(with)) == 0 {
		return found // the missing statement is reported
	}
	for _, name := range params {
		if !used[name] {
			found = append(found, handlers.ParamError{
				Path: []string{"params", name}, Code: handlers.WrongValue, Message: fmt.Sprintf("no statement has the parameter @%s", name),
				Hint: similar(name, names, "remove it, or write @"+name+" where the statement needs it"),
			})
		}
	}
	return found
}

// maxSimilar bounds the names that are compared with a wrong one.
const maxSimilar = 100

// similar returns the hint with the known name that is similar to a wrong one, otherwise another hint.
func similar(name string, known []string, otherwise string) string {
	return cmp.Or(strictyaml.Suggest(name, known[:min(len(known), maxSimilar)]), otherwise)
}

// sqlText is a statement and the path of its parameter.
type sqlText struct {
	text string
	path []string
}

// sqlStatements returns the statements of query and exec. A text with an expression is reported
// elsewhere.
func sqlStatements(with map[string]any) []sqlText {
	var list []sqlText
	add := func(v any, path ...string) {
		if text, ok := v.(string); ok && !strings.Contains(text, "${{") {
			list = append(list, sqlText{text, path})
		}
	}
	add(with["query"], "query")
	add(with["exec"], "exec")
	if statements, ok := with["exec"].([]any); ok {
		for i, v := range statements {
			add(v, "exec", strconv.Itoa(i))
		}
	}
	return list
}

// sqlValues returns the names of the values of params, and of those that all rows have. known is
// false if an expression gives them.
func sqlValues(with map[string]any) (params, rows []string, known bool) {
	values, isMap := with["params"].(map[string]any)
	if with["params"] != nil && !isMap {
		return nil, nil, false
	}
	params = slices.Sorted(maps.Keys(values))
	if with["rows"] == nil {
		return params, nil, true
	}
	list, isList := with["rows"].([]any)
	if !isList || len(list) == 0 {
		return nil, nil, false
	}
	for i, v := range list {
		row, isMap := v.(map[string]any)
		if !isMap {
			return nil, nil, false
		}
		if i == 0 {
			rows = slices.Sorted(maps.Keys(row))
		}
		rows = slices.DeleteFunc(rows, func(name string) bool { _, has := row[name]; return !has })
	}
	return params, rows, true
}
