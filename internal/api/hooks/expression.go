package hooks

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"

	"botwork/internal/bounded"
	"botwork/workqueue"
)

// headerName matches a key that is the name of a header. Everything else is an expression.
var headerName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// variables are what expressions read. The signature covers the body only.
var (
	signed    = types.Map{"body": types.Any}
	variables = types.Map{"body": types.Any, "headers": types.Map{types.Extra: types.String}, "query": types.Map{types.Extra: types.String}}
)

// ExpressionError is the fault of an expression of a hook.
type ExpressionError struct {
	Key string // when, payload or key
	Err error
}

func (e *ExpressionError) Error() string { return e.Key + ": " + e.Err.Error() }

func (e *ExpressionError) Unwrap() error { return e.Err }

// compile returns the program of an expression; nil for "".
func compile(key, text string) (*bounded.Program, error) {
	if text == "" {
		return nil, nil
	}
	var options []expr.Option
	if key == "when" {
		options = append(options, expr.AsBool())
	}
	p, err := bounded.Compile(text, variables, options...)
	if err != nil {
		return nil, &ExpressionError{key, err}
	}
	return p, nil
}

// readsBodyOnly reports whether an expression reads nothing but the body.
func readsBodyOnly(text string) bool {
	_, err := bounded.Compile(text, signed)
	return err == nil
}

// evaluation evaluates the expressions of a hook for one request.
type evaluation struct {
	machine bounded.Machine
	values  map[string]any
}

func (h *Hook) evaluation(ctx context.Context, r *http.Request, body any) *evaluation {
	headers, query := map[string]string{}, map[string]string{}
	for name := range r.Header {
		if name != "Authorization" && name != "Cookie" && name != h.Form.Header() {
			headers[strings.ToLower(name)] = r.Header.Get(name)
		}
	}
	given := r.URL.Query()
	for name := range given {
		query[name] = given.Get(name)
	}
	e := &evaluation{values: map[string]any{"body": body, "headers": headers, "query": query}}
	e.machine.Start(ctx)
	return e
}

func (e *evaluation) condition(p *bounded.Program) (bool, error) {
	v, err := e.machine.Run(p, e.values)
	if err != nil {
		return false, badRequest("the expression of when failed: %v", err)
	}
	wanted, ok := v.(bool)
	if !ok {
		return false, badRequest("the expression of when: got a value of type %T, want true or false", v)
	}
	return wanted, nil
}

func (e *evaluation) payload(p *bounded.Program) (workqueue.JSONText, error) {
	v, err := e.machine.Run(p, e.values)
	if err != nil {
		return "", badRequest("the expression for the payload failed: %v", err)
	}
	text, err := workqueue.MarshalPlain(v)
	if err != nil {
		return "", badRequest("the payload cannot be written as JSON: %v", err)
	}
	return workqueue.JSONText(text), nil
}

// key evaluates the expression of a natural key.
func (e *evaluation) key(p *bounded.Program) (string, error) {
	v, err := e.machine.Run(p, e.values)
	if err != nil {
		return "", badRequest("the expression for the key failed: %v", err)
	}
	switch v := v.(type) {
	case string:
		if v != "" {
			return v, nil
		}
	case int:
		return strconv.Itoa(v), nil
	}
	return "", badRequest("the expression for the key: got %.40q, want a text that is not empty or a whole number", fmt.Sprint(v))
}
