package pipelines

import (
	"fmt"
	"strings"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// InlineFile is the file name in findings about an item's inline pipeline; inlineName is
// the default name of that pipeline.
const (
	InlineFile = "integrationConfig"
	inlineName = "inline"
)

// UnknownPipelineError means that an item names a pipeline that does not exist.
type UnknownPipelineError struct{ finding strictyaml.Finding }

func (e *UnknownPipelineError) Error() string { return sentence(e.finding) }

// BrokenPipelineError means that an item names a pipeline whose file has errors. Unlike the
// other errors of Resolve it is not permanent: the item may succeed after the file is
// fixed.
type BrokenPipelineError struct {
	Name     string
	Findings strictyaml.Findings

	// Unread reports whether no known file has the name, and the findings are of unreadable
	// files, one of which may have it.
	Unread bool
}

func (e *BrokenPipelineError) Error() string {
	if e.Unread {
		return fmt.Sprintf("pipeline %q is unknown, but may be in a file that cannot be read: %v", e.Name, e.Findings)
	}
	return fmt.Sprintf("the file of pipeline %q has errors: %v", e.Name, e.Findings)
}

func sentence(f strictyaml.Finding) string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "; " + f.Hint
}

// Resolve returns the pipeline of an item's IntegrationConfig: the pipeline of that name,
// or the YAML or JSON text of a whole pipeline. A text is a whole pipeline if it begins
// with a brace, has more than one line or contains "steps:". Leading and trailing space is
// ignored.
//
// Its errors are permanent failures, except *BrokenPipelineError.
func (k *Catalogue) Resolve(integrationConfig string) (*Pipeline, error) {
	text := strings.TrimSpace(integrationConfig)
	if isInline(text) {
		p, findings := k.resolved(k.inline.parse(k.compiler, integrationConfig))
		findings = append(findings, refuseTrigger(p, InlineFile)...)
		if len(findings) > 0 {
			return nil, handlers.Permanent(fmt.Errorf("the item's inline pipeline has errors: %w", findings))
		}
		return p, nil
	}
	if p, ok := k.Get(text); ok {
		if refused := refuseTrigger(p, p.File); len(refused) > 0 {
			return nil, handlers.Permanent(fmt.Errorf("%s", sentence(refused[0])))
		}
		return p, nil
	}
	if broken := k.BrokenPipeline(text); broken != nil {
		return nil, broken
	}
	return nil, handlers.Permanent(&UnknownPipelineError{k.unknown(text)})
}

// CheckIntegrationConfig returns what prevents an item with this IntegrationConfig from
// running. It is for clients that enqueue.
func (k *Catalogue) CheckIntegrationConfig(integrationConfig string) strictyaml.Findings {
	text := strings.TrimSpace(integrationConfig)
	if isInline(text) {
		p, findings := k.resolved(k.inline.parse(k.compiler, integrationConfig))
		return append(findings, refuseTrigger(p, InlineFile)...)
	}
	if p, ok := k.Get(text); ok {
		return refuseTrigger(p, InlineFile)
	}
	if broken := k.BrokenPipeline(text); broken != nil {
		f := strictyaml.Finding{File: InlineFile, Line: 1, Column: 1, Code: CodeBrokenPipeline,
			Message: fmt.Sprintf("the file of pipeline %q has errors", text)}
		if broken.Unread {
			f.Message = fmt.Sprintf("pipeline %q is unknown, but may be in a file that cannot be read", text)
		}
		return append(strictyaml.Findings{f}, broken.Findings...)
	}
	return strictyaml.Findings{k.unknown(text)}
}

// CheckItem returns what prevents an item with this IntegrationConfig from running: a
// *BrokenPipelineError if it would wait until its pipeline's file is fixed,
// strictyaml.Findings if it would fail.
func (k *Catalogue) CheckItem(integrationConfig string) error {
	if broken := k.BrokenPipeline(integrationConfig); broken != nil {
		return broken
	}
	return k.CheckIntegrationConfig(integrationConfig).Err()
}

// CheckItemPayload returns why the input of an item's pipeline does not allow a payload, a
// *PayloadError. It accepts any payload of an IntegrationConfig that CheckItem refuses.
func (k *Catalogue) CheckItemPayload(integrationConfig string, payload workqueue.JSONText) error {
	p, err := k.Resolve(integrationConfig)
	if err != nil {
		return nil //nolint:nilerr // CheckItem reports it
	}
	return p.CheckPayload(payload)
}

func isInline(text string) bool { return workqueue.InlinePipeline(text) }

// refuseTrigger reports a pipeline with a trigger: run as an item, it could run twice at
// the same time, and a system pipeline would wait for its own end.
func refuseTrigger(p *Pipeline, file string) strictyaml.Findings {
	if p == nil || p.Trigger == nil {
		return nil
	}
	return strictyaml.Findings{{File: file, Line: 1, Column: 1, Code: CodeTriggeredPipeline,
		Message: fmt.Sprintf("pipeline %q has a trigger; an item needs a pipeline without one", p.Name),
		Hint:    "`botwork run --once` starts it now"}}
}

func (k *Catalogue) unknown(name string) strictyaml.Finding {
	f := strictyaml.Finding{File: InlineFile, Line: 1, Column: 1, Code: CodeUnknownPipeline}
	if name == "" {
		f.Message, f.Hint = "got nothing, want a pipeline's name or a whole pipeline", ""
		return f
	}
	known := k.names()
	f.Message = fmt.Sprintf("there is no pipeline %q", cut(name))
	if f.Hint = strictyaml.Suggest(name, known); f.Hint == "" {
		f.Hint = "known pipelines: " + strings.Join(known[:min(len(known), 20)], ", ")
	}
	if len(known) == 0 {
		f.Hint = "no pipelines for items found; check the pipelines folder"
	}
	return f
}

// cut shortens a name for a message.
func cut(name string) string {
	const most = 120
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}
