package bounded

import (
	"testing"

	"github.com/expr-lang/expr"
	"github.com/google/go-cmp/cmp"
)

// TestExpressionsGiveTheSame checks that this package and the library return the same
// result for each expression.
func TestExpressionsGiveTheSame(t *testing.T) {
	for _, source := range []string{
		`1 + 2`, `"a" + "b"`, `payload.one.x + 1`, `"id " + payload.list[0].name`, `payload.none ?? "none"`, `payload.none?.x`,
		`len("äöü")`, `len(payload.list)`, `len(payload.list ?? [])`, `upper("straße")`, `lower("ÄB")`, `trim(" a ")`, `trim("xax", "x")`, `trimPrefix("abc", "a")`,
		`trimSuffix("abc", "c")`, `split("a,b,c", ",")`, `split("a,b,c", ",", 2)`, `splitAfter("a,b,c", ",")`, `replace("aba", "a", "c")`, `replace("aba", "a", "c", 1)`,
		`repeat("ab", 3)`, `repeat("ab", -1)`, `join(["a", "b"], "-")`, `join(["a", "b"])`, `join(split("a b", " "), "+")`, `join([1])`, `indexOf("abc", "c")`, `lastIndexOf("abca", "a")`,
		`hasPrefix("abc", "ab")`, `hasSuffix("abc", "bc")`, `"abc" contains "b"`, `"abc" startsWith "a"`, `"abc" endsWith "c"`, `"abc" matches "^a.c$"`, `"abc" matches "^" + "a"`,
		`nil matches "a"`, `payload.none contains "a"`, `1 in [1, 2]`, `3 not in [1, 2]`, `payload.one.x in [payload.one.x]`, `"x" in payload.one`, `payload.one == {x: 1}`,
		`payload.list[0:2] | map(.id)`, `map(payload.list[:3], .id)`, `filter(payload.list, .id < 3) | map(.name)`, `map(filter(payload.list, .id < 3), .id * 2)`,
		`count(payload.list, .id > 10)`, `count(payload.list, .id > 10) > 5`, `count([true, false])`, `sum([1, 2, 3])`, `sum(payload.list, .id)`, `sum(1..10)`, `reduce(1..10, #acc + #)`, `reduce(1..10, #acc + #, 5)`,
		`reduce(["a", "b"], #acc + # + ";", "")`, `reduce(["a", "b"], #acc + #)`, `find(payload.list, .id == 3).id`, `findIndex(1..5, # == 3)`, `findLast(1..5, # < 3)`, `findLastIndex(1..5, # < 3)`,
		`all(1..3, # > 0)`, `any(1..3, # > 2)`, `one(1..3, # == 2)`, `none(1..3, # > 5)`, `all(1..3, # > 0) and all(1..3, # < 9)`, `groupBy(1..5, # % 2 == 0 ? "even" : "odd")`,
		`sort([3, 1, 2])`, `sort([3, 1, 2], "desc")`, `sort(["b", "a"])`, `sortBy(payload.list[:3], -.id) | map(.id)`, `sortBy(payload.list[:3], .id, "desc") | map(.id)`, `reverse(1..3)`, `uniq([1, 2, 1, "a", "a", 1.0, nil, nil])`, `uniq([{a: 1}, {a: 1}, {a: 2}])`,
		`uniq(["b", "a", "b"])`, `concat([1], [2, 3])`, `flatten([1, [2, [3]]])`, `first([1, 2])`, `last([1, 2])`, `take([1, 2, 3], 2)`, `get({a: 1}, "a")`, `get([1], 5)`, `keys({a: 1})`, `values({a: 1})`, `toPairs({a: 1})`, `fromPairs([["a", 1]])`,
		`min(1, 2)`, `max([1, 2, 3])`, `mean([1, 2])`, `median([1, 2, 3])`, `min([[1], 2])`, `int("42")`, `float("1.5")`, `string(1.5)`, `string([1, "a"])`, `type("a")`, `abs(-1)`, `ceil(1.2)`, `floor(1.8)`, `round(1.5)`,
		`toJSON({a: [1, "<ü>", nil]})`, `fromJSON("{\"a\": [1.5, \"x,y\"]}")`, `payload.one.x - 5`, `payload.one.x * -2`, `payload.one - 1`, `nil * 2`, `now - now`, `toBase64("abc")`, `fromBase64("YWJj")`, `date("2026-01-02")`, `date("02.01.2026", "02.01.2006")`, `duration("90m")`, `date("2026-01-02 03:04", "2006-01-02 15:04", "Europe/Lisbon")`,
		`now.Format("2006-01-02")`, `now.Year()`, `(now - duration("1h")).Hour()`, `now.Add(duration("1h")).Minute()`, `now > date("2026-01-01")`, `now.In(timezone("Europe/Lisbon")).Hour()`, `bitand(6, 3)`, `bitnot(1)`, `2 ** 3`, `-payload.one.x`, `not true`,
		`let x = 5; x * 2`, `let x = "a"; let y = x + "b"; y + x`, `payload.one.x > 0 ? "yes" : "no"`, `if payload.one.x > 0 { "yes" } else { "no" }`, `({("a" + "b"): 1})`, `payload.one["x"]`, `payload.one[lower("X")]`, `payload.list[1].tags[0]`,
		`map(1..3, map(1..#, #))`, `map(payload.list[:2], filter(.tags, # == "a"))`, `map(payload.list[:2], len(.name))`, `map(payload.list[:2], .name + "!")`, `filter(payload.list, .name == payload.list[0].name) | len()`, `payload.list | filter(.id < 5) | sum(.id)`,
		`payload.text[:3]`, `int("x")`, `payload.none.x`, `[1][5]`, `payload.one + 1`, `payload.list + payload.list`, `nil + 1`, `find(1..3, # > 5)`, `find(1..3, # > 5)?.x`, `first(filter(1..3, # > 1))`, `last(filter(1..3, # > 1))`, `len(filter(1..3, # > 1))`,
	} {
		plain, err := expr.Compile(source, expr.Env(kinds), expr.Timezone("UTC"))
		if err != nil {
			if _, ours := Compile(source, kinds, expr.Timezone("UTC")); ours == nil || ours.Error() != err.Error() {
				t.Errorf("%s: compiles with %v, want %v", source, ours, err)
			}
			continue
		}
		want, wantErr := expr.Run(plain, variables())
		made := compile(t, source)
		if made.Type() != plain.Node().Type() {
			t.Errorf("%s has the type %v, want %v", source, made.Type(), plain.Node().Type())
		}
		var m Machine
		m.Start(t.Context())
		got, gotErr := m.Run(made, variables())
		if (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s: error %v, want %v", source, gotErr, wantErr)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", source, diff)
		}
	}
}

// TestOrdinaryExpressionsCostNothing checks that the expressions in most files have no
// overhead.
func TestOrdinaryExpressionsCostNothing(t *testing.T) {
	for _, source := range []string{
		`payload.one.x == 1`, `payload.text`, `payload.one.x > 3 and payload.text != "x"`, `len(payload.list) > 0`, `len(payload.list ?? []) == 0`,
		`payload.text contains "x"`, `payload.text in ["a", "b"]`, `payload.text startsWith "a"`, `payload.one.x * 2 > 3`, `payload.list[0].name ?? "none"`,
	} {
		if p := compile(t, source); p.charges {
			t.Errorf("%s charges its budget, although it reads each value once", source)
		}
	}
}
