package dashboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"botwork/workqueue"
)

// The kinds of inputs.
const (
	textInput    = "text"
	numberInput  = "number"
	integerInput = "integer"
	switchInput  = "switch"
	choiceInput  = "choice"
	jsonInput    = "json"
)

// payloadField is an input for a property of the payload.
type payloadField struct {
	Name     string
	Kind     string
	Says     string // what the schema says about it
	Required bool
	Value    string // as it was entered; of a choice, a switch and a JSON value the JSON
	Choices  []payloadChoice
	Min, Max string // of an integer or a number; "": none
}

// payloadChoice is a value that a property may have.
type payloadChoice struct{ Value, Text string }

// fieldPrefix begins the names of the inputs in a form.
const fieldPrefix = "input."

// Input returns the name of the input.
func (f *payloadField) Input() string { return fieldPrefix + f.Name }

// Lines reports whether the value needs an input of several lines.
func (f *payloadField) Lines() bool { return strings.Contains(f.Value, "\n") }

// Type returns the type of the input of a number. One for numbers would not show what is no number.
func (f *payloadField) Type() string {
	if f.Value == "" || isNumber(f.Value) {
		return "number"
	}
	return "text"
}

// Step returns the step of a number: a browser would refuse values between the steps.
func (f *payloadField) Step() string {
	if f.Kind == integerInput && strings.Trim(f.Value, "-0123456789") == "" {
		return "1"
	}
	return "any"
}

// inputSchema is what a form reads of the JSON Schema of a payload.
type inputSchema struct {
	Type       json.RawMessage            `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// propertySchema is what a form reads of the schema of a property.
type propertySchema struct {
	Type        string            `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	Default     json.RawMessage   `json:"default"`

	Minimum          *float64 `json:"minimum"`
	Maximum          *float64 `json:"maximum"`
	ExclusiveMinimum *float64 `json:"exclusiveMinimum"`
	ExclusiveMaximum *float64 `json:"exclusiveMaximum"`
}

// payloadFields returns the inputs for a payload, the required ones first; nil if its schema describes no
// properties of an object. The API checks the payload by the whole schema.
func payloadFields(schema json.RawMessage) []payloadField {
	var s inputSchema
	if json.Unmarshal(schema, &s) != nil || len(s.Type) > 0 && !bytes.Contains(s.Type, []byte(`"object"`)) {
		return nil
	}
	var fields []payloadField
	for name, text := range s.Properties {
		if string(text) != "false" { // the payload may not have it
			fields = append(fields, fieldOf(name, text, slices.Contains(s.Required, name)))
		}
	}
	rank := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(fields, func(a, b payloadField) int {
		return cmp.Or(rank[a.Required]-rank[b.Required], strings.Compare(a.Name, b.Name))
	})
	return fields
}

func fieldOf(name string, schema json.RawMessage, required bool) payloadField {
	f := payloadField{Name: name, Kind: jsonInput, Required: required}
	var s propertySchema
	err := json.Unmarshal(schema, &s)
	f.Says = joined(s.Title, s.Description)
	switch {
	case err != nil: // such as a list of types
	case s.Const != nil:
		f.Kind, f.Choices = choiceInput, choicesOf([]json.RawMessage{s.Const})
	case s.Enum != nil:
		f.Kind, f.Choices = choiceInput, choicesOf(s.Enum)
	case s.Type == "string":
		f.Kind = textInput
	case s.Type == "number", s.Type == "integer":
		f.Kind = s.Type
		f.bounds(&s)
	case s.Type == "boolean":
		// A switch is on or off. Only a choice can leave out the property.
		f.Kind, f.Choices = choiceInput, []payloadChoice{{"true", "yes"}, {"false", "no"}}
		if required || len(s.Default) > 0 {
			f.Kind, f.Value = switchInput, "false"
		}
	}
	if len(s.Default) > 0 {
		f.show(s.Default)
	}
	return f
}

func choicesOf(values []json.RawMessage) []payloadChoice {
	var choices []payloadChoice
	for _, value := range values {
		one := payloadChoice{Value: compactJSON(value), Text: compactJSON(value)}
		var text string
		if json.Unmarshal(value, &text) == nil && text != "" && string(value) != "null" {
			one.Text = text
		}
		choices = append(choices, one)
	}
	return choices
}

