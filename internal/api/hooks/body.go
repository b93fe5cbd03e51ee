package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"botwork/internal/values"
	"botwork/workqueue"
)

// BadRequestError is returned for a request that is signed and still makes no item.
type BadRequestError struct{ Err error }

func (e *BadRequestError) Error() string { return e.Err.Error() }

func (e *BadRequestError) Unwrap() error { return e.Err }

func badRequest(format string, args ...any) error {
	return &BadRequestError{fmt.Errorf(format, args...)}
}

// body is the body of a request: as JSON, and as a value for expressions.
type body struct {
	text  workqueue.JSONText
	value any
}

// decode decodes a body. JSON wins over the Content-Type, because programs such as curl call
// everything a form.
func decode(data []byte, contentType string) (body, error) {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/x-www-form-urlencoded" || json.Valid(withoutMark(data)) {
		return decodeJSON(data, "the body")
	}
	text := string(bytes.TrimSpace(withoutMark(data)))
	form, err := url.ParseQuery(text)
	if err != nil || !utf8.ValidString(text) {
		return body{}, badRequest("the body is not a form: %v", err)
	}
	// GitHub and Slack send JSON as the field payload of a form.
	if list := form["payload"]; len(form) == 1 && len(list) == 1 {
		return decodeJSON([]byte(list[0]), "the field payload of the form")
	}
	return decodeForm(form)
}

// decodeForm returns an object with a text, or a list of texts for a field that comes more than once.
func decodeForm(form url.Values) (body, error) {
	fields := make(map[string]any, len(form))
	for name, texts := range form {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(texts, "")) {
			return body{}, badRequest("the field %.40q of the form is not UTF-8", name)
		}
		if len(texts) == 1 {
			fields[name] = texts[0]
			continue
		}
		list := make([]any, len(texts))
		for i, v := range texts {
			list[i] = v
		}
		fields[name] = list
	}
	text, err := workqueue.MarshalPlain(fields)
	return body{workqueue.JSONText(text), fields}, err
}

// withoutMark removes the mark of UTF-8 from the beginning of a text.
func withoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// decodeJSON decodes one JSON value with numbers as in steps.
func decodeJSON(data []byte, what string) (body, error) {
	data = withoutMark(data)
	v, err := values.DecodeJSON(data)
	if err != nil {
		return body{}, badRequest("%s is not JSON, or has more than one value: %v", what, err)
	}
	return body{workqueue.JSONText(data), v}, nil
}
