package enqueue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"botwork/cmd/internal/projectdir"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// place is the source of an item: a flag, or a line of standard input.
type place struct {
	file    string
	line    int               // 0 for a flag
	columns map[string]int    // the position of a key's value in the line
	flags   map[string]string // the flag of a key, if it is not the one in file
}

func (p place) finding(key, code, message, hint string) strictyaml.Finding {
	if flag := p.flags[key]; flag != "" {
		p.file = flag
	}
	return strictyaml.Finding{File: p.file, Line: p.line, Column: max(p.columns[key], min(p.line, 1)), Code: code, Message: message, Hint: hint}
}

// itemChecker finds errors that would prevent an item from running, before it is enqueued.
type itemChecker struct {
	catalogue *pipelines.Catalogue // nil: nothing is checked

	// named is true if there is a pipelines folder with names.
	named bool

	// checked caches the findings for a pipeline, so that a thousand lines with the same pipeline
	// do not report its errors a thousand times.
	checked map[string]bool
}

func (a *command) newItemChecker(skip bool) (*itemChecker, error) {
	c := &itemChecker{checked: map[string]bool{}}
	if skip {
		return c, nil
	}
	checker, err := a.Checker()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(a.Config.Pipelines.Dir); errors.Is(err, fs.ErrNotExist) {
		// A machine that only enqueues items may not have the pipelines folder.
		c.catalogue = pipelines.NewCatalogue(checker.Compiler())
		return c, nil
	}
	c.named = true
	c.catalogue, _, err = projectdir.Catalogue(a.App, checker)
	return c, err
}

// check returns the errors in the item's pipeline and payload.
func (c *itemChecker) check(it *workqueue.NewItem, at place) strictyaml.Findings {
	if strings.TrimSpace(it.IntegrationConfig) == "" {
		it.IntegrationConfig = "" // the queue's check reports a missing pipeline
		return nil
	}
	if c.catalogue == nil {
		return nil
	}
	if findings := c.pipeline(it.IntegrationConfig, at); len(findings) > 0 {
		return findings
	}
	p, err := c.catalogue.Resolve(it.IntegrationConfig)
	if err != nil {
		return nil // a name that cannot be checked here
	}
	if err := p.CheckPayload(it.Payload); err != nil {
		return strictyaml.Findings{at.finding("payload", "invalid-payload", err.Error(), "")}
	}
	return nil
}

func (c *itemChecker) pipeline(config string, at place) strictyaml.Findings {
	var findings strictyaml.Findings
	told := false
	for _, f := range c.catalogue.CheckIntegrationConfig(config) {
		switch {
		case f.Code == pipelines.CodeUnknownPipeline && !c.named:
		case f.File == pipelines.InlineFile:
			findings = append(findings, relocate(f, at))
		case !c.checked[config]:
			// The file of the item's pipeline has errors.
			findings = append(findings, f)
			told = true
		}
	}
	if told { // but not inline pipelines: a million lines may have one each
		c.checked[config] = true
	}
	return findings
}

// relocate moves a finding about an item's pipeline to the position of the item. A position
// inside the text is kept; 1:1 means the whole text.
func relocate(f strictyaml.Finding, at place) strictyaml.Finding {
	moved := at.finding("pipeline", f.Code, f.Message, f.Hint)
	switch f.Code {
	case pipelines.CodeUnknownPipeline:
		moved.Hint = strings.TrimPrefix(f.Hint+"; --no-check enqueues it anyway", "; ")
	case pipelines.CodeBrokenPipeline:
		moved.Hint = "fix the file; --no-check enqueues the item anyway, and it waits until the file is fixed"
	}
	switch inside := f.Line > 1 || f.Column > 1; {
	case inside && at.line == 0:
		moved.Line, moved.Column = f.Line, f.Column
	case inside:
		moved.Message = fmt.Sprintf("pipeline:%d:%d: %s", f.Line, f.Column, f.Message)
	}
	return moved
}
