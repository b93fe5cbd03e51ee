package service

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rs/zerolog"
)

// alarmText returns a JSON log line as the text of an event: the message, then the fields.
func alarmText(line []byte) string {
	var fields map[string]any
	numbers := json.NewDecoder(bytes.NewReader(line))
	numbers.UseNumber()
	if err := numbers.Decode(&fields); err != nil {
		return strings.TrimSpace(string(line)) // not a JSON log line
	}
	var text strings.Builder
	fmt.Fprint(&text, fields[zerolog.MessageFieldName])
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case zerolog.MessageFieldName, zerolog.LevelFieldName, zerolog.TimestampFieldName:
		default:
			fmt.Fprintf(&text, "\n%s: %v", key, fields[key])
		}
	}
	return text.String()
}
