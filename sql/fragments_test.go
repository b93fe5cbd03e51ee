package sql

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/expanded")

var engines = []string{"sqlite", "postgres", "sqlserver"}

// The golden files contain what a server executes, without whole lines of comment: a change of
// a golden file is a change of a statement.
func TestExpandedStatements(t *testing.T) {
	const root = "testdata/expanded"
	for _, engine := range engines {
		for _, folder := range []string{"queries", "checks"} {
			statements, err := Load(Files, engine, folder)
			if err != nil {
				t.Fatal(err)
			}
			if len(statements) == 0 {
				t.Errorf("%s/%s contains no statement", engine, folder)
			}
			golden := filepath.Join(root, engine, folder)
			if *update {
				if err := os.RemoveAll(golden); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(golden, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for name, statement := range statements {
				file := filepath.Join(golden, name+".sql")
				got := withoutCommentLines(statement)
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					continue
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Errorf("%v; -update writes it", err)
					continue
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", file, diff)
				}
			}
			goldens, err := filepath.Glob(filepath.Join(golden, "*.sql"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range goldens {
				if _, ok := statements[strings.TrimSuffix(filepath.Base(file), ".sql")]; !ok {
					t.Errorf("%s has no statement; -update removes it", file)
				}
			}
		}
	}
}

func withoutCommentLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// A fragment that no statement includes is dead text, and each must document what it is.
func TestFragmentsAreUsedAndDocumented(t *testing.T) {
	for _, engine := range engines {
		e := newExpander(Files, engine)
		for _, folder := range []string{"queries", "checks"} {
			if _, err := e.load(folder); err != nil {
				t.Fatal(err)
			}
		}
		names, err := fs.Glob(Files, path.Join(engine, "fragments", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range names {
			name := strings.TrimSuffix(path.Base(file), ".sql")
			if _, used := e.fragments[name]; !used {
				t.Errorf("sql/%s: no statement uses the fragment", file)
			}
			text, err := fs.ReadFile(Files, file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(text), "-- "+name+": ") {
				t.Errorf("sql/%s: want a first line \"-- %s: what it returns\"", file, name)
			}
		}
	}
}

func TestRead(t *testing.T) {
	fragments := map[string]string{
		"now":        "-- now: the clock.\nCOALESCE(@now, clock())\n",
		"later":      "-- later: a time after now.\n-- Parameters: ms\nplus({{now}}, {{ms}})\n",
		"conditions": "-- conditions: what is due.\n-- Parameters: row\nAND {{row}}Due <= {{now}}\n  AND {{row}}State = 0\n",
		"nested":     "-- nested: conditions of i.\n-- include: conditions row=i.\n",
		"self":       "-- self: includes itself.\n{{other}}\n",
		"other":      "-- other: includes self.\n{{self}}\n",
		"unused":     "-- unused: declares too much.\n-- Parameters: row\nSELECT 1\n",
		"empty":      "-- empty: nothing.\n",
	}
	for _, c := range []struct{ text, want, fault string }{
		{text: "SELECT {{now}}, {{now}};", want: "SELECT COALESCE(@now, clock()), COALESCE(@now, clock());"},
		{text: "-- {{now}} in a comment stays\nSELECT 1;", want: "-- {{now}} in a comment stays\nSELECT 1;"},
		{text: "SELECT {{later ms={{later ms=1}}}};", want: "SELECT plus(COALESCE(@now, clock()), plus(COALESCE(@now, clock()), 1));"},
		{text: "WHERE 1 = 1\n  -- include: conditions row=\nORDER BY 1;", want: "WHERE 1 = 1\n  AND Due <= COALESCE(@now, clock())\n    AND State = 0\nORDER BY 1;"},
		{text: "  -- include: nested\n", want: "  AND i.Due <= COALESCE(@now, clock())\n    AND i.State = 0\n"},
		{text: "{{nosuch}}", fault: `unknown fragment "nosuch"`},
		{text: "{{../now}}", fault: `invalid fragment name "../now"`},
		{text: "{{self}}", fault: `includes itself: self -> other -> self`},
		{text: "{{later}}", fault: `has the parameters ["ms"], but the call passes []`},
		{text: "{{now ms=1}}", fault: `has the parameters [], but the call passes ["ms"]`},
		{text: "{{later 1}}", fault: `argument "1" is not written as name=value`},
		{text: "{{later ms=1; ms=2}}", fault: `argument "ms" is passed twice`},
		{text: "{{now", fault: `unpaired braces in "{{now"`},
		{text: "{{unused row=i}}", fault: `parameter "row" is declared but not used`},
		{text: "{{empty}}", fault: `no text after the comment`},
		{text: "{{item_columns}}", fault: `list "item" has the parameter row, but the call passes []`},
		{text: "{{copied_columns row=; i=}}", fault: `list "copy" has the parameter row, but the call passes ["i" "row"]`},
		{text: "{{claimed_columns row=}}", fault: `unknown fragment "claimed_large"`},
	} {
		files := fstest.MapFS{"e/queries/q.sql": {Data: []byte(c.text)}}
		for name, text := range fragments {
			files["e/fragments/"+name+".sql"] = &fstest.MapFile{Data: []byte(text)}
		}
		got, err := Read(files, "e/queries/q.sql")
		if c.fault == "" {
			if err != nil || got != c.want {
				t.Errorf("Read(%q) = %q, %v; want %q", c.text, got, err, c.want)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.fault) || !strings.HasPrefix(err.Error(), "sql/e/queries/q.sql: ") {
			t.Errorf("Read(%q): error %v, want the file and %q", c.text, err, c.fault)
		}
	}
}

func TestLoadNamesStatementsByFile(t *testing.T) {
	statements, err := Load(fstest.MapFS{
		"e/queries/one.sql": {Data: []byte("SELECT 1;")},
		"e/checks/two.sql":  {Data: []byte("SELECT 2;")},
	}, "e", "queries")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"one": "SELECT 1;"}, statements); diff != "" {
		t.Errorf("Load differs (-want +got):\n%s", diff)
	}
}
