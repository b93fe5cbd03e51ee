package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"botwork/internal/author/strictyaml"
)

// validate adds the errors in the values, each at its key. A key that could not be read has no
// further findings.
func (d *decoder) validate(e strictyaml.Entry, t *Task, before int) {
	reported := d.findings[before:]
	err := t.check()
	problems, _ := err.(Problems) //nolint:errorlint // check returns it bare
	for _, p := range problems {
		place, missing := e.Value, ""
		for key := range strings.SplitSeq(p.Field, ".") {
			if at := place.Get(key); at != nil {
				place = at
			} else {
				missing = key
			}
		}
		if missing == "" && inNode(reported, place) || lacks(reported, place, missing) {
			continue
		}
		finding := place.Finding("invalid-value", fmt.Sprintf("%s.%s: %s", e.Value.Path, p.Field, p.Message), p.Hint)
		if p.Field == "name" {
			finding.Line, finding.Column, finding.Code = e.KeyLine, e.KeyColumn, "invalid-name"
			finding.Message = "the task's name: " + p.Message
		}
		d.findings = append(d.findings, finding)
	}
}

// inNode reports whether one of the findings is in the node.
func inNode(reported strictyaml.Findings, n *strictyaml.Node) bool {
	at := func(line, column int) bool {
		return slices.ContainsFunc(reported, func(f strictyaml.Finding) bool { return f.Line == line && f.Column == column })
	}
	if at(n.Line, n.Column) {
		return true
	}
	for _, e := range n.Entries {
		if at(e.KeyLine, e.KeyColumn) || inNode(reported, e.Value) {
			return true
		}
	}
	return slices.ContainsFunc(n.Items, func(item *strictyaml.Node) bool { return inNode(reported, item) })
}

// lacks reports whether there is a finding that the mapping lacks the key or its value.
func lacks(reported strictyaml.Findings, n *strictyaml.Node, key string) bool {
	return key != "" && slices.ContainsFunc(reported, func(f strictyaml.Finding) bool {
		return f.Code == "missing-key" && f.Line == n.Line && f.Column == n.Column && strings.Contains(f.Message, strconv.Quote(key))
	})
}