// bounds sets what an input of numbers may have. An input knows no bound that is itself excluded.
func (f *payloadField) bounds(s *propertySchema) {
	least, most := s.Minimum, s.Maximum
	if f.Kind == integerInput {
		if least != nil {
			least = new(math.Ceil(*least))
		}
		if most != nil {
			most = new(math.Floor(*most))
		}
		if x := s.ExclusiveMinimum; x != nil {
			least = new(math.Floor(*x) + 1)
		}
		if x := s.ExclusiveMaximum; x != nil {
			most = new(math.Ceil(*x) - 1)
		}
	}
	write := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'f', -1, 64)
	}
	f.Min, f.Max = write(least), write(most)
}

// show sets the value to one of a payload, and reports whether the input can show it and give it back.
func (f *payloadField) show(value json.RawMessage) bool {
	text := compactJSON(value)
	switch f.Kind {
	case jsonInput:
		f.Value = pretty(value)
		return f.Value != ""
	case choiceInput:
		if !slices.ContainsFunc(f.Choices, func(c payloadChoice) bool { return c.Value == text }) {
			return false
		}
	case switchInput:
		if text != "true" && text != "false" {
			return false
		}
	case numberInput, integerInput:
		if !isNumber(text) {
			return false
		}
	default:
		var plain string
		if text == "null" || json.Unmarshal(value, &plain) != nil || strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
			return false
		}
		text = plain
	}
	f.Value = text
	return text != ""
}

// read returns the value that was entered as JSON; nil: none. The error is for the person.
func (f *payloadField) read() (json.RawMessage, error) {
	text := f.Value
	if f.Kind != textInput {
		text = strings.TrimSpace(text)
	}
	if text == "" {
		if f.Required {
			return nil, errors.New("it is required")
		}
		return nil, nil
	}
	switch f.Kind {
	case jsonInput:
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("got %.50q, want JSON: %s", text, wrongJSON(text))
		}
	case choiceInput:
		if !slices.ContainsFunc(f.Choices, func(c payloadChoice) bool { return c.Value == text }) {
			return nil, fmt.Errorf("got %.50q, want one of the choices", text)
		}
	case switchInput:
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("got %.50q, want true or false", text)
		}
	case numberInput:
		if !isNumber(text) {
			return nil, fmt.Errorf("got %.50q, want a number such as 12.5", text)
		}
	case integerInput:
		if !isNumber(text) || !isWhole(text) {
			return nil, fmt.Errorf("got %.50q, want a whole number such as 12", text)
		}
	default:
		return workqueue.MarshalPlain(text)
	}
	return json.RawMessage(text), nil
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool {
	return text != "" && strings.Contains("-0123456789", text[:1]) && json.Valid([]byte(text))
}

func isWhole(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && x == math.Trunc(x)
}

func compactJSON(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// takeFields sets the values of inputs to those that were sent. Of a switch the last value counts: before it the
// form has one that says off. If the form had other inputs, those that it did not have keep their values.
func takeFields(fields []payloadField, form url.Values, same bool) {
	for i := range fields {
		f := &fields[i]
		if all := form[f.Input()]; len(all) > 0 {
			f.enter(strings.ReplaceAll(all[len(all)-1], "\r\n", "\n"))
		} else if same {
			f.enter("")
		}
	}
}

// enter sets the value. A switch cannot show that there is none.
func (f *payloadField) enter(text string) {
	f.Value = text
	if f.Kind == switchInput && text == "" && !f.Required {
		f.Kind = choiceInput
	}
}

// payloadOf returns the payload that the values of the inputs make. Those that are empty are left out.
func payloadOf(fields []payloadField) (string, error) {
	payload := map[string]json.RawMessage{}
	refused := &problem{Status: http.StatusUnprocessableEntity, Detail: "some values of the payload cannot be used"}
	for i := range fields {
		value, err := fields[i].read()
		if err != nil {
			refused.Errors = append(refused.Errors, problemPart{Location: fields[i].Name, Message: err.Error()})
		} else if value != nil {
			payload[fields[i].Name] = value
		}
	}
	if len(refused.Errors) > 0 {
		return "", refused
	}
	text, err := workqueue.MarshalPlain(payload)
	return string(text), err
}

// showPayload sets the inputs to the values of a payload, and reports whether they make the same payload.
func showPayload(fields []payloadField, payload string) bool {
	var values map[string]json.RawMessage
	if json.Unmarshal([]byte(payload), &values) != nil || values == nil {
		return false
	}
	for i := range fields {
		f := &fields[i]
		f.enter("")
		if value, ok := values[f.Name]; ok && !f.show(value) {
			return false
		}
	}
	made, err := payloadOf(fields)
	return err == nil && sameJSON(made, payload)
}

func sameJSON(one, other string) bool {
	var values [2]any
	for i, text := range []string{one, other} {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if d.Decode(&values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
