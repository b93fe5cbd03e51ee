package pipelines

import (
	"context"
	"errors"
	"strings"
	"testing"

	"botwork/handlers"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo returns its parameter or its input.
type echo struct {
	Value   any               `json:"value" doc:"what to put out"`
	Text    string            `json:"text" doc:"a text to put out"`
	Count   int               `json:"count" doc:"a number to put out"`
	Wait    handlers.Duration `json:"wait" doc:"a length of time to put out"`
	Mode    string            `json:"mode" doc:"a choice" enum:"fast,slow"`
	List    []string          `json:"list" doc:"a list to put out"`
	Headers map[string]string `json:"headers" doc:"a map to put out"`
}

func (e *echo) Handle(_ context.Context, call *handlers.Call) (any, error) {
	switch {
	case e.Value != nil:
		return e.Value, nil
	case e.Text != "":
		return e.Text, nil
	case e.Count != 0:
		return e.Count, nil
	case e.Headers != nil:
		return e.Headers, nil
	}
	return call.Input, nil
}

// require has a required parameter, and a rule for two parameters.
type require struct {
	URL string `json:"url" doc:"the address" required:"true"`
	Min int    `json:"min" doc:"the least"`
	Max int    `json:"max" doc:"the most"`
}

func (r *require) Validate() error {
	if r.Max != 0 && r.Min > r.Max {
		return handlers.WrongParam("min", "is more than max")
	}
	return nil
}

func (r *require) Handle(context.Context, *handlers.Call) (any, error) { return r.URL, nil }

// script has a parameter that may be code.
type script struct {
	Run program `json:"run" doc:"a name, or code in braces"`
}

func (s *script) Handle(context.Context, *handlers.Call) (any, error) { return string(s.Run), nil }

type program string

func (program) CheckExpression(text string) (message, hint string) {
	if !strings.Contains(text, "{") {
		return "", ""
	}
	return "got code, want a name", "write it in the file"
}

// do is a handler that runs a function of the test.
type do func(ctx context.Context, call *handlers.Call) (any, error)

func (f do) Handle(ctx context.Context, call *handlers.Call) (any, error) { return f(ctx, call) }

// registry returns a registry with a few kinds and those of the test.
func registry(tests map[string]do) *handlers.Registry {
	r := handlers.NewRegistry()
	r.MustRegister(
		handlers.Kind{Name: "Echo", New: func() handlers.Handler { return &echo{} }},
		handlers.Kind{Name: "Require", New: func() handlers.Handler { return &require{} }},
		handlers.Kind{Name: "Script", New: func() handlers.Handler { return &script{} }},
		handlers.Kind{Name: "Break", New: func() handlers.Handler {
			return do(func(context.Context, *handlers.Call) (any, error) { return nil, handlers.Break("nothing to do") })
		}},
		handlers.Kind{Name: "Fail", New: func() handlers.Handler {
			return do(func(context.Context, *handlers.Call) (any, error) { return nil, errors.New("no luck") })
		}},
	)
	for name, f := range tests {
		r.MustRegister(handlers.Kind{Name: name, New: func() handlers.Handler { return f }})
	}
	return r
}

func testCompiler(tests map[string]do) *Compiler {
	return NewCompiler(registry(tests), Options{SecretNames: []string{"apiKey", "dbPassword"}})
}

// parse compiles a valid pipeline.
func parse(t testing.TB, c *Compiler, text string) *Pipeline {
	t.Helper()
	p, findings := c.Parse("test.yaml", []byte(text))
	if len(findings) > 0 {
		t.Fatalf("findings:\n%v", findings)
	}
	return p
}
