package strictyaml

import (
	"reflect"
	"strings"
)

// field is a struct field that receives the value of a mapping's key.
type field struct {
	name     string
	index    []int
	required bool
}

// fieldsOf returns the fields of the struct type t that have a yaml tag in the
// order of their declaration, including those of embedded structs.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
		case name != "" && name != "-" && f.IsExported():
			fields = append(fields, field{name: name, index: []int{i}, required: options == "required"})
		}
	}
	return fields
}
