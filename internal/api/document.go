package api

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// setErrors makes huma answer with problems. Its functions are global, so it happens once.
var setErrors = sync.OnceFunc(func() {
	huma.NewErrorWithContext = newProblem
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return newProblem(nil, status, message, errs...)
	}
})

// config returns the start of the document, before the operations.
func (a *API) config() huma.Config {
	setErrors()
	config := huma.DefaultConfig("Botwork", a.version)
	config.Info.Description = "The HTTP API of Botwork. Times are RFC 3339 in UTC, durations texts such as 1h30m0s. " +
		"Problems are RFC 9457 with a code for programs; docs/api.md lists the codes."
	config.Info.Contact = &huma.Contact{Name: "Botwork"}
	config.Servers = []*huma.Server{{URL: "/", Description: "the server that has this document"}}
	config.CreateHooks = nil // no $schema fields and Link headers
	config.DocsPath, config.SchemasPath, config.OpenAPIPath = "", "", ""
	config.RejectUnknownQueryParameters = true
	config.Formats = formats(config.Formats)
	config.NoFormatFallback = false
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":   {Type: "http", Scheme: "bearer", Description: "an API token, as `botwork tokens create` prints it"},
		"session": {Type: "apiKey", In: "cookie", Name: "botwork_session", Description: "the session of a user who has signed in"},
	}
	config.Components.Schemas = newRegistry()
	return config
}

// Document returns the OpenAPI document as JSON.
func (a *API) Document() ([]byte, error) { return a.huma.OpenAPI().MarshalJSON() }

// serveDocument serves the OpenAPI document, which needs no token: it says nothing about this
// installation.
func (a *API) serveDocument(marshal func(*huma.OpenAPI) ([]byte, error), contentType string) http.HandlerFunc {
	text := sync.OnceValues(func() ([]byte, error) { return marshal(a.huma.OpenAPI()) })
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := text()
		if err != nil {
			a.log.Error().Err(err).Msg("could not write the OpenAPI document")
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(data)
	}
}

// tags describe the groups of operations.
var tags = map[string]string{
	"assignments":   "Which worker gets which item",
	"audit":         "Who changed what",
	"batches":       "What the parts of a batch of changes have done",
	"checkouts":     "Items that robots hold",
	"database":      "Checks of the database",
	"drafts":        "Texts of pipelines that are not saved",
	"durations":     "How long runs take, as workers have learned it",
	"events":        "What changes, as it changes",
	"failures":      "Failed attempts",
	"forecast":      "When items are likely to start and end, and what a change would do",
	"items":         "Items: what is to be done, and what was done",
	"machine":       "Checks of the server's machine",
	"notifications": "Messages to people",
	"escalations":   "Rules for items that wait too long",
	"settings":      "The settings of the server",
	"pipelines":     "Pipelines of the server's project, and what happens to them on all workers",
	"project":       "The files of the server's project",
	"queues":        "Queues and their policies",
	"report":        "What failed",
	"requests":      "Requests to run system pipelines",
	"metrics":       "Figures for Prometheus",
	"robot-items":   "Items of a robot's queues",
	"robots":        "What robots do with the items of their queues",
	"runs":          "Runs of system pipelines",
	"schedules":     "When pipelines start",
	"sessions":      "Sessions of users",
	"stats":         "Figures of the queues, and statistics over time",
	"tasks":         "Scheduled tasks",
	"tokens":        "API tokens",
	"users":         "Users",
	"version":       "The program",
	"workers":       "Workers and their settings",
}

// describeTags adds the tags of the operations to the document.
func (a *API) describeTags() {
	used := map[string]bool{}
	for _, op := range a.operations {
		used[op.Tag] = true
	}
	for _, tag := range slices.Sorted(maps.Keys(used)) {
		a.huma.OpenAPI().Tags = append(a.huma.OpenAPI().Tags, &huma.Tag{Name: tag, Description: tags[tag]})
	}
}

const schemaPrefix = "#/components/schemas/"

// finishDocument adapts the schemas to what the types really write.
func (a *API) finishDocument() {
	a.describeTags()
	a.documentExact()
	registry := a.huma.OpenAPI().Components.Schemas
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef(schemaPrefix + name)
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		allowNull(schema, t)
		if adapt := adapted[t]; adapt != nil {
			adapt(schema)
		}
	}
	a.removeUnused()
}

// removeUnused removes schemas that no operation refers to any more because a type that has them
// as fields was adapted.
func (a *API) removeUnused() {
	document := a.huma.OpenAPI()
	schemas, used := document.Components.Schemas.Map(), map[string]bool{}
	var use func(all ...*huma.Schema)
	use = func(all ...*huma.Schema) {
		for _, s := range all {
			if s == nil {
				continue
			}
			if name := strings.TrimPrefix(s.Ref, schemaPrefix); name != "" && !used[name] {
				used[name] = true
				use(schemas[name])
			}
			more, _ := s.AdditionalProperties.(*huma.Schema)
			use(s.Items, s.Not, more)
			use(slices.Collect(maps.Values(s.Properties))...)
			use(slices.Concat(s.OneOf, s.AnyOf, s.AllOf)...)
		}
	}
	for _, item := range document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op == nil {
				continue
			}
			for _, p := range op.Parameters {
				use(p.Schema)
			}
			if op.RequestBody != nil {
				useContent(use, op.RequestBody.Content)
			}
			for _, answer := range op.Responses {
				useContent(use, answer.Content)
			}
		}
	}
	maps.DeleteFunc(schemas, func(name string, _ *huma.Schema) bool { return !used[name] })
}

func useContent(use func(...*huma.Schema), content map[string]*huma.MediaType) {
	for _, media := range content {
		use(media.Schema)
	}
}

// allowNull marks the properties that a nil pointer or a nil map writes as null: huma does it
// for slices and for pointers to plain scalars only.
func allowNull(s *huma.Schema, t reflect.Type) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			allowNull(s, f.Type)
			continue
		}
		property := s.Properties[name]
		if property == nil || strings.Contains(options, "omitempty") {
			continue
		}
		switch {
		case f.Type.Kind() == reflect.Pointer && property.Ref != "":
			s.Properties[name] = &huma.Schema{Description: property.Description, OneOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}}
		case f.Type.Kind() == reflect.Map, f.Type.Kind() == reflect.Pointer && property.Type != "":
			property.Nullable = true
		}
	}
}
