package pipelines

import (
	"time"

	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
)

// The keys of the lists of steps that run after those of the pipeline.
const (
	keyOnSuccess = "onSuccess"
	keyOnFailure = "onFailure"
	keyFinally   = "finally"
)

// cleanup reads which steps run after those of the pipeline, before they are compiled.
func (c *compilation) cleanup(p *Pipeline, top *strictyaml.Node, raw *rawPipeline) {
	list := func(key string, nodes []*strictyaml.Node) *Block {
		if len(nodes) == 0 {
			return nil
		}
		return &Block{key: key}
	}
	p.OnSuccess, p.OnFailure, p.Finally = list(keyOnSuccess, raw.OnSuccess), list(keyOnFailure, raw.OnFailure), list(keyFinally, raw.Finally)
	p.CleanupTimeout = cleanupTimeout
	if !raw.CleanupTimeout.HasValue() {
		return
	}
	p.CleanupTimeout = time.Duration(policykeys.Span(&c.Reader, raw.CleanupTimeout, policykeys.Positive))
	if len(p.lists()) == 1 {
		c.Report(top.Get("cleanupTimeout"), CodeNoEffect, "the pipeline has no onSuccess, onFailure and finally", "")
	}
}

// noDecisions reports a step that snoozes or drops the item after it is decided how the run has ended.
func (c *compilation) noDecisions(b *Block) {
	b.each(func(s *Step) bool {
		if s.Handler == "Snooze" || s.Handler == "Drop" {
			c.Report(c.sources[s].Node, CodeNoEffect, "the steps of "+b.key+" run after it is decided how the run has ended, so they cannot "+
				map[string]string{"Snooze": "snooze", "Drop": "delete"}[s.Handler]+" the item", "put the step under steps")
		}
		return true
	})
}
