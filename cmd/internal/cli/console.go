package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/visible"
)

// ConsoleForm returns a writer that turns log lines into text for people and writes them
// to w. Times are local and name their zone; a terminal gets the time without the date.
// Lists and objects are written as text, not as JSON.
func ConsoleForm(w io.Writer, terminal bool) io.Writer {
	stamp := time.DateTime
	if terminal {
		stamp = time.TimeOnly
	}
	return zerolog.ConsoleWriter{
		Out: Raw(w), TimeFormat: stamp + " -07:00", NoColor: !terminal,
		FormatPrepare: func(fields map[string]any) error {
			for key, value := range fields {
				delete(fields, key)
				fields[visible.Line(key)] = consoleValue(value)
			}
			if message, ok := fields[zerolog.MessageFieldName].(string); ok {
				fields[zerolog.MessageFieldName] = visible.Line(message) // the only text that is not quoted
			}
			return nil
		},
	}
}

// consoleValue returns a field as the console shows it: "a, b" for a list, "k: v, …" for an
// object, in the order of its keys.
func consoleValue(value any) any {
	switch v := value.(type) {
	case []any:
		texts := make([]string, len(v))
		for i, element := range v {
			texts[i] = fmt.Sprint(consoleValue(element))
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		var texts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, fmt.Sprintf("%s: %v", key, consoleValue(v[key])))
		}
		return strings.Join(texts, ", ")
	case nil:
		return json.Number("-") // a value that needs no quotes
	default:
		return v
	}
}
