package builtin

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
)

func TestCSVParse(t *testing.T) {
	day := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	bad := func(row int, column, message string) map[string]any {
		return map[string]any{"row": row, "column": column, "message": message}
	}
	types := map[string]any{"n": "number", "w": "whole", "d": "date", "t": "time", "b": "boolean"}
	for _, c := range []struct {
		name   string
		with   map[string]any
		rows   []any
		errors []any
	}{
		{"texts", map[string]any{"text": "\uFEFFa, b\n 1 ,\"x,\ny\"\n"}, []any{map[string]any{"a": "1", "b": "x,\ny"}}, []any{}},
		{"untrimmed", map[string]any{"text": "a,b\n 1 ,2\n", "trim": false}, []any{map[string]any{"a": " 1 ", "b": "2"}}, []any{}},
		{"header only", map[string]any{"text": "a,b"}, []any{}, []any{}},
		{"tab and no header", map[string]any{"text": "1\t2", "delimiter": `\t`, "header": false}, []any{map[string]any{"column1": "1", "column2": "2"}}, []any{}},
		{"own names", map[string]any{"text": "1,2", "header": false, "names": []any{"x", "y"}}, []any{map[string]any{"x": "1", "y": "2"}}, []any{}},
		{
			"types", map[string]any{"text": "n,w,d,t,b\n-1.5e2,7,2026-01-31,2026-01-31T01:00:00+01:00,Yes\n,,,,\n", "columns": types},
			[]any{
				map[string]any{"n": -150.0, "w": 7, "d": day, "t": day, "b": true},
				map[string]any{"n": nil, "w": nil, "d": nil, "t": nil, "b": nil},
			}, []any{},
		},
		{
			"lines", map[string]any{"text": "a\n\n\"x\ny\"\nz\n", "lineColumn": "at"},
			[]any{map[string]any{"a": "x\ny", "at": 3}, map[string]any{"a": "z", "at": 5}}, []any{},
		},
		{
			"every mistake of a row", map[string]any{"text": "n,w,d,t,b\n0x10,1.5,31.01.2026,noon,maybe\n", "columns": types},
			[]any{}, []any{
				bad(2, "n", `got "0x10", want a number such as 12.5`), bad(2, "w", `got "1.5", want a whole number`),
				bad(2, "d", `got "31.01.2026", want a date as YYYY-MM-DD`), bad(2, "t", `got "noon", want a time such as 2026-01-31T12:30:00Z`),
				bad(2, "b", `got "maybe", want true or false`),
			},
		},
		{
			"bad rows between good ones", map[string]any{"text": "a,b\n1,2\n\n1\n1,2,3\n1,\"x\" y\n3,4\n"},
			[]any{map[string]any{"a": "1", "b": "2"}, map[string]any{"a": "3", "b": "4"}},
			[]any{bad(4, "", "got 1 values, want 2"), bad(5, "", "got 3 values, want 2"), bad(6, "", `extraneous or missing " in quoted-field`)},
		},
		{
			"comma and day first", map[string]any{"text": "n;d\n1,50;31.01.2026\n1.50;1.1.2026\n", "delimiter": ";", "decimal": "comma", "dateFormat": "DD.MM.YYYY", "columns": map[string]any{"n": "number", "d": "date"}},
			[]any{map[string]any{"n": 1.5, "d": day}},
			[]any{bad(3, "n", `got "1.50", want a number such as 12,5`), bad(3, "d", `got "1.1.2026", want a date as DD.MM.YYYY`)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.with["op"], c.with["onBadRow"] = "parse", "collect"
			out, err := run(t, csvKind(Resources{}), c.with, nil)
			want := map[string]any{"rows": c.rows, "errors": c.errors, "count": len(c.rows)}
			if diff := cmp.Diff(any(want), out); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

func TestCSVParseOutcomes(t *testing.T) {
	kind := csvKind(Resources{Folders: []string{tempFolder(t, map[string]string{"a.csv": "a\n1\n", "latin.csv": "\xe1"})}})
	for _, c := range []struct {
		name    string
		with    map[string]any
		input   any
		outcome string
		word    string
	}{
		{"file", map[string]any{"path": "a.csv"}, nil, "success", ""},
		{"input", map[string]any{}, "a\n1\n", "success", ""},
		{"input is no text", map[string]any{}, 5, "permanent", "the number 5"},
		{"missing file", map[string]any{"path": "none.csv"}, nil, "error", "none.csv"},
		{"large file", map[string]any{"path": "a.csv", "maxSize": 3}, nil, "permanent", "maxSize"},
		{"not UTF-8", map[string]any{"path": "latin.csv"}, nil, "business", "UTF-8"},
		{"empty", map[string]any{"text": ""}, nil, "business", "no header"},
		{"name twice", map[string]any{"text": "a,a\n"}, nil, "business", `column "a" twice`},
		{"no name", map[string]any{"text": "a,\n"}, nil, "business", "no name for column 2"},
		{"missing column", map[string]any{"text": "a,b\n", "columns": map[string]any{"c": "date"}}, nil, "business", `column "c" is missing; there are a, b`},
		{"line column taken", map[string]any{"text": "a,line\n1,2\n", "lineColumn": "line"}, nil, "permanent", `lineColumn: the text has a column "line" itself`},
		{"bad row", map[string]any{"text": "a\nx\n1,2\n", "columns": map[string]any{"a": "whole"}}, nil, "business", "line 2, column \"a\": got \"x\", want a whole number\nline 3: got 2 values, want 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.with["op"] = "parse"
			_, err := run(t, kind, c.with, &handlers.Call{Input: c.input})
			if wantError(t, err, c.outcome); c.word != "" {
				wantError(t, err, c.outcome, c.word)
			}
		})
	}
}

func TestCSVFormat(t *testing.T) {
	folder := t.TempDir()
	kind := csvKind(Resources{Folders: []string{folder}})
	rows := []any{
		map[string]any{"b": "x,y", "a": 1.5, "d": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)},
		map[string]any{"b": nil, "a": 10000000.0, "d": time.Date(2026, 1, 31, 1, 0, 0, 0, time.UTC), "e": []any{1}},
	}
	for _, c := range []struct {
		name string
		with map[string]any
		want any
	}{
		{"all columns", map[string]any{}, "a,b,d,e\n1.5,\"x,y\",2026-01-31,\n10000000,,2026-01-31T01:00:00Z,[1]\n"},
		{"chosen", map[string]any{"names": []any{"d", "a"}, "delimiter": ";", "decimal": "comma", "dateFormat": "DD/MM/YYYY"}, "d;a\n31/01/2026;1,5\n2026-01-31T01:00:00Z;10000000\n"},
		{"no header", map[string]any{"names": "a", "header": false}, "1.5\n10000000\n"},
		{"no rows", map[string]any{"rows": []any{}, "names": []any{"a"}}, "a\n"},
		{"to a file", map[string]any{"names": "a", "to": "out/a.csv"}, map[string]any{"path": "out/a.csv", "count": 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.with["op"] = "format"
			out, err := run(t, kind, c.with, &handlers.Call{Input: rows})
			if diff := cmp.Diff(c.want, out); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
	if got := readFile(t, folder, "out", "a.csv"); got != "a\n1.5\n10000000\n" {
		t.Errorf("a.csv = %q", got)
	}
	_, err := run(t, kind, map[string]any{"op": "format"}, &handlers.Call{Input: []any{5}})
	wantError(t, err, "permanent", "row 0 is the number 5")
	_, err = run(t, kind, map[string]any{"op": "format"}, &handlers.Call{Input: "x"})
	wantError(t, err, "permanent", "want a list of rows")
}

func TestCSVValidate(t *testing.T) {
	kind := csvKind(Resources{Folders: []string{t.TempDir()}})
	for _, c := range []struct {
		with map[string]any
		want string
	}{
		{map[string]any{"op": "parse", "delimiter": ""}, "delimiter: got"},
		{map[string]any{"op": "parse", "delimiter": ",,"}, "delimiter: got"},
		{map[string]any{"op": "parse", "delimiter": `"`}, "delimiter: got"},
		{map[string]any{"op": "parse", "columns": map[string]any{"a": "int"}}, `columns.a: got "int", want one of text`},
		{map[string]any{"op": "parse", "dateFormat": "DD.MM.YY"}, "dateFormat: got"},
		{map[string]any{"op": "parse", "text": "", "path": "a"}, "path: give text or path"},
		{map[string]any{"op": "parse", "rows": []any{}}, "rows: goes with format"},
		{map[string]any{"op": "parse", "to": "a"}, "to: goes with format"},
		{map[string]any{"op": "parse", "names": []any{"a"}}, "names: goes with header: false"},
		{map[string]any{"op": "format", "lineColumn": "line"}, "lineColumn: goes with parse"},
		{map[string]any{"op": "format", "text": ""}, "text: goes with parse"},
		{map[string]any{"op": "format", "path": "a"}, "the file to write is to"},
		{map[string]any{"op": "format", "to": "../a"}, "to: path \"../a\" is outside"},
	} {
		wantInvalid(t, kind, c.with, c.want)
	}
}

func TestCSVWithoutHeader(t *testing.T) {
	kind := csvKind(Resources{})
	wantInvalid(t, kind, map[string]any{"op": "parse", "header": false, "names": []any{"a", "a"}}, `names: got "a" twice`)
	for _, c := range []struct {
		names   any
		outcome string
	}{{[]any{"a", "amount"}, "permanent"}, {nil, "business"}} {
		_, err := run(t, kind, map[string]any{
			"op": "parse", "text": "1,2\n", "header": false, "names": c.names, "columns": map[string]any{"amout": "number"},
		}, nil)
		wantError(t, err, c.outcome, `the column "amout" is missing`)
	}
}
