package handlers

import (
	"fmt"
	"reflect"
)

// Build makes a handler from a step's parameters: the defaults of New, filled
// strictly from with, then validated. Every mistake is in the *ParamErrors
// that it returns. Build does no I/O.
//
// The values of with are what YAML and expressions give: nil, bool, numbers,
// strings, times, lists, and maps with string keys. A nil counts as not given.
// Names are exact. Text is not taken for a number nor a number for text, and a
// fraction is not cut to a whole number.
func (k Kind) Build(with map[string]any) (Handler, error) {
	h, wrong := k.build(with, nil)
	if len(wrong) > 0 {
		return nil, &ParamErrors{List: wrong}
	}
	return h, nil
}

// CheckLiteral finds what is wrong with parameters of which some are not known yet. dynamic
// reports for a path, which it must not keep, whether an expression will give that value; such a
// value counts as given and is not checked. Validate is called only when nothing is dynamic and
// nothing else is wrong, since it may compare parameters.
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
