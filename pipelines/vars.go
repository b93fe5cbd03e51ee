package pipelines

import (
	"context"
	"fmt"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
)

// Var is a value that a pipeline names at its top.
type Var struct {
	Name string

	// Raw is the value as it was written.
	Raw any

	value *template
}

// vars compiles the values under `vars`. Each may read the ones before it.
func (c *compilation) vars(p *Pipeline, n *strictyaml.Node) {
	if !n.HasValue() {
		return
	}
	if n.Kind != strictyaml.Mapping {
		c.Report(n, "wrong-type", fmt.Sprintf("got %s, want a mapping of names and values", n.Kind), "")
		return
	}
	for _, e := range n.Entries {
		c.names.later = append(c.names.later, e.Key)
	}
	for _, e := range n.Entries {
		if !NamesStep(e.Key) {
			c.reportAt(positionOfKey(e), CodeInvalidName, fmt.Sprintf("got the name %q, want letters, digits and underscores, not a digit first", e.Key), "")
			continue
		}
		value := c.template(e.Value, "vars."+e.Key, &sight{input: handlers.AnyShape})
		p.Vars = append(p.Vars, Var{e.Key, e.Value.Any(), value})
		c.names.vars = append(c.names.vars, e.Key)
		c.env = c.names.env()
	}
	p.dynamic = p.dynamic || len(p.Vars) > 0
}

// defineVars evaluates `vars` in their order. The error is permanent: the values of a run do not
// change.
func (f *frame) defineVars(ctx context.Context) error {
	if len(f.p.Vars) == 0 {
		return nil
	}
	values := make(map[string]any, len(f.p.Vars))
	f.vars[varVars] = values
	for _, v := range f.p.Vars {
		f.machine.Start(ctx)
		value, err := v.value.render(&f.machine, f.vars)
		if err != nil {
			return handlers.Permanent(err)
		}
		values[v.Name] = value
	}
	return nil
}
