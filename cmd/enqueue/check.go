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

// place is where an item was written: a flag, or a line of standard input.
type place struct {
	file    string
	line    int               // 0 for a flag
	columns map[string]int    // where the value of a key is in the line
	flags   map[string]string // the flag of a key, where it is not the one named in file
}

func (p place) finding(key, code, message, hint string) strictyaml.Finding {
	if flag := p.flags[key]; flag != "" {
		p.file = flag
	}
	return strictyaml.Finding{File: p.file, Line: p.line, Column: max(p.columns[key], min(p.line, 1)), Code: code, Message: message, Hint: hint}
}

// itemChecker finds what keeps an item from running before it is written.
type itemChecker struct {
	catalogue *pipelines.Catalogue // nil: nothing is checked

	// named is true if there is a pipelines folder with names.
	named bool

	// checked remembers what is wrong with a pipeline, so that a thousand
	// lines of one pipeline are not a thousand times its mistakes.
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
		// A machine that enqueues need not have the workers' files.
		c.catalogue = pipelines.NewCatalogue(checker.Compiler())
		return c, nil
	}
	c.named = true
	c.catalogue, _, err = projectdir.Catalogue(a.App, checker)
	return c, err
}

// check returns what is wrong with the item's pipeline and payload.
func (c *itemChecker) check(it *workqueue.NewItem, at place) strictyaml.Findings {
	if strings.TrimSpace(it.IntegrationConfig) == "" {
		it.IntegrationConfig = "" // whether it needs one, its queue says
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
		return nil // a name that cannot be known here
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
			// A mistake in the file of the pipeline that the item names.
			findings = append(findings, f)
			told = true
		}
	}
	if told { // and not of every inline pipeline: a million lines may have one each
		c.checked[config] = true
	}
	return findings
}

// relocate moves a finding about an item's pipeline to where the item was
// written. A place inside the text is kept; 1:1 is the text as a whole.
func relocate(f strictyaml.Finding, at place) strictyaml.Finding {
	moved := at.finding("pipeline", f.Code, f.Message, f.Hint)
	switch f.Code {
	case pipelines.CodeUnknownPipeline:
		moved.Hint = strings.TrimPrefix(f.Hint+"; --no-check enqueues it all the same", "; ")
	case pipelines.CodeBrokenPipeline:
		moved.Hint = "fix the file; --no-check enqueues the item all the same, and it waits until then"
	}
	switch inside := f.Line > 1 || f.Column > 1; {
	case inside && at.line == 0:
		moved.Line, moved.Column = f.Line, f.Column
	case inside:
		moved.Message = fmt.Sprintf("pipeline:%d:%d: %s", f.Line, f.Column, f.Message)
	}
	return moved
}
