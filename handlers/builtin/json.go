package builtin

import (
	"context"
	"fmt"

	"botwork/handlers"
	"botwork/internal/values"
)

const jsonDoc = `Turns JSON text into a value, or a value into JSON text.

op: parse reads value, which must be text. op: format writes value. The default of value is the step's input.

It is safe to run twice: it changes nothing. Text that is not JSON is a business error; parsing a value that is not text is permanent.`

func jsonKind() handlers.Kind {
	return handlers.Kind{
		Name: "JSON", Summary: "Read or write JSON text", Doc: jsonDoc,
		Output:      "for parse: the value; for format: the text.",
		OutputShape: jsonGives,
		Example: `- name: order
  handler: JSON
  with: {op: parse, value: '{"customer": "Ana", "total": 12.5}'}
- handler: JSON
  with: {op: format, value: {customer: "${{ steps.order.output.customer }}"}, indent: true}
`,
		New: func() handlers.Handler { return &jsonStep{} },
	}
}

type jsonStep struct {
	Op     string `json:"op" required:"true" enum:"parse,format" doc:"read or write"`
	Value  any    `json:"value" doc:"what to read or write; default is the step's input"`
	Indent bool   `json:"indent" doc:"for format: whether to write one value per line, indented"`
}

func (s *jsonStep) Handle(_ context.Context, call *handlers.Call) (any, error) {
	value := s.Value
	if value == nil {
		value = call.Input
	}
	if s.Op == "format" {
		indent := ""
		if s.Indent {
			indent = "  "
		}
		text, err := encodeJSON(value, indent)
		if err != nil {
			return nil, handlers.Permanent(fmt.Errorf("json: %w", err))
		}
		return text, nil
	}
	text, ok := value.(string)
	if !ok {
		return nil, handlers.Permanent(fmt.Errorf("json: the value is %s, want text", values.Describe(value)))
	}
	v, err := values.DecodeJSON([]byte(text))
	if err != nil {
		return nil, handlers.Business(err)
	}
	return v, nil
}
