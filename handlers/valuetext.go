package handlers

import (
	"errors"
	"strconv"
	"time"
)

// valueText returns a value as text, like interpolation in a pipeline: numbers in plain
// digits, times in RFC 3339 and UTC, lists and maps as JSON. nil has no text.
func valueText(v any) (string, error) {
	switch v := plainValue(v).(type) {
	case nil:
		return "", errors.New("got nothing, which has no text")
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	default:
		return encodeJSON(v, "")
	}
}
