package bounded

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"unicode/utf8"
)

// Approximate sizes of values in bytes.
const (
	elementBytes = 16
	entryBytes   = 64
	textPerStep  = 64

	// longDigits is the length of the longest number in plain digits: 5e-324 has 326.
	longDigits = 330
)

// weight is the size of a value.
type weight struct {
	nodes int // elements and entries
	text  int // bytes of all texts
	json  int // bytes as indented JSON; only set by weighDeep
}

func (w weight) steps() int { return w.nodes + w.text/textPerStep }

// bytes returns the memory that a copy of the value needs.
func (w weight) bytes() int { return w.nodes*elementBytes + w.text }

// weigh returns the size of the values including the texts that are their elements, but
// without nested values, and charges the steps of reading them.
func (b *Budget) weigh(values ...any) (weight, error) {
	var w weight
	for _, v := range values {
		w.nodes++
		switch v := v.(type) {
		case nil, bool, int, float64:
		case string:
			w.text += len(v)
		case []string:
			w.nodes += len(v)
			for _, text := range v {
				w.text += len(text)
			}
		case []any:
			w.nodes += len(v)
			for _, e := range v {
				if text, ok := e.(string); ok {
					w.text += len(text)
				}
			}
		case map[string]any:
			w.nodes += len(v)
		case []int:
			w.nodes += len(v)
		default:
			switch r := reflect.ValueOf(v); r.Kind() {
			case reflect.Slice, reflect.Array, reflect.Map:
				w.nodes += r.Len()
			case reflect.String:
				w.text += r.Len()
			}
		}
	}
	return w, b.Steps(w.steps())
}

// weighDeep returns the size of a value with everything nested in it, and charges the
// steps of reading it. A list that contains another one twice counts it twice, because
// code that writes, copies or compares values reads it twice: twenty such lists nested in
// each other are a million elements.
func (b *Budget) weighDeep(v any) (weight, error) {
	var w weight
	err := b.deep(v, 0, &w)
	return w, err
}

func (b *Budget) deep(v any, depth int, w *weight) error {
	switch v := v.(type) {
	case nil, bool, int:
		return b.node(depth, w)
	case float64:
		if size := math.Abs(v); size >= 1e21 || size < 1e-6 && size > 0 {
			w.text += longDigits
		}
		return b.node(depth, w)
	case string:
		if err := b.Steps(len(v) / textPerStep); err != nil {
			return err
		}
		w.text += len(v)
		w.json += jsonLength(v)
		return b.node(depth, w)
	case []any:
		for _, e := range v {
			if err := b.deep(e, depth+1, w); err != nil {
				return err
			}
		}
		return b.node(depth, w)
	case map[string]any:
		for key, e := range v {
			w.text += len(key)
			w.json += jsonLength(key)
			if err := b.Steps(1 + len(key)/textPerStep); err != nil {
				return err
			}
			if err := b.deep(e, depth+1, w); err != nil {
				return err
			}
		}
		return b.node(depth, w)
	}
	return b.deepOther(reflect.ValueOf(v), depth, w)
}

func (b *Budget) deepOther(r reflect.Value, depth int, w *weight) error {
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range r.Len() {
			if err := b.deep(r.Index(i).Interface(), depth+1, w); err != nil {
				return err
			}
		}
	case reflect.Map:
		for entries := r.MapRange(); entries.Next(); {
			if err := b.deep(entries.Key().Interface(), depth+1, w); err != nil {
				return err
			}
			if err := b.deep(entries.Value().Interface(), depth+1, w); err != nil {
				return err
			}
		}
	case reflect.String:
		w.text += r.Len()
		w.json += jsonLength(r.String())
	}
	return b.node(depth, w)
}

func (b *Budget) node(depth int, w *weight) error {
	if depth > MaxDepth {
		return &LimitError{fmt.Sprintf("its lists and maps are nested more than %d deep", MaxDepth)}
	}
	w.nodes++
	w.json += 32 + 2*depth // a number or the brackets, a comma, a line break and the indentation
	return b.Steps(1)
}

// Result charges a value that an expression returns to the step, because later code reads
// or copies the whole value.
func (b *Budget) Result(v any) error {
	switch v := v.(type) {
	case nil, bool, int, float64:
		return nil
	case string:
		return b.spendResult(len(v))
	}
	w, err := b.weighDeep(v)
	if err != nil {
		return err
	}
	return b.spendResult(w.bytes())
}

func (b *Budget) spendResult(n int) error {
	if n > b.results {
		b.results = 0
		return &LimitError{fmt.Sprintf("the values of the step's expressions are larger than %d MB", maxResults>>20)}
	}
	b.results -= n
	return nil
}

// jsonLength returns the length of a text as JSON, with its quotes.
func jsonLength(s string) int {
	n := len(s) + 2
	valid := utf8.ValidString(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20, c == '<', c == '>', c == '&', c >= 0x80 && !valid: // \u003c, \ufffd
			n += 5
		case c == '"', c == '\\', c == 0x7f:
			n++
		}
	}
	return n
}

// times multiplies sizes; on overflow it returns the largest int.
func times(a, b int) int {
	if high, low := bits.Mul64(uint64(max(a, 0)), uint64(max(b, 0))); high == 0 && low <= math.MaxInt64 {
		return int(low)
	}
	return math.MaxInt
}

// plus adds sizes, which are not negative; on overflow it returns the largest int.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
