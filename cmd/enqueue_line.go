package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"botwork/internal/strictyaml"
	"botwork/workqueue"
)

// lineKeys are what a line of `enqueue --stdin` may say.
var lineKeys = []string{"pipeline", "payload", "priority", "queue", "estimatedDuration", "at", "in"}

// parseLine reads one line over the defaults. The places of its values are
// added to at.
func parseLine(line []byte, defaults workqueue.NewItem, at *place) (workqueue.NewItem, strictyaml.Findings) {
	at.columns = map[string]int{}
	column := func(offset int64) int { return utf8.RuneCount(line[:offset]) + 1 }
	refuse := func(offset int64, code, message, hint string) strictyaml.Findings {
		return strictyaml.Findings{{File: at.file, Line: at.line, Column: column(offset), Code: code, Message: message, Hint: hint}}
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
	if start := bytes.TrimLeft(line, " \t"); start[0] != '{' {
		return defaults, refuse(int64(len(line)-len(start)), "not-json", fmt.Sprintf("got %.20s, want a JSON object", start), "")
	}

	// By tokens, which know places and keys that stand there twice. The line
	// is JSON: they bring no errors.
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
				hint = "known are " + strings.Join(lineKeys, ", ")
			}
			findings = append(findings, refuse(keyStart, "unknown-key", fmt.Sprintf("unknown key %q", key), hint)...)
		case at.columns[key] > 0:
			findings = append(findings, refuse(keyStart, "duplicate-key", fmt.Sprintf("the key %q stands here twice", key), "")...)
		default:
			at.columns[key] = column(dec.InputOffset() - int64(len(raw)))
			if err := setKey(&it, key, raw); err != nil {
				findings = append(findings, at.finding(key, "invalid-value", key+": "+err.Error(), ""))
			}
		}
	}
	if at.columns["at"] > 0 && at.columns["in"] > 0 {
		findings = append(findings, at.finding("in", "invalid-value", "got at and in, want one of them", ""))
	}
	return it, findings
}

// setKey sets what one key of a line says. null says nothing.
func setKey(it *workqueue.NewItem, key string, raw json.RawMessage) (err error) {
	if string(raw) == "null" {
		return nil
	}
	switch key {
	case "payload":
		it.Payload = workqueue.JSONText(raw)
		return nil
	case "pipeline":
		if raw[0] == '{' {
			it.IntegrationConfig = string(raw) // JSON is YAML as well
			return nil
		}
	case "priority":
		if err := json.Unmarshal(raw, &it.Priority); err != nil || !workqueue.ItemPriorityRange(it.Priority) {
			return fmt.Errorf("got %.40s, want a whole number of 32 bits", raw)
		}
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("got %.40s, want text", raw)
	}
	switch key {
	case "pipeline":
		it.IntegrationConfig = text
	case "queue":
		it.QueueName = text
	case "estimatedDuration":
		it.Estimate, err = parseWait(text)
	case "at":
		it.In = 0
		it.At, err = parseTime(text)
	case "in":
		it.At = time.Time{}
		it.In, err = parseWait(text)
	}
	return err
}

// readLines calls each for every line that is not blank, with its number. It
// ends when each says so.
func readLines(r io.Reader, each func(number int, line []byte) (goOn bool)) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 && !each(number, line) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
	}
}
