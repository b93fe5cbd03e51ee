package pipelinetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// Failure is one difference between a run and the expectations of its case.
type Failure struct {
	// File, Line and Column are the position of the expectation.
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`

	// What is the compared part, such as "calls[0].with.path".
	What string `json:"what"`

	// Got and Want are JSON or descriptions in words.
	Got  string `json:"got"`
	Want string `json:"want"`
}

func (f Failure) String() string {
	return fmt.Sprintf("%s:%d:%d: %s\n  got   %s\n  want  %s", f.File, f.Line, f.Column, f.What, f.Got, f.Want)
}

// comparison collects the differences between a run and its case.
type comparison struct{ failures []Failure }

func (c *comparison) fail(at *strictyaml.Node, what, got, want string) {
	c.failures = append(c.failures, Failure{File: at.File, Line: at.Line, Column: at.Column, What: what, Got: got, Want: want})
}

// value compares a value with a node: the keys of the node or, if exact is set, all keys
// of a mapping, and every element of a list. what names the compared part.
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
		value, exists := got[e.Key]
		if !exists && (exact || e.Value.Kind != strictyaml.Null) {
			c.fail(e.Value, what+"."+e.Key, "nothing: no such key in "+show(got), show(e.Value.Any()))
			continue
		}
		c.value(e.Value, value, exact, what+"."+e.Key)
	}
	if !exact {
		return
	}
	for _, key := range sortedKeys(got) {
		if want.Get(key) == nil {
			c.fail(want, what+"."+key, show(got[key]), "nothing: unexpected key")
		}
	}
}

// same reports whether a single value is as expected. It compares numbers of different
// types by their values, and times by their instants.
func same(want *strictyaml.Node, got any) bool {
	if reflect.DeepEqual(want.Value, got) {
		return true
	}
	a, isNumber := number(want.Value)
	b, gotNumber := number(got)
	if isNumber && gotNumber {
		return a == b
	}
	// A time in an output is a text in the file, possibly in another time zone.
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

// plain converts a value of a run to the types of JSON: maps, lists, texts, numbers, true,
// false and nil. Durations are texts as in a file.
func plain(v any) any {
	data, err := json.Marshal(pipelines.PlainValue(v))
	if err != nil {
		return fmt.Sprintf("(a value without a JSON form: %v)", err)
	}
	value, err := handlers.DecodeJSON(data)
	if err != nil {
		return string(data)
	}
	return value
}

// maxShown is the maximum length of a value in a failure, in characters.
const maxShown = 600

// show returns a value as JSON, possibly shortened.
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
