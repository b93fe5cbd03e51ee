package values

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"time"
)

// DecodeJSON reads one JSON value in the types that expressions know: whole numbers are int,
// others float64. A number that neither holds, such as 12345678901234567890 or 1e999, is a
// json.Number with its digits.
func DecodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("json ends too early")
		}
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("json at byte %d: %w", syntax.Offset, err)
		}
		return nil, fmt.Errorf("json: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("json at byte %d: want nothing after the value", d.InputOffset())
	}
	return settleNumbers(v), nil
}

// settleNumbers sets the types of the numbers in a value in place; the caller owns the value.
func settleNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return settled(v)
	case []any:
		for i, elem := range v {
			v[i] = settleNumbers(elem)
		}
	case map[string]any:
		for key, elem := range v {
			v[key] = settleNumbers(elem)
		}
	}
	return v
}

// Plain copies v with the types that a handler may return: lists become []any, maps
// map[string]any, numbers those of DecodeJSON, and times UTC.
func Plain(v any) any {
	switch v := v.(type) {
	case nil, bool, int, float64, string:
		return v
	case time.Duration:
		return v.String()
	case json.Number:
		return settled(v)
	case time.Time:
		return v.UTC()
	case []any:
		out := make([]any, len(v))
		for i, elem := range v {
			out[i] = Plain(elem)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, elem := range v {
			out[key] = Plain(elem)
		}
		return out
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return int(r.Int())
	case r.CanUint() && r.Uint() <= math.MaxInt:
		return int(r.Uint())
	case r.CanUint():
		return json.Number(strconv.FormatUint(r.Uint(), 10))
	case r.CanFloat():
		return r.Float()
	case r.Kind() == reflect.String:
		return r.String()
	case r.Kind() == reflect.Slice:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = Plain(r.Index(i).Interface())
		}
		return out
	case r.Kind() == reflect.Map && r.Type().Key().Kind() == reflect.String:
		out := make(map[string]any, r.Len())
		for _, key := range r.MapKeys() {
			out[key.String()] = Plain(r.MapIndex(key).Interface())
		}
		return out
	}
	return v
}
