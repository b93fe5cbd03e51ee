package bounded

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"
)

// variables returns the variables of the tests.
func variables() map[string]any { return maps.Clone(given()) }

var given = sync.OnceValue(func() map[string]any {
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{"id": i, "name": "a name", "tags": []any{"a", "b"}}
	}
	return map[string]any{
		"payload": map[string]any{"list": list, "text": strings.Repeat("abcdefgh", 1<<17), "one": map[string]any{"x": 1}},
		"now":     time.Date(2026, 11, 11, 1, 1, 1, 0, time.UTC),
	}
})

var kinds = types.Map{"payload": types.Any, "now": types.TypeOf(time.Time{})}

func compile(t testing.TB, source string) *Program {
	t.Helper()
	p, err := Compile(source, kinds, expr.Timezone("UTC"))
	if err != nil {
		t.Fatalf("Compile(%s): %v", source, err)
	}
	return p
}

const (
	huge = `let huge = repeat("abcdefgh", 131072); ` // 1 MB
	twin = `let twin = reduce(1..60, [#acc, #acc], 1); `
	deep = `let deep = reduce(1..400000, [#acc], 1); `
)

// attacks are expressions that would need gigabytes of memory, hours, or the whole stack.
var attacks = []struct{ name, source string }{
	{"+", `reduce(1..40, #acc + #acc, "abcdefgh")`},
	{"+ in map", huge + `map(1..1000, huge + "x")`},
	{"+ in reduce in map", huge + `map(1..1000, reduce([1], #acc + "x", huge))`},
	{"repeat", `repeat("abcdefgh", 100000000)`},
	{"repeat overflow", `repeat(repeat("a", 1000000), 9223372036854775807)`},
	{"repeat in map", `map(1..1000, repeat("abcdefgh", 131072))`},
	{"join", huge + `join(map(1..1000, huge), ",")`},
	{"join glue", huge + `join(map(1..1000, "x"), huge)`},
	{"join in map", `map(1..1000, join(map(1..900, "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh"), ","))`},
	{"replace", huge + `replace(huge, "a", huge)`},
	{"replace empty", huge + `replace(huge, "", huge)`},
	{"replace in reduce", `reduce(1..40, replace(#acc, "a", "aa"), "aaaaaaaaaaaaaaaa")`},
	{"upper", `map(1..1000, upper(payload.text))`},
	{"lower", `map(1..1000, lower(payload.text))`},
	{"split", `map(1..900, split(payload.text, ""))`},
	{"splitAfter", `map(1..900, splitAfter(payload.text, ""))`},
	{"toJSON", huge + `toJSON(map(1..1000, huge))`},
	{"toJSON escapes", `reduce(1..40, toJSON(#acc), "\\\\\"")`},
	{"toJSON twin", twin + `toJSON(twin)`},
	{"toJSON deep", deep + `toJSON(deep)`},
	{"toJSON in map", `map(1..1000, toJSON(payload.list))`},
	{"fromJSON", `map(1..1000, fromJSON("[" + repeat("[],", 100000) + "1]"))`},
	{"toBase64", `reduce(1..80, toBase64(#acc), "abcdefgh")`},
	{"fromBase64", `map(1..1000, fromBase64(payload.text))`},
	{"string", twin + `string(twin)`},
	{"string deep", deep + `string(deep)`},
	{"flatten", twin + `flatten(twin)`},
	{"min", twin + `min(twin)`},
	{"max", twin + `max(twin)`},
	{"mean", twin + `mean(twin)`},
	{"median", twin + `median(twin)`},
	{"concat", `map(1..1000, concat(payload.list, payload.list))`},
	{"concat doubling", `reduce(1..40, concat(#acc, #acc), [1])`},
	{"reverse", `map(1..1000, reverse(payload.list))`},
	{"sort", `map(1..1000, sort(map(1..900, #)))`},
	{"sort suffixes", `sort(map(1..300000, payload.text[# % 1000:]))`},
	{"sortBy suffixes", `sortBy(1..900000, payload.text[# % 1000:])`},
	{"uniq", `count(1..1000, len(uniq(map(payload.list, .id))) > 0)`},
	{"uniq twins", twin + `uniq([twin, twin, [twin]])`},
	{"keys", `map(1..900000, keys({a: 1, b: 2, c: 3, d: 4}))`},
	{"values", `map(1..100000, values({a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}))`},
	{"toPairs", `map(1..100000, toPairs({a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}))`},
	{"fromPairs", `map(1..1000, fromPairs(map(payload.list, [string(.id), 1])))`},
	{"groupBy", `map(1..1000, groupBy(payload.list, .id))`},
	{"range", `1..100000000`},
	{"range in range", `map(1..900000, map(1..900000, #))`},
	{"count", `let l = 1..900000; count(l, count(l, count(l, true) > 0) > 0)`},
	{"count of any", `let l = 1..900000; count(l, any(l, # < 0))`},
	{"all", `let l = 1..900000; all(l, all(l, all(l, true)))`},
	{"none", `let l = 1..900000; none(l, not none(l, false))`},
	{"one", `let l = 1..900000; count(l, one(l, # == -1))`},
	{"find", `let l = 1..900000; find(l, find(l, false) != nil)`},
	{"findLast", `let l = 1..900000; findLast(l, findLast(l, false) != nil)`},
	{"findIndex", `let l = 1..900000; findIndex(l, findIndex(l, false) != nil)`},
	{"findLastIndex", `let l = 1..900000; findLastIndex(l, findLastIndex(l, false) != nil)`},
	{"filter", `let l = 1..900000; filter(l, len(filter(l, false)) > 0)`},
	{"filter and map", `map(filter(1..900000, true), repeat("a", 1000))`},
	{"sum", `let l = 1..900000; sum(l, sum(l))`},
	{"sum of sums", `let l = 1..900000; sum(l, sum(l, # * 2))`},
	{"reduce", `let l = 1..900000; reduce(l, reduce(l, #acc + #, 0), 0)`},
	{"sortBy", `let l = 1..10000; map(l, sortBy(l, -#))`},
	{"empty loops", `count(1..900000, count([], true) + count([], true) + count([], true) == 1)`},
	{"len", `let l = 1..900000; count(l, len(payload.text) > 0)`},
	{"trim", `let l = 1..900000; count(l, trim(payload.text) == "")`},
	{"indexOf", `let l = 1..900000; count(l, indexOf(payload.text, "zz") > 0)`},
	{"contains", `let l = 1..900000; count(l, payload.text contains "zz")`},
	{"startsWith", `let l = 1..900000; let x = payload.text + ""; count(l, x startsWith payload.text)`},
	{"endsWith", `let l = 1..900000; let x = payload.text + ""; count(l, x endsWith payload.text)`},
	{"==", `let l = 1..900000; let x = payload.text + ""; count(l, x == payload.text)`},
	{"<", `let l = 1..900000; let x = payload.text + ""; count(l, x < payload.text)`},
	{"== of twins", twin + `let twin2 = reduce(1..60, [#acc, #acc], 1); twin == twin2`},
	{"== deep", deep + `let deep2 = reduce(1..40000, [#acc], 1); deep == deep2`},
	{"in", `let l = 1..900000; count(l, -1 in l)`},
	{"in with twins", twin + `twin in [twin, [twin]]`},
	{"matches", `payload.text matches "^(([a-z]{1,10}){1,10}){1,10}$" and payload.text matches "(x?){500}y" and count(1..1000, payload.text matches "(x?){500}y") > 0`},
	{"matches in a loop", `count(1..900000, payload.text matches "h$")`},
	{"matches of a computed pattern", `count(1..900000, payload.text matches "h" + "$")`},
	{"Format doubles", `reduce(1..40, now.Format(#acc), "1")`},
	{"Format through let", `let f = now.Format; reduce(1..40, f(#acc), "1")`},
	{"Format in map", `map(1..900000, now.Format("` + strings.Repeat("January", 1000) + `"))`},
	{"date", `count(1..900000, date("2026-01-02", "2006-01-02", "Europe/Lisbon").Year() == 1)`},
	{"timezone", `count(1..900000, timezone("Europe/Lisbon") == nil)`},
	{"twin as the value", twin + `twin`},
	{"twin in a literal", twin + `{a: [twin]}`},
	{"deep as the value", deep + `deep`},
	{"a large literal", `let t = payload.text; [` + strings.Repeat("t,", 500) + `t]`},
	{"twin as a key", twin + `payload.one[twin]`},
	{"keys of a map", huge + `map(1..900000, ({(huge): 1}))`},
}

