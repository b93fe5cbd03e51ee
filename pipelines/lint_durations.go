package pipelines

import (
	"reflect"
	"slices"
	"time"

	"botwork/handlers"
)

// durations reports expressions that give a number where a handler wants a duration.
// step is the path of the step, with a dot.
func (c *compilation) durations(step string, fields []handlers.Field, t *template) {
	for _, item := range t.items {
		c.durations(step, fields, item)
	}
	for _, m := range t.fields {
		at := slices.IndexFunc(fields, func(f handlers.Field) bool { return f.Name == m.key })
		switch {
		case at < 0:
		case fields[at].Type == "duration" && m.value.value != nil && isNumber(m.value.value.program.Type()):
			c.reportAt(m.value.value.position, handlers.WrongType, step+m.value.key+": got a number, want a duration with a unit",
				`write a text, such as ${{ "5m" }} or ${{ string(payload.minutes) + "m" }}`)
		default:
			c.durations(step, fields[at].Fields, m.value)
		}
	}
}

func isNumber(t reflect.Type) bool {
	return t != reflect.TypeFor[time.Duration]() && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64
}
