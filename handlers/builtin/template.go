package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"botwork/handlers"
	"botwork/internal/bounded"
)

const templateDoc = `Fills a text/template of Go with data. Additional functions are json (a value as JSON), join (a list and a separator) and date
(a time and a format such as YYYY-MM-DD). {{ }} belongs to the template and ${{ }} to the pipeline, which replaces it first.
Nothing is escaped: the result is plain text, not HTML.

Numbers are written in plain digits, never with an exponent: 1234567.89. In printf, every verb for numbers takes whole
and decimal ones: %.2f writes 100 as 100.00, %d writes 100.0 as 100. A verb that does not suit its value, such as %d for 100.5
(%.0f rounds it) or for text, and a wrong number of values are business errors.

A template may take 50 million steps: each part of a range's body takes ten in each pass. Its functions may make texts of 64 MB,
or of maxSize if that is more. Beyond that, and if its templates call each other endlessly, it fails for good.

A name that is not in data is a business error, not an empty text.

It is safe to run twice: the result depends only on the parameters, and to is replaced in one step. An invalid template
is permanent; a missing file is retried.`

func templateKind(res Resources) handlers.Kind {
	texts := new(compiled[*bounded.Template])
	return handlers.Kind{
		Name: "Template", Summary: "Fill a text template", Doc: templateDoc,
		Output:      "the text, or with to: {path, size}.",
		OutputShape: templateGives,
		Example: `- handler: Template
  with:
    text: |
      Dear {{ .customer }},
      {{ range .orders }}- {{ .number }}: {{ printf "%.2f" .amount }}
      {{ end -}}
    data: ${{ payload }}
    to: letters/${{ payload.customer }}.txt
`,
		New: func() handlers.Handler { return &templateStep{MaxSize: 10 << 20, folders: res.Folders, texts: texts} },
	}
}

type templateStep struct {
	Text    string        `json:"text" doc:"the template; exactly one of text and path is given"`
	Path    string        `json:"path" doc:"file with the template, in the allowed folders"`
	Data    any           `json:"data" doc:"the value of the dot in the template; default is {payload, input}"`
	To      string        `json:"to" doc:"file to write, in the allowed folders"`
	MaxSize handlers.Size `json:"maxSize" doc:"largest template file, and largest result"`

	folders folders
	texts   *compiled[*bounded.Template] // of all steps

	// Compiled from Text by Validate; nil where Path is given.
	compiled *bounded.Template
}

// Validate compiles the template in Text.
func (s *templateStep) Validate() error {
	var errs []error
	if (s.Text == "") == (s.Path == "") {
		errs = append(errs, errors.New("give exactly one of text and path"))
	}
	if s.Text != "" {
		made, err := s.texts.of(s.Text, compileTemplate)
		if err != nil {
			errs = append(errs, handlers.WrongParam("text", err.Error()))
		}
		s.compiled = made
	}
	for name, path := range map[string]string{"path": s.Path, "to": s.To} {
		if _, err := s.folders.locate(path); path != "" && err != nil {
			errs = append(errs, handlers.WrongParam(name, err.Error()))
		}
	}
	return errors.Join(errs...)
}

func (s *templateStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	compiled := s.compiled
	if compiled == nil {
		text, _, err := s.folders.readText(s.Path, s.MaxSize)
		if err != nil {
			return nil, keepOutcome(fmt.Errorf("template: %w", err))
		}
		if compiled, err = compileTemplate(text); err != nil {
			return nil, handlers.Permanent(fmt.Errorf("template %q: %w", s.Path, err))
		}
	}
	data := s.Data
	if data == nil {
		data = map[string]any{"payload": call.Payload, "input": call.Input}
	}
	out := &templateOutput{ctx: ctx, limitedBuffer: limitedBuffer{limit: int64(s.MaxSize), full: func() {}}}
	budget := &bounded.Budget{MaxMemory: max(bounded.MaxMemory, int(s.MaxSize))}
	budget.Start(ctx)
	err := compiled.Execute(budget, out, data)
	switch limit := bounded.Limit(err); {
	case out.overflowed:
		return nil, handlers.Permanent(fmt.Errorf("template: the result is larger than %s; raise maxSize if that is right", s.MaxSize))
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("template: %w", ctx.Err())
	case limit != nil:
		return nil, handlers.Permanent(fmt.Errorf("%w; %s", err, limit.Hint()))
	case err != nil:
		return nil, handlers.Business(err) // it begins with "template: text:line:column"
	}
	if s.To == "" {
		return out.kept.String(), nil
	}
	info, err := s.folders.write(s.To, true, &out.kept)
	if err != nil {
		return nil, keepOutcome(fmt.Errorf("template: %w", err))
	}
	return map[string]any{"path": s.To, "size": int(info.Size())}, nil
}

// templateOutput returns an error when the limit is reached or the context ends.
type templateOutput struct {
	limitedBuffer
	ctx context.Context
}

func (o *templateOutput) Write(p []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := o.limitedBuffer.Write(p)
	if o.overflowed {
		return 0, errors.New("the result is too large")
	}
	return n, err
}

func compileTemplate(text string) (*bounded.Template, error) {
	return bounded.ParseTemplate(text, templateFunctions)
}

// templateFunctions are the functions of templates in addition to those of text/template.
func templateFunctions(b *bounded.Budget) template.FuncMap {
	return template.FuncMap{
		"json": func(v any) (string, error) {
			if err := b.JSON(v); err != nil {
				return "", err
			}
			return encodeJSON(v, "")
		},
		"date": func(at time.Time, format string) (string, error) {
			if err := b.Memory(8 * len(format)); err != nil {
				return "", err
			}
			return at.Format(dateLayout(format)), nil
		},
		"join": func(list []any, separator string) (string, error) {
			if err := b.JSON(list); err != nil {
				return "", err
			}
			if err := b.Memory(len(list) * len(separator)); err != nil {
				return "", err
			}
			texts := make([]string, len(list))
			for i, v := range list {
				var err error
				if texts[i], err = valueText(v); err != nil {
					return "", fmt.Errorf("element %d: %w", i, err)
				}
			}
			return strings.Join(texts, separator), nil
		},
	}
}
