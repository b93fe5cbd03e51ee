package namedsql_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/internal/namedsql"
)

// FuzzCompile replaces the numbers by the names again and compares the result with the
// original text: nothing else may change, in any style. Every number must have a name,
// and every name a value.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		"", "SELECT @a, @b, @a", "'@a' \"@b\" [@c] -- @d\n@e /* @f */ @g", "@@ROWCOUNT @a::bigint", "a @> @b", "'", "/*", "--", "[", "@", "@@", "@1", "a@b.c", "[a]]@b]", "é@é",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const mark = "\x00" // for a test style; no text contains it
		if strings.Contains(text, mark) {
			return
		}
		s := namedsql.Compile(text, mark)
		pairs := []string{}
		values := map[string]any{}
		for i, name := range slices.Backward(s.Names) { // 12 before 1
			pairs = append(pairs, fmt.Sprint(mark, i+1), "@"+name)
			if values[name] != nil || name == "" {
				t.Fatalf("Compile(%q) names %q", text, s.Names)
			}
			values[name] = i + 1
		}
		if got := strings.NewReplacer(pairs...).Replace(s.Text); got != text {
			t.Errorf("Compile(%q) = %q: the names put back give %q", text, s.Text, got)
		}
		if args, err := s.Args(values); err != nil || len(args) != len(s.Names) {
			t.Errorf("Args of %q = %v, %v", text, args, err)
		}
		for _, style := range []namedsql.Style{namedsql.Question, namedsql.Dollar, namedsql.AtP} {
			if other := namedsql.Compile(text, style); !slices.Equal(other.Names, s.Names) || other.Text != strings.ReplaceAll(s.Text, mark, string(style)) {
				t.Errorf("Compile(%q) in style %q = %+v", text, style, other)
			}
		}
	})
}
