package checker

import (
	"fmt"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/tasks"
	"botwork/workqueue"
)

// Tasks decodes and checks the tasks of the settings. It returns nil if the settings do
// not mention tasks.
func (c *Checker) Tasks(catalogue *pipelines.Catalogue) ([]workqueue.TaskRow, strictyaml.Findings) {
	node := c.settings.Tasks
	if node == nil || node.Kind == strictyaml.Null {
		return nil, nil
	}
	list, findings := tasks.Decode(node, c.settings.Pipelines.Timezone)
	for _, t := range list {
		at := node.Get(t.Name)
		if f := unknownQueue(c.settings.Queues, at.Get("queue"), t.Queue); f != nil {
			findings = append(findings, *f)
		}
		findings = append(findings, taskPipeline(catalogue, at.Get("pipeline"), t.Pipeline)...)
		if t.Notify != nil {
			findings = append(findings, taskPipeline(catalogue, at.Get("notify").Get("pipeline"), t.Notify.Pipeline)...)
		}
	}
	findings.Sort()
	if len(findings.WithSeverity(strictyaml.Error)) > 0 {
		return nil, findings
	}
	rows, err := tasks.Rows(list)
	if err != nil {
		findings = append(findings, node.Finding("invalid-value", "tasks: "+err.Error(), ""))
	}
	return rows, findings
}

// taskPipeline returns the mistakes that prevent the items of a task from running. It
// ignores an empty name, which is already reported. Mistakes in the pipeline's file are
// only a warning, because the items wait until the file is fixed.
func taskPipeline(catalogue *pipelines.Catalogue, n *strictyaml.Node, config string) strictyaml.Findings {
	var findings strictyaml.Findings
	if n == nil || config == "" {
		return nil
	}
	for _, f := range catalogue.CheckIntegrationConfig(config) {
		if f.File != pipelines.InlineFile {
			continue // a finding of the pipeline's file, which is reported there
		}
		if f.Line > 1 || f.Column > 1 {
			f.Message = fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Message)
		}
		found := n.Finding(f.Code, n.Path+": "+f.Message, f.Hint)
		if f.Code == pipelines.CodeBrokenPipeline {
			found.Severity = strictyaml.Warning
		}
		findings = append(findings, found)
	}
	return findings
}
