package handlers

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/spans"
	"botwork/internal/values"
)

// decoder fills parameter structs and collects errors. Build and CheckLiteral share it, so
// that the checker never accepts parameters that a run rejects.
//
// The path argument of a method ends at its value. The paths of nested values are appended to
// it and overwrite each other: copy a path to keep it.
type decoder struct {
	expected func(path []string) bool // see CheckLiteral; nil: no expressions

	// skipped is true if a value was dynamic: the struct is not complete.
	skipped bool
	wrong   []ParamError
}

// dynamic reports whether an expression will give the value.
func (d *decoder) dynamic(path []string) bool { return d.expected != nil && d.expected(path) }

func (d *decoder) fail(path []string, code, message, hint string) {
	d.wrong = append(d.wrong, ParamError{Path: slices.Clone(path), Code: code, Message: message, Hint: hint})
}

// last returns the last reported error, for additions.
func (d *decoder) last() *ParamError { return &d.wrong[len(d.wrong)-1] }

// object fills the struct dst from a map.
func (d *decoder) object(path []string, dst reflect.Value, src map[string]any) {
	params, found := paramsOf(dst.Type()), 0
	for i := range params {
		p := &params[i]
		at := append(path, p.name)
		value, given := src[p.name]
		if given {
			found++
		}
		if given && p.needs != "" {
			d.needed(at, p, src)
		}
		switch {
		case given && p.literal && d.anyDynamic(at, value):
			d.fail(at, WrongValue, "got an expression, want the text itself", "give values as parameters: @name in the text, the value under params")
		case given && d.dynamic(at):
			d.skipped = true
		case given && value == nil && p.nonNull:
			d.fail(at, WrongType, "got nothing, want a "+typeName(dst.FieldByIndex(p.index).Type()), "write ?? [] after the expression if null is allowed")
		case given && value != nil:
			before := len(d.wrong)
			d.value(at, dst.FieldByIndex(p.index), value)
			if len(d.wrong) == before {
				d.enum(at, p, dst.FieldByIndex(p.index))
			}
		case p.required:
			d.fail(at, MissingParameter, fmt.Sprintf("the parameter %q is required: %s", p.name, p.doc), "")
		}
	}
	if found < len(src) {
		d.unknown(path, params, src)
	}
}

// needed reports a parameter that has no effect without another one. It does not look at the
// values of expressions: a pipeline gives the parameter, whatever they are.
func (d *decoder) needed(path []string, p *param, src map[string]any) {
	at := append(slices.Clone(path[:len(path)-1]), p.needs)
	if other, given := src[p.needs]; given && (d.dynamic(at) || other != nil && other != "none") {
		return
	}
	d.fail(path, WrongValue, fmt.Sprintf("has no effect without %s", p.needs), fmt.Sprintf("give %s, too", p.needs))
}

// unknown reports given names that are not parameters.
func (d *decoder) unknown(path []string, params []param, src map[string]any) {
	known := make([]string, len(params))
	for i, p := range params {
		known[i] = p.name
	}
	for _, key := range slices.Sorted(maps.Keys(src)) {
		if slices.Contains(known, key) {
			continue
		}
		hint := strictyaml.Suggest(key, known)
		if hint == "" && len(known) > 0 {
			hint = "the parameters are " + strings.Join(known, ", ")
		}
		d.fail(append(path, key), UnknownParameter, fmt.Sprintf("unknown parameter %q", key), hint)
		d.last().Known = known
	}
}

// anyDynamic reports whether an expression gives the value or, of a list, one of its elements.
func (d *decoder) anyDynamic(path []string, value any) bool {
	list, _ := value.([]any)
	for i := range list {
		if d.dynamic(append(path, strconv.Itoa(i))) {
			return true
		}
	}
	return d.dynamic(path)
}

