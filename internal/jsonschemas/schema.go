// Package jsonschemas compiles JSON Schemas and checks values against them. A
// schema may come from anybody who may enqueue or edit a row by hand, so it
// reads nothing: neither files nor the network by its $ref.
package jsonschemas

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema: draft 2020-12 unless it says another.
// Formats such as "date" are checked too. It is safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// noLoader refuses whatever a $ref names outside the schema.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("$ref to %s: a schema can only refer to itself", url)
}

// Compile compiles a schema that is made of JSON's types alone: maps with
// string keys, slices, strings, bools, nil, json.Number and Go's numbers. What
// is wrong with the schema itself is a Problems that leads to each place in it;
// a reference that leads nowhere is a plain error.
func Compile(doc any) (*Schema, error) {
	const url = "mem:///input"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	if err := c.AddResource(url, doc); err != nil {
		return nil, fault(err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fault(err)
	}
	return &Schema{compiled}, nil
}

// Parse compiles a schema that is written as JSON.
func Parse(text string) (*Schema, error) {
	doc, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	return Compile(doc)
}

// Decode reads one JSON value in the types that Compile and Check take, its
// numbers with all their digits.
func Decode(text string) (any, error) {
	return jsonschema.UnmarshalJSON(strings.NewReader(text))
}

// Check returns every place where a value does not fit; none when it does.
func (s *Schema) Check(value any) Problems {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	if problems, ok := errors.AsType[Problems](fault(err)); ok {
		return problems
	}
	return Problems{{Text: err.Error()}} // a value of a type that JSON has not
}

// fault digs out what the library wraps in words about its own names.
func fault(err error) error {
	if outer, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = outer.Err
	}
	if outer, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		err = outer.Err
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return problems(invalid)
	}
	return err
}
