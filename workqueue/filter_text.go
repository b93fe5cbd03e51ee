package workqueue

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
	"unicode"
)

// Text describes the filter as JSON, for records: the fields that select something, in
// camel case. The page and the order are left out. It is "{}" if the filter selects all
// items.
func (f ItemFilter) Text() JSONText {
	f.BeforeID, f.Limit, f.Sort = 0, 0, ItemSort{}
	fields := map[string]any{}
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		value := v.Field(i)
		if value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0 {
			continue
		}
		fields[lowerFirst(v.Type().Field(i).Name)] = recorded(value.Interface())
	}
	text, err := MarshalPlain(fields)
	if err != nil {
		return "{}" // unreachable: all fields are plain values
	}
	return JSONText(text)
}

// recorded returns a value of a filter as its record shows it.
func recorded(value any) any {
	switch v := value.(type) {
	case []State:
		names := make([]string, len(v))
		for i, state := range v {
			names[i] = state.String()
		}
		return names
	case Band:
		return map[string]int{"min": v.Min, "max": v.Max}
	case *PayloadFilter:
		return v.String()
	case TimeRange:
		bounds := map[string]time.Time{}
		if !v.Since.IsZero() {
			bounds["since"] = v.Since.UTC()
		}
		if !v.Until.IsZero() {
			bounds["until"] = v.Until.UTC()
		}
		return bounds
	default:
		return value
	}
}

// RecordedFields returns the fields of a struct as JSON by their names in camel case, for
// records.
func RecordedFields(v any) (map[string]json.RawMessage, error) {
	text, err := MarshalPlain(v)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	named := make(map[string]json.RawMessage, len(fields))
	for name, value := range fields {
		named[lowerFirst(name)] = value
	}
	return named, nil
}

// lowerFirst returns a field's name in camel case: "queueName" for QueueName, "id" for ID.
func lowerFirst(name string) string {
	for i, r := range name {
		if !unicode.IsUpper(r) {
			if i > 1 { // an abbreviation: its last letter begins the next word
				i--
			}
			return strings.ToLower(name[:i]) + name[i:]
		}
	}
	return strings.ToLower(name)
}
