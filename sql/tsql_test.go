package sql_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/sql"
)

// TestSQLServerFiles checks the files with a strict parser and a list of known pitfalls, since
// no SQL Server is available to check them: see checkTSQL. It does not check semantics (names,
// types, features of a version); the conformance suite does.
func TestSQLServerFiles(t *testing.T) {
	checked := map[string]int{}
	files := os.DirFS(".")
	err := fs.WalkDir(files, "sqlserver", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if path.Ext(name) != ".sql" {
			t.Errorf("%s: want only .sql files here", name)
			return nil
		}
		folder := path.Base(path.Dir(name))
		if folder == "fragments" {
			return nil // checked as parts of the statements
		}
		text, err := sql.Read(files, name)
		if err != nil {
			return err
		}
		checked[folder]++
		t.Run(name, func(t *testing.T) {
			batches := []string{text}
			if folder == "migrations" {
				if batches, err = gooseStatements(text); err != nil {
					t.Fatal(err)
				}
			}
			for _, batch := range batches {
				for _, fault := range checkTSQL(t.Context(), batch) {
					t.Errorf("%s\n%s", fault, strings.TrimSpace(batch))
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"migrations", "queries", "checks", "doctor", "operators"} {
		if checked[folder] == 0 {
			t.Errorf("sqlserver/%s contains no .sql file: nothing was checked", folder)
		}
	}
}

// TestEnginesHaveTheSameFiles finds a migration, a check or an operator's statement that is
// missing for one engine. (The queries of the hot path may differ where an engine requires it.)
func TestEnginesHaveTheSameFiles(t *testing.T) {
	names := func(engine, folder string) (list []string) {
		files, err := fs.Glob(os.DirFS(path.Join(engine, folder)), "*.sql")
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	for _, folder := range []string{"migrations", "checks", "operators"} {
		for _, engine := range []string{"postgres", "sqlserver"} {
			if diff := cmp.Diff(names("sqlite", folder), names(engine, folder)); diff != "" {
				t.Errorf("%s of %s differ from sqlite's (-sqlite +%s):\n%s", folder, engine, engine, diff)
			}
		}
	}
}

// gooseStatements splits a migration into the pieces that goose sends one by one: at each line
// that ends in a semicolon, or at StatementBegin and StatementEnd. It returns the pieces of
// both directions.
func gooseStatements(text string) ([]string, error) {
	var statements []string
	var piece strings.Builder
	whole, started := false, false
	flush := func() {
		statements = append(statements, piece.String())
		piece.Reset()
	}
	for n, line := range strings.Split(text, "\n") {
		if annotation, ok := strings.CutPrefix(line, "-- +goose "); ok {
			if rest := strings.TrimSpace(piece.String()); rest != "" && annotation != "StatementEnd" {
				return nil, fmt.Errorf("line %d: %s, but the previous statement has no semicolon at the end of a line: %q", n+1, annotation, rest)
			}
			switch annotation {
			case "Up", "Down":
				started = true
			case "NO TRANSACTION":
			case "StatementBegin":
				whole = true
			case "StatementEnd":
				whole = false
				flush()
			default:
				return nil, fmt.Errorf("line %d: goose has no annotation %q", n+1, annotation)
			}
			continue
		}
		code := strings.TrimSpace(lineComment.ReplaceAllString(line, ""))
		if code == "" && piece.Len() == 0 {
			continue
		}
		if !started {
			return nil, fmt.Errorf("line %d: %q is before -- +goose Up", n+1, code)
		}
		piece.WriteString(line + "\n")
		if !whole && strings.HasSuffix(code, ";") {
			flush()
		}
	}
	if rest := strings.TrimSpace(piece.String()); rest != "" {
		return nil, fmt.Errorf("the last statement has no semicolon at the end of a line: %q", rest)
	}
	return statements, nil
}

func TestGooseStatements(t *testing.T) {
	got, err := gooseStatements("-- a comment\n-- +goose Up\n-- one\nSELECT 1\n  -- inside\n  + 1; -- end\n\n-- +goose StatementBegin\nSELECT 2;\nSELECT 3;\n-- +goose StatementEnd\n-- +goose Down\nSELECT 4;\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"SELECT 1\n  -- inside\n  + 1; -- end\n", "SELECT 2;\nSELECT 3;\n", "SELECT 4;\n"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("gooseStatements = %q, want %q", got, want)
	}
	for _, text := range []string{
		"-- +goose Up\nSELECT 1\n",
		"-- +goose Up\nSELECT 1\n-- +goose Down\nSELECT 2;\n",
		"-- +goose Upward\nSELECT 1;\n",
		"SELECT 1;\n-- +goose Up\n",
	} {
		if got, err := gooseStatements(text); err == nil {
			t.Errorf("gooseStatements(%q) = %q, want an error", text, got)
		}
	}
}

// Tables with filtered indexes refuse changes while QUOTED_IDENTIFIER is off. That is the
// default in sqlcmd and in job steps, where operators run these files.
func TestChangesByOperatorsSetQuotedIdentifier(t *testing.T) {
	files := os.DirFS("sqlserver")
	names, err := fs.Glob(files, "operators/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	changing := 0
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		statement := strings.TrimSpace(tsqlComment.ReplaceAllString(string(text), ""))
		first, _, _ := strings.Cut(statement, ";")
		if strings.HasPrefix(statement, "SELECT") || strings.HasPrefix(statement, "WITH") {
			continue
		}
		if changing++; first != "SET QUOTED_IDENTIFIER ON" {
			t.Errorf("sqlserver/%s begins with %q, want SET QUOTED_IDENTIFIER ON;", name, first)
		}
	}
	if changing == 0 {
		t.Error("no file changes anything: nothing was checked")
	}
}