// enum checks the value, or the elements of a list, against the allowed ones.
func (d *decoder) enum(path []string, p *param, v reflect.Value) {
	if len(p.enum) == 0 {
		return
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			d.enum(append(path, strconv.Itoa(i)), p, v.Index(i))
		}
		return
	}
	if v.Type() == stringType && slices.Contains(p.enum, v.String()) {
		return
	}
	if got := fmt.Sprint(v.Interface()); !slices.Contains(p.enum, got) {
		d.fail(path, WrongValue, fmt.Sprintf("got %q, want one of %s", got, strings.Join(p.enum, ", ")), strictyaml.Suggest(got, p.enum))
		if meant, only := strictyaml.Nearest(got, p.enum); only {
			d.last().Suggestion = meant
		}
	}
}

// value sets dst to src, which is not nil.
func (d *decoder) value(path []string, dst reflect.Value, src any) {
	if assign(dst, src) {
		return
	}
	if t := reflect.TypeOf(src); t.AssignableTo(dst.Type()) && dst.Kind() != reflect.Slice && dst.Kind() != reflect.Map {
		dst.Set(reflect.ValueOf(src))
		return
	}
	if isText(dst.Type()) {
		d.text(path, dst, src)
		return
	}
	v := reflect.ValueOf(src)
	switch dst.Kind() {
	case reflect.Pointer:
		target := reflect.New(dst.Type().Elem())
		d.value(path, target.Elem(), src)
		dst.Set(target)
	case reflect.String:
		if _, number := src.(json.Number); v.Kind() == reflect.String && !number {
			dst.SetString(v.String())
			return
		}
		hint := ""
		if values.IsScalar(v) {
			hint = "put it in quotes, or use string(…) in an expression"
		}
		d.mismatch(path, dst, src, hint)
		d.last().ExpectedText = true
	case reflect.Bool:
		if v.Kind() == reflect.Bool {
			dst.SetBool(v.Bool())
			return
		}
		d.mismatch(path, dst, src, "")
	case reflect.Slice:
		d.list(path, dst, v)
	case reflect.Map:
		if fields, ok := src.(map[string]any); !ok || !d.fields(path, dst, fields) {
			d.dictionary(path, dst, v)
		}
	case reflect.Struct:
		fields := reflect.ValueOf(map[string]any{})
		if v.Kind() == reflect.Map && v.Type().ConvertibleTo(fields.Type()) {
			d.object(path, dst, v.Convert(fields.Type()).Interface().(map[string]any))
			return
		}
		d.mismatch(path, dst, src, "")
	default:
		d.number(path, dst, src, v)
	}
}

// assign sets dst if it has one of the common types and src matches, which avoids the slower
// reflection.
func assign(dst reflect.Value, src any) (done bool) {
	switch to := dst.Addr().Interface().(type) {
	case *any:
		*to, done = src, true
	case *string:
		if text, ok := src.(string); ok {
			*to, done = text, true
		}
	case *bool:
		if is, ok := src.(bool); ok {
			*to, done = is, true
		}
	case *int:
		if n, ok := src.(int); ok {
			*to, done = n, true
		}
	}
	return done
}

func takesBool(dst reflect.Value) bool {
	_, taken := reflect.TypeAssert[BoolTaker](dst.Addr())
	return taken
}

// text sets a type with UnmarshalText from strings, and from numbers as they are written.
func (d *decoder) text(path []string, dst reflect.Value, src any) {
	if length, ok := src.(time.Duration); ok && dst.Type() == durationType {
		dst.SetInt(int64(length)) // duration("5m") in an expression
		return
	}
	v := reflect.ValueOf(src)
	if !values.IsScalar(v) || v.Kind() == reflect.Bool && !takesBool(dst) {
		d.mismatch(path, dst, src, "")
		return
	}
	text, isString := src.(string)
	if !isString {
		text = fmt.Sprint(src)
	}
	err := dst.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	switch {
	case err == nil:
	case dst.Type() == timeType:
		d.fail(path, WrongValue, fmt.Sprintf("got %s, want a time such as 2026-01-31T13:45:00Z", values.Describe(src)), "")
	default:
		d.fail(path, WrongValue, err.Error(), "")
		if meant, ok := spans.Guess(text); ok && dst.Type() == durationType {
			e := d.last()
			e.Suggestion, e.Certain, e.Hint = meant, true, fmt.Sprintf("did you mean %q?", meant)
		}
	}
}

