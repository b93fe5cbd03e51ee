package enqueue

import (
	"context"
	"errors"

	"botwork/client"
	"botwork/cmd/internal/remote"
	"botwork/internal/author/strictyaml"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

// checkByServer lets the server check all lines before the first item is enqueued.
func (a *command) checkByServer(ctx context.Context, server *remote.Server, lines *spool, defaults workqueue.NewItem) error {
	if err := lines.rewind(); err != nil {
		return err
	}
	run := enqueueRun{app: a, source: lineSource(lines, defaults)}
	var findings strictyaml.Findings
	for {
		if err := run.fill(); err != nil {
			return err
		}
		if len(run.items) == 0 {
			return findings.Err()
		}
		faults, err := server.CheckItems(ctx, run.items)
		if err != nil {
			return err
		}
		for _, f := range faults {
			findings = append(findings, findingsOf(f.Problem, newitems.Place{File: "stdin", Line: run.lines[f.Index]})...)
		}
		if len(findings) >= maxLineFindings {
			return findings
		}
	}
}

// findingsOf returns the problem of an item at its place.
func findingsOf(p *client.Problem, at newitems.Place) strictyaml.Findings {
	if len(p.Errors) == 0 {
		return strictyaml.Findings{at.Finding("", string(p.Code), p.Detail, p.Hint)}
	}
	var findings strictyaml.Findings
	for _, f := range p.Errors {
		findings = append(findings, at.Finding("", string(p.Code), f.Message, f.Hint))
	}
	return findings
}

// refusedItem returns the findings of an item of the flags that the server refuses, and other errors
// unchanged.
func (a *command) refusedItem(err error, at newitems.Place) error {
	if refused, ok := errors.AsType[*remote.RefusedError](err); ok {
		return findingsOf(refused.Faults[0].Problem, at)
	}
	if refused, ok := errors.AsType[*remote.Error](err); ok && refused.Problem.Code == client.ErrInvalidItem {
		return findingsOf(refused.Problem, at)
	}
	return err
}
