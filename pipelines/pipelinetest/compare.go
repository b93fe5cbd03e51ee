package pipelinetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
)

// Failure is one thing that was not as a case expects it.
type Failure struct {
	// File, Line and Column are where the expectation stands.
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`

	// What names the thing, such as "calls[0].with.path".
	What string `json:"what"`

	// Got and Want are as JSON, or in words.
	Got  string `json:"got"`
	Want string `json:"want"`
}

func (f Failure) String() string {
	return fmt.Sprintf("%s:%d:%d: %s\n  got   %s\n  want  %s", f.File, f.Line, f.Column, f.What, f.Got, f.Want)
}

// comparison collects the differences of one run from its case.
type comparison struct{ failures []Failure }

func (c *comparison) fail(at *strictyaml.Node, what, got, want string) {
	c.failures = append(c.failures, Failure{File: at.File, Line: at.Line, Column: at.Column, What: what, Got: got, Want: want})
}

// value compares what came with a node: of a mapping the keys that the node
// names, or all of them when exact; of a list every element. what names it.
func (c *comparison) value(want *strictyaml.Node, got any, exact bool, what string) {
	switch want.Kind {
	case strictyaml.Mapping:
		m, ok := got.(map[string]any)
		if !ok {
			c.fail(want, what, show(got), "a mapping, "+show(want.Any()))
			return
		}
		c.mapping(want, m, exact, what)
	case strictyaml.Sequence:
		list, ok := got.([]any)
		if !ok || len(list) != len(want.Items) {
			c.fail(want, what, show(got), fmt.Sprintf("a list of %d, %s", len(want.Items), show(want.Any())))
			return
		}
		for i, item := range want.Items {
			c.value(item, list[i], exact, what+"["+strconv.Itoa(i)+"]")
		}
	default:
		if !same(want, got) {
			c.fail(want, what, show(got), show(want.Value))
		}
	}
}

func (c *comparison) mapping(want *strictyaml.Node, got map[string]any, exact bool, what string) {
	for _, e := range want.Entries {
		value, there := got[e.Key]
		if !there && (exact || e.Value.Kind != strictyaml.Null) {
			c.fail(e.Value, what+"."+e.Key, "nothing: there is no such key in "+show(got), show(e.Value.Any()))
			continue
		}
		c.value(e.Value, value, exact, what+"."+e.Key)
	}
	if !exact {
		return
	}
	for _, key := range sortedKeys(got) {
		if want.Get(key) == nil {
			c.fail(want, what+"."+key, show(got[key]), "nothing: the key is not expected")
		}
	}
}

// same compares a single value: numbers by their worth, times by their instant.
func same(want *strictyaml.Node, got any) bool {
	if reflect.DeepEqual(want.Value, got) {
		return true
	}
	a, isNumber := number(want.Value)
	b, also := number(got)
	if isNumber && also {
		return a == b
	}
	// What is a time in an output is a text in the file, in whatever zone.
	text, isText := got.(string)
	expected, err := time.Parse(time.RFC3339Nano, want.Text)
	if !isText || err != nil {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return err == nil && at.Equal(expected)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// plain turns a value of a run into what JSON makes of it: maps, lists, texts,
// numbers, true, false and nil. Lengths of time are written as in a file.
func plain(v any) any {
	data, err := json.Marshal(spans(v))
	if err != nil {
		return fmt.Sprintf("(a value without a JSON form: %v)", err)
	}
	value, err := handlers.DecodeJSON(data)
	if err != nil {
		return string(data)
	}
	return value
}

func spans(v any) any {
	switch v := v.(type) {
	case time.Duration:
		return handlers.Duration(v).String()
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = spans(list[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, one := range v {
			m[key] = spans(one)
		}
		return m
	}
	return v
}

// maxShown bounds a value in a failure, in characters.
const maxShown = 600

// show writes a value as JSON, shortened.
func show(v any) string {
	data, err := handlersJSON(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	if runes := []rune(data); len(runes) > maxShown {
		return string(runes[:maxShown]) + " … (cut)"
	}
	return data
}
