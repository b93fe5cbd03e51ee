package pipelines

import (
	"strings"

	"botwork/handlers"
	"botwork/workqueue"
)

// PayloadError is the reason why a payload does not match a pipeline.
type PayloadError struct {
	// NotJSON reports whether the payload is not JSON at all.
	NotJSON bool

	// Problems lists each position with its problem.
	Problems []string
}

func (e *PayloadError) Error() string {
	if e.NotJSON {
		return "the payload is not JSON: " + strings.Join(e.Problems, "; ") + `; hint: a JSON text needs double quotes: "text"`
	}
	return "the payload does not match the pipeline's input: " + strings.Join(e.Problems, "; ")
}

// CheckPayload checks a payload against the pipeline's `input`. Its error is a
// *PayloadError with all problems. An empty payload is null.
func (p *Pipeline) CheckPayload(text workqueue.JSONText) error {
	_, err := p.payload(text)
	return err
}

// CheckJSON returns an error if data is not one JSON value, as a run decodes payloads.
func CheckJSON(data []byte) error {
	_, err := handlers.DecodeJSON(data)
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
	if err := p.checkValue(value); err != nil {
		return nil, err
	}
	return value, nil
}

// checkValue checks a decoded payload.
func (p *Pipeline) checkValue(value any) error {
	if p.input == nil {
		return nil
	}
	if wrong := p.input.Check(value); len(wrong) > 0 {
		return &PayloadError{Problems: wrong.TextsBelow(varPayload)}
	}
	return nil
}
