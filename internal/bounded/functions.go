package bounded

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"

	"botwork/internal/values"
)

// function is a function that expressions can call. Its first argument is the budget.
type function = func(args ...any) (any, error)

// constantTime lists the functions whose cost does not depend on their arguments.
var constantTime = map[string]bool{
	"first": true, "last": true, "get": true, "take": true, "type": true, "now": true,
	"abs": true, "ceil": true, "floor": true, "round": true,
	"bitand": true, "bitor": true, "bitxor": true, "bitnand": true, "bitnot": true, "bitshl": true, "bitshr": true, "bitushr": true,
}

// readsOnly lists the functions that create nothing and read each argument once.
var readsOnly = map[string]bool{
	"len": true, "float": true, "hasPrefix": true, "hasSuffix": true, "indexOf": true, "lastIndexOf": true,
	"trim": true, "trimPrefix": true, "trimSuffix": true,
}

// readsDeep lists the functions that also read the lists and maps in their arguments.
var readsDeep = map[string]bool{
	"string": true, "toJSON": true, "flatten": true, "min": true, "max": true, "mean": true, "median": true, "fromPairs": true,
}

// zoneSteps is the cost of loading a time zone.
const zoneSteps = 1_000

// makes returns how many bytes a function creates from arguments of the size w. Functions
// that are not listed create nothing that grows with their arguments.
var makes = map[string]func(args []any, w weight) int{
	"upper":      func(_ []any, w weight) int { return times(w.text, 3) / 2 }, // the uppercase form of ɐ has three bytes
	"lower":      func(_ []any, w weight) int { return times(w.text, 3) / 2 },
	"split":      func(args []any, w weight) int { return plus(w.text/8, times(pieces(args), 2*elementBytes)) },
	"splitAfter": func(args []any, w weight) int { return plus(w.text/8, times(pieces(args), 2*elementBytes)) },
	"replace":    replaced,
	"repeat":     func(args []any, w weight) int { return times(w.text, runtime.ToInt(args[1])) },
	"join": func(args []any, w weight) int {
		glue := 0
		if len(args) == 2 {
			glue = textLength(args[1])
		}
		return plus(w.bytes(), times(w.nodes, glue))
	},
	"toJSON":     func(_ []any, w weight) int { return w.json },
	"string":     func(_ []any, w weight) int { return plus(w.text, times(w.nodes, 24)) },
	"fromJSON":   func(args []any, w weight) int { return plus(w.text, times(valuesIn(args[0]), entryBytes)) },
	"toBase64":   func(_ []any, w weight) int { return plus(times(w.text, 4)/3, 4) },
	"fromBase64": func(_ []any, w weight) int { return w.text },
	"keys":       func(_ []any, w weight) int { return times(w.nodes, 2*elementBytes) },
	"values":     func(_ []any, w weight) int { return times(w.nodes, elementBytes) },
	"toPairs":    func(_ []any, w weight) int { return times(w.nodes, entryBytes) },
	"fromPairs":  func(_ []any, w weight) int { return times(w.nodes, entryBytes/2) },
	"reverse":    func(_ []any, w weight) int { return times(w.nodes, elementBytes) },
	"concat":     func(_ []any, w weight) int { return times(w.nodes, 2*elementBytes) },
	"flatten":    func(_ []any, w weight) int { return times(w.nodes, 2*elementBytes) },
	"uniq":       func(_ []any, w weight) int { return times(w.nodes, 2*elementBytes) },
	"sort":       func(_ []any, w weight) int { return times(w.nodes, elementBytes) },
	"median":     func(_ []any, w weight) int { return times(w.nodes, elementBytes) },
}

// bound returns a function of the library that charges the budget before it runs.
func bound(f *builtin.Function) function {
	call := f.Func
	switch {
	case f.Name == "uniq":
		return uniq
	case f.Name == "string": // the library writes 1234567.5 as 1.2345675e+06
		call = func(args ...any) (any, error) {
			if _, text := args[0].(string); text {
				return args[0], nil
			}
			return fmt.Sprint(shown(args[0])), nil
		}
	case f.Name == "fromJSON": // the library reads all numbers as floating-point numbers
		call = func(args ...any) (any, error) { return values.DecodeJSON([]byte(args[0].(string))) }
	case f.Name == "int":
		call = toInt
	case f.Name == "repeat": // the library creates the text before it checks its length
		call = func(args ...any) (any, error) {
			n := runtime.ToInt(args[1])
			if n < 0 {
				return nil, fmt.Errorf("invalid argument for repeat (expected positive integer, got %d)", n)
			}
			return strings.Repeat(args[0].(string), n), nil
		}
	case f.Safe != nil:
		call = func(args ...any) (any, error) {
			v, _, err := f.Safe(args...)
			return v, err
		}
	case f.Fast != nil:
		call = func(args ...any) (any, error) { return f.Fast(args[0]), nil }
	}
	size := makes[f.Name]
	return func(args ...any) (any, error) {
		b := args[0].(*Budget)
		args = args[1:]
		w, err := b.weighFor(f.Name, args)
		if err != nil {
			return nil, err
		}
		if size != nil {
			if err := b.Memory(size(args, w)); err != nil {
				return nil, err
			}
		}
		return call(args...)
	}
}

