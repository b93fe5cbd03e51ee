package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/bounded"
	"botwork/internal/values"
)

func (t *transformation) sort(program *bounded.Program, descending bool, items []any) []any {
	keys := t.each("sortBy", program, items)
	if program == nil || t.err != nil {
		return items
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
		keys[i] = values.Plain(keys[i])
	}
	slices.SortStableFunc(order, func(a, b int) int {
		result, ok := compareValues(keys[a], keys[b])
		if !ok && t.err == nil {
			t.err = handlers.Business(fmt.Errorf("sortBy gives %s and %s, which have no order", values.Describe(keys[a]), values.Describe(keys[b])))
		}
		if descending {
			return -result
		}
		return result
	})
	sorted := make([]any, len(items))
	for i, from := range order {
		sorted[i] = items[from]
	}
	return sorted
}

// compareValues orders two plain values of one sort; nil comes before all. It
// is not ok for values that have no order.
func compareValues(a, b any) (result int, ok bool) {
	if a == nil || b == nil {
		return cmp.Compare(rank(a), rank(b)), true
	}
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b), true
		}
	case time.Time:
		if b, ok := b.(time.Time); ok {
			return a.Compare(b), true
		}
	case bool:
		if b, ok := b.(bool); ok {
			return cmp.Compare(rank(a), rank(b)), true
		}
	}
	return values.CompareNumbers(a, b)
}

// rank orders nil before all else, and false before true.
func rank(v any) int {
	switch v {
	case nil:
		return 0
	case false:
		return 1
	default:
		return 2
	}
}
