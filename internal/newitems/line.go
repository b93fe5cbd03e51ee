package newitems

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// lineKeys are the keys of an item in JSON.
var lineKeys = []string{
	"pipeline", "payload", "priority", "queue", "estimatedDuration", "at", "in", "deadline", "deadlineIn",
	"finishBy", "finishIn", "attempts", "timeout", "backoff", "resilience", "key", "unique", "conflict", "tags", "metadata", "labels", "selectors", "limitKey", "retain",
}

// Keys lists the keys of an item in JSON.
func Keys() []string { return slices.Clone(lineKeys) }

// ParseLine parses an item that is written as a JSON object, in one line or several; missing values
// are those of defaults. Times without a zone are in the given one. It adds the positions of the
// values to at.
func ParseLine(line []byte, defaults workqueue.NewItem, zone *time.Location, at *Place) (workqueue.NewItem, strictyaml.Findings) {
	at.Columns = map[string]int{}
	column := func(offset int64) int { return utf8.RuneCount(line[:offset]) + 1 }
	refuse := func(offset int64, code, message, hint string) strictyaml.Findings {
		return strictyaml.Findings{{File: at.File, Line: at.Line, Column: column(offset), Code: code, Message: message, Hint: hint}}
	}
	if !utf8.Valid(line) {
		return defaults, refuse(0, "not-utf8", "got bytes that are not UTF-8", "save the file as UTF-8")
	}
	if err := json.Unmarshal(line, new(json.RawMessage)); err != nil {
		var offset int64
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = max(syntax.Offset-1, 0)
		}
		return defaults, refuse(offset, "not-json", fmt.Sprintf("want a JSON object: %v", err), "")
	}
	if start := bytes.TrimLeft(line, " \t\r\n"); start[0] != '{' {
		return defaults, refuse(int64(len(line)-len(start)), "not-json", fmt.Sprintf("got %.20s, want a JSON object", start), "")
	}

	// Read tokens, because they have positions and show duplicate keys. The line is valid JSON, so
	// there are no errors.
	it, findings := defaults, strictyaml.Findings(nil)
	dec := json.NewDecoder(bytes.NewReader(line))
	_, _ = dec.Token() // the brace
	for dec.More() {
		token, _ := dec.Token()
		key := fmt.Sprint(token)
		keyStart := dec.InputOffset() - int64(len(key)) - 2 // both quotes
		var raw json.RawMessage
		_ = dec.Decode(&raw)
		switch {
		case !slices.Contains(lineKeys, key):
			hint := strictyaml.Suggest(key, lineKeys)
			if hint == "" {
				hint = "valid keys: " + strings.Join(lineKeys, ", ")
			}
			findings = append(findings, refuse(keyStart, "unknown-key", fmt.Sprintf("unknown key %q", key), hint)...)
		case at.Columns[key] > 0:
			findings = append(findings, refuse(keyStart, "duplicate-key", fmt.Sprintf("duplicate key %q", key), "")...)
		default:
			at.Columns[key] = column(dec.InputOffset() - int64(len(raw)))
			if err := setKey(&it, key, raw, zone); err != nil {
				findings = append(findings, at.Finding(key, "invalid-value", key+": "+err.Error(), ""))
			}
		}
	}
	for _, pair := range [][2]string{
		{"at", "in"}, {"deadline", "deadlineIn"}, {"finishBy", "finishIn"},
		{"resilience", "attempts"}, {"resilience", "timeout"}, {"resilience", "backoff"},
	} {
		if at.Columns[pair[0]] > 0 && at.Columns[pair[1]] > 0 {
			findings = append(findings, at.Finding(pair[1], "invalid-value", fmt.Sprintf("got %s and %s, want one of them", pair[0], pair[1]), ""))
		}
	}
	return it, findings
}
