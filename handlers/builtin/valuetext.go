package builtin

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"botwork/internal/values"
)

// valueText returns a value as text, like interpolation in a pipeline: numbers in plain
// digits, times in RFC 3339 and UTC, lists and maps as JSON. nil has no text.
func valueText(v any) (string, error) {
	switch v := values.Plain(v).(type) {
	case nil:
		return "", errors.New("got nothing, which has no text")
	case string:
		return v, nil
	case int, float64:
		text, _ := values.NumberText(v)
		return text, nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	default:
		return encodeJSON(v, "")
	}
}

// encodeJSON writes v without escaping HTML, since its readers are programs.
func encodeJSON(v any, indent string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
