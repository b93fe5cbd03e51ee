package pipelines

import (
	"reflect"
	"slices"
	"strings"

	"botwork/handlers"
)

// checkedFields returns the fields that check the texts of expressions and that t has an
// expression for.
func checkedFields(fields []handlers.Field, t *template) []handlers.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f handlers.Field) bool {
		return f.CheckExpression == nil || !t.dynamicAt([]string{f.Name})
	})
}

// checkExpressions returns the parameters that an expression may not make as they are.
func checkExpressions(fields []handlers.Field, textOf func(name string) string) (wrong []handlers.ParamError) {
	for _, f := range fields {
		if message, hint := f.CheckExpression(textOf(f.Name)); message != "" {
			wrong = append(wrong, handlers.ParamError{Path: []string{f.Name}, Code: handlers.WrongValue, Message: message, Hint: hint})
		}
	}
	return wrong
}

// literalText returns a parameter's text with a space in place of each expression.
func (t *template) literalText(name string) string {
	var b strings.Builder
	for _, f := range t.fields {
		if f.key != name {
			continue
		}
		for _, s := range f.value.text {
			if s.value == nil {
				b.WriteString(s.text)
			} else {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// checkRendered is checkExpressions for the values of a run, as a *handlers.ParamErrors; a nil
// value is unknown or not given.
func (s *Step) checkRendered(with map[string]any) error {
	wrong := checkExpressions(s.checked, func(name string) string {
		if v := reflect.ValueOf(with[name]); v.Kind() == reflect.String {
			return v.String()
		}
		return ""
	})
	if len(wrong) > 0 {
		return &handlers.ParamErrors{List: wrong}
	}
	return nil
}
