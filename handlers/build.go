package handlers

import (
	"fmt"
	"reflect"
)

// Build creates a handler from a step's parameters: it sets the defaults of New, decodes with
// strictly, and validates. It returns all errors as *ParamErrors. Build does no I/O.
//
// The values of with are what YAML and expressions give: nil, bool, numbers, strings, times,
// lists, and maps with string keys. A nil value means "not given". Names are case-sensitive.
// Build does not convert text to numbers or numbers to text, and does not round fractions.
func (k Kind) Build(with map[string]any) (Handler, error) {
	h, wrong := k.build(with, nil)
	if len(wrong) > 0 {
		return nil, &ParamErrors{List: wrong}
	}
	return h, nil
}

// CheckLiteral checks parameters of which some are expressions. dynamic reports whether the
// value at a path is an expression; it must not keep the path. Such a value counts as given
// and is not checked. Validate is called only if no value is dynamic and there are no other
// errors, because it may compare parameters.
func (k Kind) CheckLiteral(with map[string]any, dynamic func(path []string) bool) []ParamError {
	_, wrong := k.build(with, dynamic)
	return wrong
}

func (k Kind) build(with map[string]any, dynamic func([]string) bool) (Handler, []ParamError) {
	h := k.New()
	d := decoder{expected: dynamic}
	v := reflect.ValueOf(h)
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		d.object(make([]string, 0, 8), v.Elem(), with)
	} else if len(with) > 0 {
		d.fail(nil, WrongValue, fmt.Sprintf("handler %s takes no parameters", k.Name), "")
	}
	if len(d.wrong) > 0 || d.skipped {
		return nil, d.wrong
	}
	if validator, ok := h.(Validator); ok {
		return h, paramErrorsOf(validator.Validate())
	}
	return h, nil
}