// toInt is the function int. The library returns another number for one that is too large.
func toInt(args ...any) (any, error) {
	switch v := args[0].(type) {
	case float64:
		if !(math.Abs(v) < 1<<63) {
			return nil, fmt.Errorf("invalid argument for int (%s is out of range)", values.Describe(v))
		}
	case json.Number:
		return nil, fmt.Errorf("invalid argument for int (%s is out of range)", values.Describe(v))
	}
	return builtin.Int(args[0]), nil
}

func (b *Budget) weighFor(name string, args []any) (weight, error) {
	if readsDeep[name] {
		return b.weighDeep(args)
	}
	w, err := b.weigh(args...)
	if err != nil {
		return w, err
	}
	switch name {
	case "sort":
		return w, b.Steps(times(w.steps(), bits.Len(uint(w.nodes))))
	case "len": // it counts characters
		return w, b.Steps(w.text / 8)
	case "date", "timezone":
		return w, b.Steps(zoneSteps)
	}
	return w, nil
}

// pieces returns the number of pieces that split creates.
func pieces(args []any) int {
	text, ok := args[0].(string)
	delimiter, okToo := args[1].(string)
	if !ok || !okToo {
		return 0 // the function itself reports the error
	}
	n := strings.Count(text, delimiter) + 1
	if len(args) == 3 {
		if most := runtime.ToInt(args[2]); most >= 0 {
			n = min(n, most)
		}
	}
	return n
}

// replaced returns the length of the text that replace creates.
func replaced(args []any, w weight) int {
	text, ok := args[0].(string)
	old, okToo := args[1].(string)
	if !ok || !okToo {
		return 0
	}
	n := strings.Count(text, old)
	if len(args) == 4 {
		if most := runtime.ToInt(args[3]); most >= 0 {
			n = min(n, most)
		}
	}
	return plus(len(text), times(n, textLength(args[2])))
}

// valuesIn returns the number of values in a JSON text.
func valuesIn(v any) int {
	text, _ := v.(string)
	n, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '\\':
			i++
		case ',', '[', '{':
			if !quoted {
				n++
			}
		}
	}
	return n
}

func textLength(v any) int {
	text, _ := v.(string)
	return len(text)
}

// uniq replaces the library's function, which compares each element with all others. This
// function takes time in proportion to the length of the list if its elements are texts.
func uniq(args ...any) (any, error) {
	b := args[0].(*Budget)
	w, err := b.weighDeep(args[1])
	if err != nil {
		return nil, err
	}
	if err := b.Memory(makes["uniq"](nil, w)); err != nil {
		return nil, err
	}
	list := reflect.ValueOf(args[1])
	if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
		return nil, fmt.Errorf("cannot uniq %s", list.Kind())
	}
	distinct, seen := []any{}, map[string]bool{}
	var others []any // elements that are not texts
	for i := range list.Len() {
		v := list.Index(i).Interface()
		if text, ok := v.(string); ok {
			if !seen[text] {
				seen[text] = true
				distinct = append(distinct, v)
			}
			continue
		}
		if err := b.Steps(len(others)); err != nil {
			return nil, err
		}
		known := false
		for _, other := range others {
			if known = runtime.Equal(v, other); known {
				break
			}
		}
		if !known {
			if others = append(others, v); composite(v) {
				if err := b.Steps(w.nodes); err != nil { // each comparison may read the whole value
					return nil, err
				}
			}
			distinct = append(distinct, v)
		}
	}
	return distinct, nil
}

func composite(v any) bool {
	switch v.(type) {
	case nil, bool, int, float64, string:
		return false
	}
	return true
}

// add is the operator + for two values that may both be texts. For types that cannot be
// added it panics; the virtual machine reports the position.
func add(args ...any) (any, error) {
	return join(args, func(left, right string) int { return len(left) + len(right) })
}

// addToAccumulator is the operator + in the body of reduce if the left side is the
// accumulator: all intermediate texts except the last one are released.
func addToAccumulator(args ...any) (any, error) {
	return join(args, func(_, right string) int { return len(right) })
}

func join(args []any, size func(left, right string) int) (any, error) {
	b, left, right := args[0].(*Budget), args[1], args[2]
	if l, ok := left.(string); ok {
		if r, ok := right.(string); ok {
			if err := b.Steps(1 + (len(l)+len(r))/textPerStep); err != nil {
				return nil, err
			}
			if err := b.Memory(size(l, r)); err != nil {
				return nil, err
			}
		}
	}
	return sum(left, right)
}
