package matching

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth bounds how deep JSON is nested; nothing here goes below six.
const maxDepth = 16

// parseJSON reads one JSON value strictly: a key that stands twice in an object
// and whatever follows the value are errors. Numbers keep their digits.
func parseJSON(s string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	v, err := nextJSON(dec, 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, Faults{{Message: fmt.Sprintf("this is no JSON: %v", err)}}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, Faults{{Message: "want one JSON value and nothing behind it"}}
	}
	return v, nil
}

func nextJSON(dec *json.Decoder, depth int) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := nextJSON(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token() // the bracket
		return list, err
	case json.Delim('{'):
		return nextObject(dec, depth)
	}
	return token, nil
}

func nextObject(dec *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // the decoder lets nothing else stand there
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("the key %q stands here twice", key)
		}
		if object[key], err = nextJSON(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token() // the brace
	return object, err
}
