package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// itemView is an item as a caller may see it: the JSON of workqueue.Item, or some of its fields.
type itemView struct{ text json.RawMessage }

// MarshalJSON implements json.Marshaler.
func (v itemView) MarshalJSON() ([]byte, error) { return v.text, nil }

// Schema implements huma.SchemaProvider.
func (itemView) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[workqueue.Item](), true, "")
}

// itemSchema adapts the schema of items: what the type adds to its fields, and that a request may
// ask for some of them.
func itemSchema(s *huma.Schema) {
	s.Properties["stateName"] = &huma.Schema{Type: huma.TypeString, Description: "the name of the state"}
	s.Properties["status"] = &huma.Schema{Type: huma.TypeString, Description: "the status, such as Business error"}
	s.Required = nil
	anyNull(s)
}

// view returns an item as the caller may see it. Encrypted and hidden data is null for callers below
// editor.
func (a *API) view(ctx context.Context, it *workqueue.Item, fields []string) (itemView, error) {
	if _, err := a.hideData(ctx, it); err != nil {
		return itemView{}, err
	}
	a.redact(it.Error, it.Progress, it.LogTail)
	a.redactJSON(&it.Output)
	text, err := it.MarshalJSON()
	if err != nil || len(fields) == 0 {
		return itemView{text}, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return itemView{}, err
	}
	some := make(map[string]json.RawMessage, len(fields))
	for _, name := range fields {
		if value, ok := all[name]; ok {
			some[name] = value
		}
	}
	text, err = workqueue.MarshalPlain(some)
	return itemView{text}, err
}

// itemFields lists the fields of an item in JSON.
func itemFields() []string {
	names := []string{"stateName", "status"}
	for f := range reflect.TypeFor[workqueue.Item]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// checkFields refuses fields that items do not have.
func checkFields(fields []string) error {
	var faults []Fault
	known := itemFields()
	for _, name := range fields {
		if !slices.Contains(known, name) {
			faults = append(faults, Fault{Location: "query.fields", Message: "unknown field " + quoted(name), Hint: strictyaml.Suggest(name, known)})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	p := problem(http.StatusUnprocessableEntity, "invalid-request", "items do not have these fields")
	p.Errors = faults
	return p
}

func quoted(text string) string {
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return `"` + strings.ToValidUTF8(text, "?") + `"`
}

func validJSON(text workqueue.JSONText) bool { return json.Valid([]byte(text)) }
