package api

import (
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
)

// anyJSON is the schema of a field that holds any JSON value.
type anyJSON struct{}

// Schema implements huma.SchemaProvider.
func (anyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

// newRegistry returns a registry that knows the types of package workqueue that write themselves
// as something else.
func newRegistry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", schemaName)
	for from, to := range map[reflect.Type]reflect.Type{
		reflect.TypeFor[workqueue.JSONText](): reflect.TypeFor[anyJSON](),
		reflect.TypeFor[workqueue.Duration](): reflect.TypeFor[string](),
		reflect.TypeFor[workqueue.Rate]():     reflect.TypeFor[string](),
		reflect.TypeFor[matching.Value]():     reflect.TypeFor[anyJSON](),
		reflect.TypeFor[tasks.Importance]():   reflect.TypeFor[string](),
		reflect.TypeFor[tasks.Text]():         reflect.TypeFor[anyJSON](), // a number or a text
	} {
		r.RegisterTypeAlias(from, to)
	}
	return r
}

// schemaName returns the name of a type's schema. Types of other packages than this and
// workqueue get their package's name in front, so that two of one name never meet.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	switch pkg := path.Base(t.PkgPath()); pkg {
	case "", ".", "api", "operations", "workqueue":
		return name
	default:
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
}

// adapted are the types whose MarshalJSON writes other properties than their fields.
var adapted = map[reflect.Type]func(*huma.Schema){
	reflect.TypeFor[workqueue.Queue]():       anyNull,
	reflect.TypeFor[workqueue.Item]():        itemSchema,
	reflect.TypeFor[workqueue.RobotEnded]():  withTexts("stateName"),
	reflect.TypeFor[assign.Reason]():         anyNull,
	reflect.TypeFor[matching.Selector]():     anyObject,
	reflect.TypeFor[matching.Distribution](): anyObject,
}

// withTexts adds properties that the type writes besides its fields.
func withTexts(names ...string) func(*huma.Schema) {
	return func(s *huma.Schema) {
		for _, name := range names {
			s.Properties[name] = &huma.Schema{Type: huma.TypeString}
			s.Required = append(s.Required, name)
		}
	}
}

// anyObject is the schema of a type that writes other properties than its fields.
func anyObject(s *huma.Schema) { s.Properties, s.Required, s.AdditionalProperties = nil, nil, true }

// anyNull allows null for every property that is not required to have a value: the type writes
// null for what is not set.
func anyNull(s *huma.Schema) {
	for _, property := range s.Properties {
		if property.Type != "" {
			property.Nullable = true
		}
	}
}
