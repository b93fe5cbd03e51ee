package pipelines

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a compiled JSON Schema (draft 2020-12 unless it says another), in
// which formats such as "date" are checked too.
type schema struct{ compiled *jsonschema.Schema }

// noLoader keeps a schema from reading files or the network by its $ref: a
// pipeline may come from anybody who may enqueue.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("$ref to %s: a schema can only refer to itself", url)
}

// compileSchema compiles a schema that is made of JSON's types alone.
func compileSchema(doc any) (*schema, error) {
	const url = "mem:///input"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, err
	}
	return &schema{compiled}, nil
}

// problem is one place where a value does not fit a schema.
type problem struct {
	path []string
	text string
}

// problems flattens a validation error into its leaves.
func problems(err *jsonschema.ValidationError) []problem {
	if len(err.Causes) > 0 {
		var all []problem
		for _, cause := range err.Causes {
			all = append(all, problems(cause)...)
		}
		return all
	}
	return []problem{{err.InstanceLocation, err.DetailedOutput().Error.String()}}
}

// PayloadError says why a payload does not suit a pipeline.
type PayloadError struct {
	// NotJSON tells that the payload is not JSON at all.
	NotJSON bool

	// Problems names each place and what is wrong there.
	Problems []string
}

func (e *PayloadError) Error() string {
	if e.NotJSON {
		return "the payload is not JSON: " + strings.Join(e.Problems, "; ") + `; hint: a text is JSON in double quotes: "text"`
	}
	return "the payload does not fit the pipeline's input: " + strings.Join(e.Problems, "; ")
}

// CheckPayload checks a payload against the pipeline's `input`. Its error is a
// *PayloadError that names every mistake. An empty payload is null.
func (p *Pipeline) CheckPayload(text workqueue.JSONText) error {
	_, err := p.payload(text)
	return err
}

// payload decodes and checks a payload.
func (p *Pipeline) payload(text workqueue.JSONText) (any, error) {
	var value any
	if text != "" {
		var err error
		if value, err = handlers.DecodeJSON([]byte(text)); err != nil {
			return nil, &PayloadError{NotJSON: true, Problems: []string{err.Error()}}
		}
	}
	if p.input == nil {
		return value, nil
	}
	err := p.input.compiled.Validate(value)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		list := problems(invalid)
		wrong := make([]string, len(list))
		for i, one := range list {
			wrong[i] = strings.Join(slices.Concat([]string{varPayload}, one.path), ".") + ": " + one.text
		}
		slices.Sort(wrong)
		return nil, &PayloadError{Problems: slices.Compact(wrong)}
	}
	return value, err
}
