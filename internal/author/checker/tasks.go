package checker

import (
	"fmt"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/tasks"
	"botwork/workqueue"
)

// Tasks reads the tasks of the settings and everything that is wrong with them; nil
// when the settings say nothing of tasks.
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
	if len(findings.Of(strictyaml.Error)) > 0 {
		return nil, findings
	}
	rows, err := tasks.Rows(list)
	if err != nil {
		findings = append(findings, node.Finding("invalid-value", "tasks: "+err.Error(), ""))
	}
	return rows, findings
}

// taskPipeline finds what keeps a task's items from running. An empty name has been
// found already. That the pipeline's file has mistakes is a warning here: the items
// wait until it is fixed.
func taskPipeline(catalogue *pipelines.Catalogue, n *strictyaml.Node, config string) strictyaml.Findings {
	var findings strictyaml.Findings
	if n == nil || config == "" {
		return nil
	}
	for _, f := range catalogue.CheckIntegrationConfig(config) {
		if f.File != pipelines.InlineFile {
			continue // of the pipeline's own file, which is told of elsewhere
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
