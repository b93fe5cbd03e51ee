package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/httpserver"
)

// Problem is an answer that refuses a request: RFC 9457 with a code, a hint and the faults.
type Problem struct {
	Type     string  `json:"type" doc:"always about:blank: the code says what the problem is"`
	Title    string  `json:"title" doc:"the text of the HTTP status"`
	Status   int     `json:"status" doc:"the HTTP status"`
	Detail   string  `json:"detail" doc:"what is wrong, for a person"`
	Code     string  `json:"code" doc:"what is wrong, for a program: see docs/api.md"`
	Hint     string  `json:"hint,omitempty" doc:"what to do about it"`
	Instance string  `json:"instance,omitempty" doc:"the request's id, as in the log"`
	Errors   []Fault `json:"errors,omitempty" nullable:"false" doc:"the faults in the request, all at once"`

	// For the type of a problem; not in its JSON.
	ItemID *int64 `json:"itemId,omitempty" doc:"the item that the problem is about, such as the existing one with the same key"`

	header http.Header
}

var problemType = reflect.TypeFor[*Problem]()

// problemMedia is the media type of problems.
const problemMedia = httpserver.ProblemType

func statusText(status int) string { return strconv.Itoa(status) }

// Fault is one fault in a request.
type Fault struct {
	Location string `json:"location" doc:"where it is, such as body.priority, query.limit or line 3"`
	Message  string `json:"message"`
	Code     string `json:"code,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%s [%s]", p.Detail, p.Code) }

// GetStatus implements huma.StatusError.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma.ContentTypeFilter.
func (p *Problem) ContentType(string) string { return httpserver.ProblemType }

// GetHeaders implements huma.HeadersError.
func (p *Problem) GetHeaders() http.Header { return p.header }

// problem returns a problem with a status, a code and a detail.
func problem(status int, code, format string, args ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Detail: fmt.Sprintf(format, args...)}
}

func (p *Problem) withHint(hint string) *Problem {
	p.Hint = hint
	return p
}

func (p *Problem) withHeader(name, value string) *Problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
	return p
}

// of sets the id of the request.
func (p *Problem) of(ctx context.Context) *Problem {
	p.Instance = httpserver.RequestID(ctx)
	return p
}

// codes are the codes of the problems that huma finds by itself.
var codes = map[int]string{
	http.StatusBadRequest:            "bad-request",
	http.StatusNotFound:              "not-found",
	http.StatusMethodNotAllowed:      "method-not-allowed",
	http.StatusNotAcceptable:         "not-acceptable",
	http.StatusRequestTimeout:        "request-timeout",
	http.StatusRequestEntityTooLarge: "too-large",
	http.StatusUnsupportedMediaType:  "unsupported-media-type",
	http.StatusUnprocessableEntity:   "invalid-request",
	http.StatusInternalServerError:   "internal",
}

// newProblem is huma.NewErrorWithContext. Values that callers sent are not repeated: they may be
// secrets.
func newProblem(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	if len(errs) == 1 {
		if p, ok := errors.AsType[*Problem](errs[0]); ok {
			return p
		}
		if p := problemOfBody(errs[0]); p != nil {
			return p.of(ctx.Context())
		}
	}
	p := problem(status, cmp.Or(codes[status], "error"), "%s", message)
	if ctx != nil {
		p.Instance = httpserver.RequestID(ctx.Context())
	}
	if status >= 500 {
		p.Detail = "the server has failed; its log has the details under the request's id"
		return p
	}
	for _, err := range errs {
		if err == nil {
			continue
		}
		f := Fault{Message: err.Error()}
		if d, ok := err.(huma.ErrorDetailer); ok {
			f.Message, f.Location = d.ErrorDetail().Message, d.ErrorDetail().Location
		}
		p.Errors = append(p.Errors, f)
	}
	return p
}
