package namedsql_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/namedsql"
)

func TestCompile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		style      namedsql.Style
		want       namedsql.Statement
	}{
		{"numbers in order of first use", "SELECT @b, @a, @b", namedsql.Dollar, namedsql.Statement{Text: "SELECT $1, $2, $1", Names: []string{"b", "a"}}},
		{"sqlite", "WHERE x=@x", namedsql.Question, namedsql.Statement{Text: "WHERE x=?1", Names: []string{"x"}}},
		{"sql server", "WHERE x=@x;", namedsql.AtP, namedsql.Statement{Text: "WHERE x=@p1;", Names: []string{"x"}}},
		{"casts and globals stay", "SELECT @@ROWCOUNT, @n::bigint", namedsql.Dollar, namedsql.Statement{Text: "SELECT @@ROWCOUNT, $1::bigint", Names: []string{"n"}}},
		{"literals stay", "SELECT '@no ''@no', \"@no\", [@x] -- @no\n, @yes /* @no */", namedsql.Question, namedsql.Statement{Text: "SELECT '@no ''@no', \"@no\", [?1] -- @no\n, ?2 /* @no */", Names: []string{"x", "yes"}}},
		{"operators of json stay", "SELECT a @> @b", namedsql.Dollar, namedsql.Statement{Text: "SELECT a @> $1", Names: []string{"b"}}},
		{"unclosed literal", "SELECT '@x", namedsql.Dollar, namedsql.Statement{Text: "SELECT '@x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, namedsql.Compile(c.text, c.style)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArgs(t *testing.T) {
	s := namedsql.Compile("SELECT @b, @a", namedsql.Dollar)
	args, err := s.Args(map[string]any{"a": 1, "b": "two"})
	if err != nil || !cmp.Equal(args, []any{"two", 1}) {
		t.Errorf("Args = %v, %v, want [two 1]", args, err)
	}
	if _, err := s.Args(map[string]any{"a": 1}); err == nil || err.Error() != "sql parameter @b has no value" {
		t.Errorf("missing value: err = %v", err)
	}
	if _, err := s.Args(map[string]any{"a": 1, "b": 2, "c": 3}); err == nil || err.Error() != `value "c" has no parameter @c in the statement` {
		t.Errorf("extra value: err = %v", err)
	}
}