// list sets a list. A single plain value is a list of one, unless that is ambiguous.
func (d *decoder) list(path []string, dst, v reflect.Value) {
	elem := dst.Type().Elem()
	if v.Kind() != reflect.Slice {
		plain := elem.Kind() != reflect.Interface && elem.Kind() != reflect.Map && elem.Kind() != reflect.Slice && objectIn(elem) == nil
		if !plain || !values.IsScalar(v) {
			d.mismatch(path, dst, v.Interface(), "")
			return
		}
		one := reflect.MakeSlice(dst.Type(), 1, 1)
		d.value(path, one.Index(0), v.Interface())
		dst.Set(one)
		return
	}
	out := reflect.MakeSlice(dst.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		d.element(append(path, strconv.Itoa(i)), out.Index(i), v.Index(i).Interface())
	}
	dst.Set(out)
}

// fields sets a map of any values, or of strings if all values are strings; it returns false
// if dst has another type.
func (d *decoder) fields(path []string, dst reflect.Value, src map[string]any) bool {
	switch to := dst.Addr().Interface().(type) {
	case *map[string]any:
		*to = make(map[string]any, len(src))
		for key, value := range src {
			if d.dynamic(append(path, key)) {
				d.skipped, value = true, nil
			}
			(*to)[key] = value
		}
	case *map[string]string:
		texts := make(map[string]string, len(src))
		for key, value := range src {
			text, ok := value.(string)
			if !ok || d.dynamic(append(path, key)) {
				return false
			}
			texts[key] = text
		}
		*to = texts
	default:
		return false
	}
	return true
}

// dictionary sets a map with string keys.
func (d *decoder) dictionary(path []string, dst, v reflect.Value) {
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		d.mismatch(path, dst, v.Interface(), "")
		return
	}
	out := reflect.MakeMapWithSize(dst.Type(), v.Len())
	value := reflect.New(dst.Type().Elem()).Elem()
	for entry := v.MapRange(); entry.Next(); {
		key := entry.Key()
		value.SetZero()
		d.element(append(path, key.String()), value, entry.Value().Interface())
		out.SetMapIndex(key.Convert(dst.Type().Key()), value)
	}
	dst.Set(out)
}

func (d *decoder) element(path []string, dst reflect.Value, src any) {
	switch {
	case d.dynamic(path):
		d.skipped = true
	case src != nil:
		d.value(path, dst, src)
	case dst.Kind() != reflect.Interface:
		d.mismatch(path, dst, src, "")
	}
}

// number sets integers and other numbers without loss of precision.
func (d *decoder) number(path []string, dst reflect.Value, src any, v reflect.Value) {
	if n, ok := src.(json.Number); ok {
		d.fail(path, WrongValue, outOfRange(n), "")
		return
	}
	var f float64
	switch {
	case v.CanInt():
		f = float64(v.Int())
	case v.CanUint():
		f = float64(v.Uint())
	case v.CanFloat():
		f = v.Float()
	default:
		d.mismatch(path, dst, src, "")
		return
	}
	if dst.CanFloat() {
		dst.SetFloat(f)
		return
	}
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		d.mismatch(path, dst, src, "")
		return
	}
	// Integers are set exactly: a float64 has only 53 bits of precision.
	switch {
	case v.CanFloat() && math.Abs(f) < 1<<63:
		v = reflect.ValueOf(int64(f))
	case v.CanUint() && v.Uint() <= math.MaxInt64:
		v = reflect.ValueOf(int64(v.Uint()))
	}
	switch {
	case v.CanInt() && dst.CanInt() && !dst.OverflowInt(v.Int()):
		dst.SetInt(v.Int())
	case v.CanInt() && dst.CanUint() && v.Int() >= 0 && !dst.OverflowUint(uint64(v.Int())):
		dst.SetUint(uint64(v.Int()))
	default:
		d.fail(path, WrongValue, outOfRange(src), "")
	}
}

func outOfRange(src any) string { return values.Describe(src) + " is out of range" }
