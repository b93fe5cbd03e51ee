package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"botwork/internal/values"
)

// Shape describes the output of a step, as far as it is known before the run.
type Shape struct {
	// Type is "any" or "" (nothing is known), "text", "whole number", "true or
	// false", "time", "object" (has exactly Fields), "map" (has any keys), "list",
	// "input" (what the step was given), or "nothing" (no step follows).
	Type string

	// Fields are those of an object.
	Fields map[string]Shape

	// Elem is what a list or a map holds; nil: anything.
	Elem *Shape
}

// The simple shapes.
var (
	AnyShape     = Shape{Type: "any"}
	TextShape    = Shape{Type: "text"}
	WholeShape   = Shape{Type: "whole number"}
	BoolShape    = Shape{Type: "true or false"}
	TimeShape    = Shape{Type: "time"}
	InputShape   = Shape{Type: "input"}
	NothingShape = Shape{Type: "nothing"}
)

// ObjectShape is a mapping with exactly these fields.
func ObjectShape(fields map[string]Shape) Shape { return Shape{Type: "object", Fields: fields} }

// ListShape is a list of elements of one shape.
func ListShape(elem Shape) Shape { return Shape{Type: "list", Elem: &elem} }

// MapShape is a mapping with unknown keys.
func MapShape(elem Shape) Shape { return Shape{Type: "map", Elem: &elem} }

// CountsShape is an object of whole numbers.
func CountsShape(names ...string) Shape {
	fields := make(map[string]Shape, len(names))
	for _, name := range names {
		fields[name] = WholeShape
	}
	return ObjectShape(fields)
}

// Always is an OutputShape that does not depend on the parameters.
func Always(s Shape) func(map[string]any) Shape { return func(map[string]any) Shape { return s } }

// Shape returns the shape of the kind's output with these parameters; parameters that are
// expressions are nil. It is AnyShape if unknown.
func (k Kind) Shape(with map[string]any) Shape {
	if k.OutputShape == nil {
		return AnyShape
	}
	return k.OutputShape(with)
}

// Check returns where a value does not have the shape, or nil. It ignores "input" and "nothing".
func (s Shape) Check(value any) error { return s.check("output", value) }

func (s Shape) check(path string, value any) error {
	v := reflect.ValueOf(value)
	ok := true
	switch s.Type {
	case "text":
		_, number := value.(json.Number)
		ok = v.Kind() == reflect.String && !number
	case "whole number":
		n, long := value.(json.Number)
		ok = v.CanInt() || long && values.IsWhole(n)
	case "true or false":
		ok = v.Kind() == reflect.Bool
	case "time":
		_, ok = value.(time.Time)
	case "list":
		if ok = v.Kind() == reflect.Slice; !ok || s.Elem == nil {
			break
		}
		for i := range v.Len() {
			if err := s.Elem.check(fmt.Sprintf("%s[%d]", path, i), v.Index(i).Interface()); err != nil {
				return err
			}
		}
	case "map", "object":
		if ok = v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String; ok {
			return s.checkFields(path, v)
		}
	}
	if !ok {
		return fmt.Errorf("%s: got %s, want %s", path, values.DescribeType(v), s.Type)
	}
	return nil
}

func (s Shape) checkFields(path string, v reflect.Value) error {
	for _, key := range v.MapKeys() {
		elem := AnyShape
		if field, ok := s.Fields[key.String()]; ok {
			elem = field
		} else if s.Type == "object" {
			return fmt.Errorf("%s: got the field %q, want none of that name", path, key)
		} else if s.Elem != nil {
			elem = *s.Elem
		}
		if err := elem.check(path+"."+key.String(), v.MapIndex(key).Interface()); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		if !v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key())).IsValid() {
			return fmt.Errorf("%s: the field %q is missing", path, name)
		}
	}
	return nil
}
