package newitems

import (
	"fmt"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// Checker finds errors in items' pipelines and payloads. It is not safe for concurrent use, but the
// catalogue is.
type Checker struct {
	// Catalogue has the pipelines; nil: nothing is checked.
	Catalogue *pipelines.Catalogue

	// Folder is true if there is a pipelines folder. Otherwise, an unknown name is no error: a machine
	// that only enqueues items may not have the folder.
	Folder bool

	// Anyway is how to write the item in spite of the findings, such as "--no-check enqueues"; "" if
	// there is no way.
	Anyway string

	// checked has the pipelines whose errors were returned, so that a thousand lines with the same
	// pipeline do not report the errors in its file a thousand times.
	checked map[string]bool
}

// Check returns the errors in the item's pipeline and payload, and those in the pipeline's file,
// which are returned only once.
func (c *Checker) Check(it *workqueue.NewItem, at Place) strictyaml.Findings {
	if strings.TrimSpace(it.IntegrationConfig) == "" {
		it.IntegrationConfig = "" // the queue's check reports a missing pipeline
		return nil
	}
	if c.Catalogue == nil {
		return nil
	}
	item, file := c.pipeline(it.IntegrationConfig, at)
	if len(file) > 0 {
		if c.checked[it.IntegrationConfig] {
			return item
		}
		// Not for inline pipelines, which have no file: a million lines may have one each.
		if c.checked == nil {
			c.checked = map[string]bool{}
		}
		c.checked[it.IntegrationConfig] = true
		return append(item, file...)
	}
	if len(item) > 0 {
		return item
	}
	return c.payload(it.IntegrationConfig, it.Payload, at)
}

// CheckPayload returns the errors in the pipeline of an item, as far as they are not about its file,
// and in a new payload for the item.
func (c *Checker) CheckPayload(integrationConfig string, payload workqueue.JSONText, at Place) strictyaml.Findings {
	if c.Catalogue == nil || strings.TrimSpace(integrationConfig) == "" {
		return nil
	}
	if item, _ := c.pipeline(integrationConfig, at); len(item) > 0 {
		return item
	}
	return c.payload(integrationConfig, payload, at)
}

func (c *Checker) payload(integrationConfig string, payload workqueue.JSONText, at Place) strictyaml.Findings {
	if err := c.Catalogue.CheckItemPayload(integrationConfig, payload); err != nil {
		return strictyaml.Findings{at.Finding("payload", "invalid-payload", err.Error(), "")}
	}
	return nil
}

// pipeline returns what is wrong with the pipeline of an item, at the position of the item, and the
// errors in the pipeline's file.
func (c *Checker) pipeline(config string, at Place) (item, file strictyaml.Findings) {
	for _, f := range c.Catalogue.CheckIntegrationConfig(config) {
		switch {
		case f.Code == pipelines.CodeUnknownPipeline && !c.Folder:
		case f.File == pipelines.InlineFile:
			item = append(item, c.relocate(f, at))
		default:
			file = append(file, f)
		}
	}
	return item, file
}

// relocate moves a finding about an item's pipeline to the position of the item. A position
// inside the text is kept; 1:1 means the whole text.
func (c *Checker) relocate(f strictyaml.Finding, at Place) strictyaml.Finding {
	moved := at.Finding("pipeline", f.Code, f.Message, f.Hint)
	switch f.Code {
	case pipelines.CodeUnknownPipeline:
		if c.Anyway != "" {
			moved.Hint = strings.TrimPrefix(fmt.Sprintf("%s; %s it anyway", f.Hint, c.Anyway), "; ")
		}
	case pipelines.CodeBrokenPipeline:
		moved.Hint = "fix the file"
		if c.Anyway != "" {
			moved.Hint += fmt.Sprintf("; %s the item anyway, and it waits until the file is fixed", c.Anyway)
		}
	}
	switch inside := f.Line > 1 || f.Column > 1; {
	case inside && at.Line == 0:
		moved.Line, moved.Column = f.Line, f.Column
	case inside:
		moved.Message = fmt.Sprintf("pipeline:%d:%d: %s", f.Line, f.Column, f.Message)
	}
	return moved
}
