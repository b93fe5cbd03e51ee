package apitest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"botwork/internal/api"
	"botwork/internal/jsonschemas"
)

// document is an OpenAPI 3.1 document. Its schemas are JSON Schemas, and each is compiled when
// the first answer is compared with it.
type document struct {
	Paths      map[string]map[string]operation `json:"paths"` // by template and method
	Components any                             `json:"components"`

	compiled sync.Map // functions that return a schema and an error, by operation, status and media type
}

type operation struct {
	Responses map[string]struct { // by status
		Content map[string]struct {
			Schema any `json:"schema"`
		} `json:"content"` // by media type
	} `json:"responses"`
}

// shared is the document of the first server in this process. Documents of other servers differ only
// in the version.
var shared struct {
	once sync.Once
	document
	err error
}

func documentOf(a *api.API) (*document, error) {
	shared.once.Do(func() {
		var text []byte
		if text, shared.err = a.Document(); shared.err == nil {
			shared.err = json.Unmarshal(text, &shared.document)
		}
	})
	return &shared.document, shared.err
}

// faults compares an answer with the document.
func (d *document) faults(method, path string, status int, contentType string, body []byte) []string {
	template, op, found := d.operation(method, path)
	if !found {
		return []string{"the document has no such operation"}
	}
	answer, found := op.Responses[strconv.Itoa(status)]
	if !found {
		return []string{"the document has no such status for " + template}
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && len(answer.Content)+len(body) == 0 {
		return nil
	}
	content, found := answer.Content[media]
	if !found {
		return []string{fmt.Sprintf("the document has no content %q for %s, and the body has %d bytes", contentType, template, len(body))}
	}
	if !strings.HasSuffix(media, "json") {
		return nil
	}
	once, _ := d.compiled.LoadOrStore(fmt.Sprint(method, template, status, media), sync.OnceValues(func() (*jsonschemas.Schema, error) {
		return jsonschemas.Compile(map[string]any{"allOf": []any{content.Schema}, "components": d.Components})
	}))
	schema, err := once.(func() (*jsonschemas.Schema, error))()
	if err != nil {
		return []string{"the document's schema is wrong: " + err.Error()}
	}
	value, err := jsonschemas.Decode(string(body))
	if err != nil {
		return []string{"the body is not JSON: " + err.Error()}
	}
	return schema.Check(value).TextsBelow("body")
}

// operation returns the operation of a path. One whose template has more of the path's own words
// is preferred: /items/export before /items/{id}.
func (d *document) operation(method, path string) (template string, op operation, found bool) {
	most := -1
	parts := strings.Split(path, "/")
	for t, methods := range d.Paths {
		o, has := methods[strings.ToLower(method)]
		if !has {
			continue
		}
		words := 0
		if slices.EqualFunc(strings.Split(t, "/"), parts, func(want, got string) bool {
			if want == got {
				words++
				return true
			}
			return strings.HasPrefix(want, "{") && got != ""
		}) && words > most {
			template, op, found, most = t, o, true, words
		}
	}
	return template, op, found
}

// compare compares an answer with the document of the server.
func (s *Server) compare(req *http.Request, status int, contentType string, body []byte) []string {
	d, err := documentOf(s.API)
	if err != nil {
		return []string{err.Error()}
	}
	return d.faults(req.Method, req.URL.EscapedPath(), status, contentType, body)
}
