// Package jsonschemas compiles JSON Schemas and checks values against them. Anyone
// who can enqueue items or edit database rows can provide a schema. So a $ref cannot
// read files or connect to the network.
package jsonschemas

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema, of draft 2020-12 unless it names another one. It
// also checks formats such as "date". It is safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// noLoader rejects every $ref to another document.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("$ref to %s: a schema can only refer to itself", url)
}

// Compile compiles a schema that consists of JSON types: maps with string keys,
// slices, strings, bools, nil, json.Number and Go's numbers. If the schema is invalid,
// the error is Problems with a path for each mistake. An unresolved reference is
// another error.
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

// Parse compiles a schema in JSON.
func Parse(text string) (*Schema, error) {
	doc, err := Decode(text)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	return Compile(doc)
}

// Decode decodes one JSON value to the types that Compile and Check expect. Numbers
// keep all digits.
func Decode(text string) (any, error) {
	return jsonschema.UnmarshalJSON(strings.NewReader(text))
}

// Check returns all problems of a value, none if it is valid.
func (s *Schema) Check(value any) Problems {
	err := s.compiled.Validate(value)
	if err == nil {
		return nil
	}
	if problems, ok := errors.AsType[Problems](fault(err)); ok {
		return problems
	}
	return Problems{{Text: err.Error()}} // a value of a type that JSON does not have
}

// fault unwraps an error of the library. The outer messages contain internal names.
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
