package pipelines

import (
	"fmt"
	"time"

	"botwork/handlers"
	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
)

type rawBatch struct {
	By     *strictyaml.Node `yaml:"by,required"`
	Max    *strictyaml.Node `yaml:"max"`
	Wait   *strictyaml.Node `yaml:"wait"`
	AtMost *strictyaml.Node `yaml:"atMost"`
	Failed *strictyaml.Node `yaml:"failed"`
}

// The defaults of `batch`.
const (
	batchMax    = 100
	batchWait   = 30 * time.Second
	batchAtMost = 5 * time.Minute
)

// batch compiles how items run together. The steps have been compiled.
func (c *compilation) batch(p *Pipeline, n *strictyaml.Node) {
	if !n.HasValue() {
		return
	}
	var raw rawBatch
	c.Decode(n, &raw)
	b := &Batch{Max: batchMax, Wait: batchWait, AtMost: batchAtMost}
	if raw.By.HasValue() {
		b.By = raw.By.Text
	}
	if raw.Max.HasValue() {
		b.Max = strictyaml.Value(&c.Reader, raw.Max, func(most int) string {
			if err := workqueue.CheckBatchSize(most); err != nil {
				return err.Error()
			}
			return ""
		})
	}
	if raw.Wait.HasValue() {
		b.Wait = time.Duration(policykeys.Span(&c.Reader, raw.Wait, policykeys.NotNegative))
	}
	b.AtMost = max(b.AtMost, b.Wait)
	if raw.AtMost.HasValue() {
		b.AtMost = time.Duration(policykeys.Span(&c.Reader, raw.AtMost, policykeys.NotNegative))
		if b.AtMost < b.Wait {
			c.Report(raw.AtMost, CodeInvalidValue, fmt.Sprintf("got %s, want %s or more: a batch waits that long for another item (wait)",
				raw.AtMost.Text, workqueue.Duration(b.Wait)), "")
		}
	}
	if p.Trigger != nil {
		c.Report(n, CodeNoEffect, "it applies to items only, and this pipeline is started by its trigger", "")
		return
	}
	c.batchKey(b, raw.By)
	if raw.Failed.HasValue() {
		before := len(c.Findings)
		b.failed = c.template(raw.Failed, "batch.failed", &sight{list: &p.Block, before: len(p.Steps), input: handlers.AnyShape})
		if b.failed.value == nil && len(c.Findings) == before {
			c.Report(raw.Failed, CodeInvalidValue, "got a constant or a text around an expression, want an expression such as ${{ steps.post.output.failed }}", "")
		}
		p.dynamic = true
	}
	p.readsItem, p.readsSteps, p.readsBatch = c.readsItem, c.readsSteps, c.readsBatch
	p.Batch = b
}

// batchKey compiles the key of an item. It is evaluated when the item is enqueued, when there
// is only its payload.
func (c *compilation) batchKey(b *Batch, n *strictyaml.Node) {
	if !n.HasValue() {
		return // reported as missing
	}
	before := len(c.Findings)
	b.by = c.template(n, "batch.by", &sight{input: handlers.AnyShape})
	if len(c.Findings) > before {
		return
	}
	if !b.by.dynamic() || b.by.fields != nil || b.by.items != nil {
		c.Report(n, CodeInvalidValue, "got no expression, want one that reads the payload, such as ${{ payload.customer }}", "")
		return
	}
	for _, x := range b.by.expressions() {
		reader := otherVariables{known: c.env}
		tree := x.tree()
		ast.Walk(&tree, &reader)
		if reader.found != "" {
			c.reportAt(x.position, CodeUnknownVariable, fmt.Sprintf("%s: it reads %q, want the payload only", n.Path, reader.found),
				"the key is evaluated when the item is enqueued")
		}
	}
}

// otherVariables finds a variable other than the payload.
type otherVariables struct {
	known types.Map
	found string
}

// Visit implements ast.Visitor.
func (v *otherVariables) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok && id.Value != varPayload {
		if _, variable := v.known[id.Value]; variable {
			v.found = id.Value
		}
	}
}
