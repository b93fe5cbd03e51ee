package newitems

import (
	"errors"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// Place is the source of an item: flags, a line, or the body of a request.
type Place struct {
	File    string
	Line    int               // 0 for a flag
	Columns map[string]int    // the position of a key's value in the line
	Flags   map[string]string // the flag of a key, if it is not the one in File
}

// Finding returns a finding about the value of a key.
func (p Place) Finding(key, code, message, hint string) strictyaml.Finding {
	if flag := p.Flags[key]; flag != "" {
		p.File = flag
	}
	return strictyaml.Finding{File: p.File, Line: p.Line, Column: max(p.Columns[key], min(p.Line, 1)), Code: code, Message: message, Hint: hint}
}

// Faults returns each fault of an item with its position.
func Faults(p Place, err error) strictyaml.Findings {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var findings strictyaml.Findings
		for _, e := range joined.Unwrap() {
			findings = append(findings, Faults(p, e)...)
		}
		return findings
	}
	key, code := "", "invalid-value"
	if fault, ok := errors.AsType[*workqueue.ItemFault](err); ok {
		key = fault.Field
	}
	switch {
	case key == "pipeline":
		code = "missing-key"
	case key == "payload":
		code = "invalid-payload"
	case key == "naturalKey" && p.Line > 0:
		key = "key"
	case key == "deadline" && p.Columns["deadlineIn"] > 0:
		key = "deadlineIn"
	case key == "finishBy" && p.Columns["finishIn"] > 0:
		key = "finishIn"
	}
	return strictyaml.Findings{p.Finding(key, code, err.Error(), "")}
}
