package matching

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDepth bounds the nesting of JSON; valid values of this package have at most
// seven levels.
const maxDepth = 16

// parseJSON reads one JSON value strictly: a duplicate key in an object is an error.
// Numbers keep their digits.
//
// A pass reads the selectors of many items. So parseJSON checks the text with
// encoding/json but reads the values itself: that package's tokens take ten times as
// long.
func parseJSON(s string) (any, error) {
	if !json.Valid([]byte(s)) {
		err := json.Unmarshal([]byte(s), new(json.RawMessage))
		return nil, Faults{{Message: fmt.Sprintf("not JSON: %v", err)}}
	}
	r := jsonReader{rest: s}
	v := r.value(0)
	if r.err != nil {
		return nil, Faults{{Message: fmt.Sprintf("not JSON: %v", r.err)}}
	}
	return v, nil
}

// jsonReader reads text that is known to be JSON.
type jsonReader struct {
	rest string
	err  error // for valid JSON that is rejected here
}

// next returns the first character after white space.
func (r *jsonReader) next() byte {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n")
	return r.rest[0]
}

// skip moves past the character if it is the next one.
func (r *jsonReader) skip(char byte) bool {
	if r.next() != char {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *jsonReader) value(depth int) any {
	if depth > maxDepth {
		r.err = fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	if r.err != nil {
		return nil
	}
	switch r.next() {
	case '{':
		return r.object(depth)
	case '[':
		return r.list(depth)
	case '"':
		return r.text()
	}
	end := strings.IndexAny(r.rest, ",]} \t\r\n")
	if end < 0 {
		end = len(r.rest)
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	switch word {
	case "null":
		return nil
	case "true", "false":
		return word == "true"
	}
	return json.Number(word)
}

func (r *jsonReader) list(depth int) any {
	r.skip('[')
	list := []any{}
	for !r.skip(']') {
		list = append(list, r.value(depth+1))
		if r.err != nil {
			return nil
		}
		r.skip(',')
	}
	return list
}

func (r *jsonReader) object(depth int) any {
	r.skip('{')
	object := map[string]any{}
	for !r.skip('}') {
		r.next()
		key := r.text()
		if _, twice := object[key]; twice && r.err == nil {
			r.err = fmt.Errorf("duplicate key %q", key)
		}
		r.skip(':')
		object[key] = r.value(depth + 1)
		if r.err != nil {
			return nil
		}
		r.skip(',')
	}
	return object
}

var errNoText = errors.New("a text cannot be read")

// text reads the text that begins here.
func (r *jsonReader) text() string {
	end := 1
	plain := true
	for ; r.rest[end] != '"'; end++ {
		if r.rest[end] == '\\' {
			plain = false
			end++
		} else if r.rest[end] >= 0x80 {
			plain = false // it may be invalid UTF-8
		}
	}
	quoted := r.rest[:end+1]
	r.rest = r.rest[end+1:]
	if plain {
		return quoted[1:end]
	}
	var text string
	if json.Unmarshal([]byte(quoted), &text) != nil {
		r.err = errNoText
	}
	return text
}
