package workqueue

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"botwork/internal/jsonschemas"
)

// The data that a queue has schemas for, as SchemaError.What names them.
const (
	SchemaPayload   = "payload"
	SchemaOutput    = "output"
	SchemaAnalytics = "analytics"
)

// SchemaError is returned when an item's data does not match the schemas of its
// queue.
type SchemaError struct {
	Queue string `json:"queue"`
	What  string `json:"what"` // SchemaPayload, SchemaOutput or SchemaAnalytics

	// Unusable is set if the schema itself is invalid, which can only be written by
	// hand: no data can be checked until it is corrected.
	Unusable bool `json:"unusable"`

	// Problems lists every fault with its path, such as "payload.lines.0.amount: got
	// string, want number". If the schema is unusable, the paths are in the schema.
	Problems []string `json:"problems"`
}

func (e *SchemaError) Error() string {
	if e.Unusable {
		return fmt.Sprintf("the %s schema of the queue %q cannot be used: %s; hint: correct it in botwork.yaml, or in the row of BotQueues",
			e.What, e.Queue, strings.Join(e.Problems, "; "))
	}
	verb := "does"
	if e.What == SchemaAnalytics {
		verb = "do"
	}
	return fmt.Sprintf("the %s "+verb+" not match the schema of the queue %q: %s", e.What, e.Queue, strings.Join(e.Problems, "; "))
}

// schemasKept bounds the number of compiled schemas that Schemas keeps.
const schemasKept = 256

// Schemas checks items' data against the schemas of their queues. Compiled schemas
// are kept by their text, so that a changed schema is compiled again. The zero value
// is ready to use; it is safe for concurrent use.
type Schemas struct {
	mu       sync.Mutex
	compiled map[JSONText]compiledSchema // guarded by mu
}

// compiledSchema is a schema, or the error of its compilation.
type compiledSchema struct {
	schema *jsonschemas.Schema
	err    error
}

// CheckPayload checks the payload of a new item of the queue. An empty payload counts
// as null. The error is a *SchemaError with all faults.
func (s *Schemas) CheckPayload(q *Queue, payload JSONText) error {
	return s.check(q, SchemaPayload, q.PayloadSchema, payload)
}

// CheckOutput checks the output of a run of an item of the queue. An empty output
// counts as null. The error is a *SchemaError with all faults.
func (s *Schemas) CheckOutput(q *Queue, output JSONText) error {
	return s.check(q, SchemaOutput, q.OutputSchema, output)
}

// CheckAnalytics checks an item's analytics data. Empty data counts as null. The
// error is a *SchemaError with all faults.
func (s *Schemas) CheckAnalytics(q *Queue, analytics JSONText) error {
	return s.check(q, SchemaAnalytics, q.AnalyticsSchema, analytics)
}

func (s *Schemas) check(q *Queue, what string, schema, data JSONText) error {
	if schema == "" {
		return nil
	}
	fail := func(unusable bool, problems ...string) error {
		return &SchemaError{Queue: q.Name, What: what, Unusable: unusable, Problems: problems}
	}
	c := s.compile(schema)
	if c.err != nil {
		return fail(true, schemaFaults(c.err)...)
	}
	var value any
	if data != "" {
		var err error
		if value, err = jsonschemas.Decode(string(data)); err != nil {
			return fail(false, fmt.Sprintf("%s: not JSON: %v; a text is JSON in double quotes", what, err))
		}
	}
	if wrong := c.schema.Check(value); len(wrong) > 0 {
		return fail(false, wrong.TextsBelow(what)...)
	}
	return nil
}

func (s *Schemas) compile(text JSONText) compiledSchema {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.compiled[text]; ok {
		return c
	}
	if s.compiled == nil || len(s.compiled) >= schemasKept {
		s.compiled = make(map[JSONText]compiledSchema)
	}
	var c compiledSchema
	c.schema, c.err = jsonschemas.Parse(string(text))
	s.compiled[text] = c
	return c
}

// schemaFaults lists the faults of a schema.
func schemaFaults(err error) []string {
	if problems, ok := errors.AsType[jsonschemas.Problems](err); ok {
		return problems.TextsBelow("schema")
	}
	return []string{err.Error()}
}