// fewSteps is a low bound that still shows that steps are counted, in less time.
const fewSteps = 1_000_000

// TestAttacksEnd checks that every function and operator that builds values or loops
// stays within the bounds, and that the heap of the process does not grow.
func TestAttacksEnd(t *testing.T) {
	for _, attack := range attacks {
		t.Run(attack.name, func(t *testing.T) {
			vars := variables()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var m Machine
			m.Start(t.Context())
			m.steps, m.mark = fewSteps, fewSteps-lookEvery
			v, err := m.Run(compile(t, attack.source), vars)
			runtime.ReadMemStats(&after)
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 500 {
				t.Errorf("%s allocates %d MB before it ends, want 500 or less", attack.source, made)
			}
			var limit *LimitError
			if !errors.As(err, &limit) && (err == nil || !strings.Contains(err.Error(), "memory budget exceeded")) {
				t.Errorf("%s gives %T and the error %v, want an exceeded bound", attack.source, v, err)
			}
		})
	}
}

// endingContext is a context that ends after its Err was called a number of times.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestLoopsEndWithTheirContext checks that loops end with their context, long before the
// bound on steps.
func TestLoopsEndWithTheirContext(t *testing.T) {
	for _, source := range []string{
		`let l = 1..900000; count(l, count(l, true) > 0)`,
		`let l = 1..900; sum(l, sum(l))`,
		twin + `string(twin)`,
		`count(1..900000, payload.text contains "zz")`,
	} {
		ctx := &endingContext{Context: t.Context()}
		ctx.left.Store(3)
		var m Machine
		m.Start(ctx)
		if _, err := m.Run(compile(t, source), variables()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want the end of its context", source, err)
		}
		if used := MaxSteps - m.steps; used > 5*lookEvery+20_000 {
			t.Errorf("%s took %d steps before it noticed the end of its context", source, used)
		}
	}
}
