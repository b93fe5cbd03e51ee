package operations

import (
	"context"
	"fmt"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue"
)

// The codes of RefusedError.
const (
	CodeNotFound   = "not-found"
	CodeAmbiguous  = "ambiguous-hash"
	CodeNoVersion  = "no-version"
	CodeNoTrigger  = "no-trigger"
	CodeNoSchedule = "no-schedule"
	CodeBadRange   = "invalid-range"
	CodeBroken     = "pipeline-broken"
	CodeTextErrors = "text-has-errors"
)

// RefusedError is returned for a request that makes no sense as it is, with what to do instead.
type RefusedError struct {
	Code    string
	Message string
	Hint    string // "" for none

	// Findings are the errors in the pipeline's file, with CodeBroken, or in a text, with
	// CodeTextErrors.
	Findings strictyaml.Findings
}

func (e *RefusedError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// SystemStore is what CheckSystem reads.
type SystemStore interface {
	TextStore
	Controls(ctx context.Context) (workqueue.Controls, error)
}

// CheckSystem returns a *RefusedError unless the name is that of a system pipeline: by the catalogue,
// which may be nil, or, for a pipeline of other machines, by what workers have loaded or by a pause.
func CheckSystem(ctx context.Context, store SystemStore, catalogue *pipelines.Catalogue, name string) error {
	var known []string
	if catalogue != nil {
		if p, ok := catalogue.Get(name); ok {
			if p.Trigger == nil {
				return &RefusedError{Code: CodeNoTrigger, Message: fmt.Sprintf("pipeline %q has no trigger, want a system pipeline", name), Hint: "botwork queues pause pauses items"}
			}
			return nil
		}
		for _, p := range catalogue.All() {
			if p.Trigger != nil {
				known = append(known, p.Name)
			}
		}
	}
	texts, err := store.Texts(ctx, workqueue.TextFilter{Pipeline: name, Limit: 1})
	if err != nil || len(texts) > 0 {
		return err
	}
	c, err := store.Controls(ctx)
	if _, paused := c.Paused[name]; err != nil || paused {
		return err
	}
	hint := strictyaml.Suggest(name, known)
	if hint == "" {
		hint = "botwork pipelines list shows the pipelines of the folder"
	}
	return &RefusedError{Code: CodeNotFound, Message: fmt.Sprintf("there is no pipeline %q, and no worker has ever loaded one", name), Hint: hint}
}

// CheckSystem is the function CheckSystem with the catalogue of the project; nil is no project.
func (p *Project) CheckSystem(ctx context.Context, store SystemStore, name string) error {
	if p == nil {
		return CheckSystem(ctx, store, nil, name)
	}
	return CheckSystem(ctx, store, p.Catalogue, name)
}
