package pipelines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"botwork/internal/bounded"
)

// render evaluates the value with the variables of a run. Its error is an *ExpressionError.
// Literal parts are shared between runs.
func (t *template) render(machine *bounded.Machine, vars map[string]any) (any, error) {
	switch {
	case t.value != nil:
		v, err := t.value.eval(machine, vars)
		return v, t.named(err)
	case t.text != nil:
		text, err := t.interpolate(machine, vars)
		return text, t.named(err)
	case t.fields != nil:
		m := make(map[string]any, len(t.fields))
		for _, f := range t.fields {
			v, err := f.value.render(machine, vars)
			if err != nil {
				return nil, err
			}
			m[f.key] = v
		}
		return m, nil
	case t.items != nil:
		list := make([]any, len(t.items))
		for i, item := range t.items {
			v, err := item.render(machine, vars)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	default:
		return t.literal, nil
	}
}

func (t *template) named(err error) error {
	if fault, ok := errors.AsType[*ExpressionError](err); ok {
		fault.Key = t.key
	}
	return err
}

func (t *template) interpolate(machine *bounded.Machine, vars map[string]any) (string, error) {
	var b strings.Builder
	for _, s := range t.text {
		if s.value == nil {
			b.WriteString(s.text)
			continue
		}
		v, err := s.value.eval(machine, vars)
		if err != nil {
			return "", err
		}
		text, err := segmentText(s.value, v)
		if err != nil {
			return "", err
		}
		if err := machine.Memory(len(text)); err != nil {
			return "", s.value.failed(err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// segmentText formats the result of an expression within a text.
func segmentText(x *expression, v any) (string, error) {
	text, err := textOf(v)
	if err != nil {
		fault := x.fail(0, err.Error())
		if v == nil {
			fault.Hint = `append ?? "" if an empty text is correct`
		}
		return "", fault
	}
	return text, nil
}

// textOf formats a value within a text: numbers in plain digits, times in RFC 3339 and UTC,
// lists and maps as JSON. nil is an error, because an empty place in a path, an address or
// a message is rarely intended.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", errors.New("the expression evaluates to nil, which has no text")
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("the expression evaluates to %v, which is not a finite number", v)
		}
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano), nil
	case time.Duration:
		return v.String(), nil
	}
	text, err := jsonText(v)
	if err != nil {
		return "", fmt.Errorf("the expression evaluates to a value that cannot be converted to text: %w", err)
	}
	return text, nil
}

// jsonText encodes JSON without escaping HTML, because its readers are programs.
func jsonText(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
