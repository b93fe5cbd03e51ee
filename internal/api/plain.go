package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// plain adds an operation whose answer is a stream or a text, which huma does not write. Its
// handler gets a request whose context has the caller and the actor. media is the type of a
// success. It returns the handler with the check of the caller, for a second path.
func (a *API) plain(op operation, media string, handle http.HandlerFunc) http.HandlerFunc {
	known := op.known()
	a.operations = append(a.operations, known)
	described := op.describe(known)
	described.Responses = map[string]*huma.Response{
		"200": {Description: "OK", Content: map[string]*huma.MediaType{media: {Schema: &huma.Schema{Type: "string"}}}},
	}
	problems := a.huma.OpenAPI().Components.Schemas.Schema(problemType, true, "")
	for _, status := range append(slices.Clone(everyRefusal), op.refuses...) {
		described.Responses[statusText(status)] = &huma.Response{
			Description: http.StatusText(status), Content: map[string]*huma.MediaType{problemMedia: {Schema: problems}},
		}
	}
	described.Parameters = op.parameters
	a.huma.OpenAPI().AddOperation(&described)
	guarded := func(w http.ResponseWriter, r *http.Request) {
		a.identify(humago.NewContext(&described, r, w), func(ctx huma.Context) { handle(w, r.WithContext(ctx.Context())) })
	}
	a.mux.HandleFunc(strings.ToUpper(op.method)+" "+known.Path, guarded)
	return guarded
}
