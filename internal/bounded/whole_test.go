package bounded

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/expr-lang/expr/types"
	"github.com/google/go-cmp/cmp"
)

// evaluated returns the result of an expression over the variables n, of type any, and whole.
func evaluated(t *testing.T, source string, n any) (any, error) {
	t.Helper()
	p, err := Compile(source, types.Map{"n": types.Any, "whole": types.Int})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	var m Machine
	m.Start(t.Context())
	return m.Run(p, map[string]any{"n": n, "whole": math.MaxInt})
}

func TestExpressionsKeepDigits(t *testing.T) {
	const exact, beyond = 9007199254740993, json.Number(large)
	for _, c := range []struct {
		source  string
		n, want any
	}{
		{`n`, beyond, beyond}, {`string(n)`, beyond, large}, {`string(n)`, exact, "9007199254740993"}, {`string(n)`, 1234567.5, "1234567.5"},
		{`string([n, 1e22])`, 1e7, "[10000000 10000000000000000000000]"}, {`string(n)`, nil, "<nil>"}, {`toJSON([n])`, beyond, "[\n  " + large + "\n]"},
		{`fromJSON("[` + large + `, 9007199254740993, 1.5]")`, nil, []any{beyond, exact, 1.5}}, {`fromJSON(toJSON(n)) == n`, beyond, true},
		{`n == n`, beyond, true}, {`n in [n]`, beyond, true}, {`{a: n}.a`, beyond, beyond}, {`map([n], #)[0]`, beyond, beyond}, {`int(n)`, 1.9, 1}, {`int(n)`, "7", 7},
		{`n + 1`, exact, exact + 1}, {`n - -1`, exact, exact + 1}, {`n * 3`, exact, exact * 3}, {`n - 1`, math.MinInt + 1, math.MinInt}, {`n * -1`, math.MaxInt, -math.MaxInt},
		{`whole - 1 + 1`, nil, math.MaxInt}, {`n * 2`, 1.5, 3.0}, {`n + "x"`, "a", "ax"}, {`n + 0`, 0, 0}, {`n - 0`, 0, 0},
	} {
		got, err := evaluated(t, c.source, c.n)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s with n = %v: %v\n%s", c.source, c.n, err, diff)
		}
	}
	for _, c := range []struct {
		source string
		n      any
		want   string
	}{
		{`n + 1`, beyond, "invalid operation: <number of more than 64 bits> + int"}, {`n > 1`, beyond, "<number of more than 64 bits> > int"},
		{`sum([n, 1])`, beyond, "<number of more than 64 bits>"}, {`int(n)`, beyond, "the number " + large + " is out of range"}, {`int(n)`, 1e30, "the number 1e+30 is out of range"},
		{`n + 1`, math.MaxInt, "9223372036854775807 + 1 needs more than 64 bits"}, {`whole + 1`, nil, "9223372036854775807 + 1 needs more than 64 bits"},
		{`n - 1`, math.MinInt, "-9223372036854775808 - 1 needs more than 64 bits"}, {`n * 2`, math.MaxInt, "needs more than 64 bits"}, {`n * n`, math.MinInt, "needs more than 64 bits"},
		{`n * -1`, math.MinInt, "needs more than 64 bits"}, {`reduce([n, 1], #acc + #)`, math.MaxInt, "needs more than 64 bits"},
	} {
		if got, err := evaluated(t, c.source, c.n); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with n = %v: %v, %v, want an error with %q", c.source, c.n, got, err, c.want)
		}
	}
}
