package pipelines

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
)

type rawStep struct {
	Name    *strictyaml.Node `yaml:"name"`
	Handler *strictyaml.Node `yaml:"handler,required"`
	If      *strictyaml.Node `yaml:"if"`
	Timeout *strictyaml.Node `yaml:"timeout"`
	Retry   *strictyaml.Node `yaml:"retry"`
	OnError *strictyaml.Node `yaml:"onError"`
	With    *strictyaml.Node `yaml:"with"`
}

// steps compiles all steps. It names them first, because references to steps can only be
// checked when all names are known.
func (c *compilation) steps(p *Pipeline, nodes []*strictyaml.Node) {
	raws := make([]rawStep, len(nodes))
	p.Steps = make([]*Step, len(nodes))
	for i, n := range nodes {
		c.Decode(n, &raws[i])
		if n.Kind == strictyaml.Null {
			c.Report(n, CodeInvalidValue, "got nothing, want a step", "remove the dash")
		}
		p.Steps[i] = &Step{Handler: strictyaml.Value[string](&c.Reader, raws[i].Handler, nil)}
	}
	c.nameSteps(p.Steps, raws)
	c.names = names{system: p.Trigger != nil, secrets: c.opts.SecretNames, secretEnv: c.opts.SecretEnv}
	for _, s := range p.Steps {
		c.names.steps = append(c.names.steps, s.Name)
	}
	c.env = c.names.env()
	c.shapes = shapes{payload: inputShape(p.Input), outputs: make([]handlers.Shape, len(nodes)), inputs: make([]handlers.Shape, len(nodes)+1)}
	for i, s := range p.Steps {
		if nodes[i].Kind != strictyaml.Mapping {
			continue
		}
		c.step(s, nodes[i], raws[i], i)
		p.dynamic = p.dynamic || s.condition != nil || s.with != nil
	}
	p.readsItem, p.readsSteps, p.readsBatch = c.readsItem, c.readsSteps, c.readsBatch
	c.reachable(p.Steps, nodes)
}

// nameSteps names each step. Names in the file come first, so that a default name never
// takes one of them.
func (c *compilation) nameSteps(steps []*Step, raws []rawStep) {
	lines := map[string]int{}
	for i, s := range steps {
		name := strictyaml.Value[string](&c.Reader, raws[i].Name, nil)
		if !raws[i].Name.HasValue() || raws[i].Name.Kind != strictyaml.Scalar {
			continue
		}
		if !isStepName(name) {
			c.Report(raws[i].Name, CodeInvalidName, fmt.Sprintf("got %q, %s", name, nameRule), "")
			continue
		}
		if line, exists := lines[name]; exists {
			c.Report(raws[i].Name, CodeDuplicateStep, fmt.Sprintf("duplicate step %q, first defined in line %d", name, line), "")
			continue
		}
		s.Name, lines[name] = name, raws[i].Name.Line
	}
	tried := map[string]int{} // the last number of each handler
	for _, s := range steps {
		if s.Name != "" {
			continue
		}
		s.Name = s.Handler
		for n := max(tried[s.Handler], 1) + 1; lines[s.Name] != 0; n++ {
			s.Name = fmt.Sprintf("%s-%d", s.Handler, n)
			tried[s.Handler] = n
		}
		lines[s.Name] = 1
	}
}

// step compiles one step; visible is the number of steps before it.
func (c *compilation) step(s *Step, n *strictyaml.Node, raw rawStep, visible int) {
	s.OnError = strictyaml.Choice(&c.Reader, raw.OnError, onErrors...)
	s.Timeout = time.Duration(policykeys.Span(&c.Reader, raw.Timeout, policykeys.Positive))
	if s.Attempts, s.backoff = c.retry(raw.Retry); s.Attempts > 1 {
		s.retry = newRetry(s.Attempts, s.backoff, true)
	}
	if raw.If.HasValue() {
		c.condition(s, raw.If, visible)
	}
	c.parameters(s, n, raw, visible)
}

// condition compiles an `if`, which is an expression with or without ${{ }}.
func (c *compilation) condition(s *Step, n *strictyaml.Node, visible int) {
	if n.Kind != strictyaml.Scalar {
		c.Report(n, "wrong-type", fmt.Sprintf("got %s, want an expression", n.Kind), "")
		return
	}
	s.If = n.Text
	source := strings.TrimSpace(n.Text)
	first, _, _ := strings.Cut(source, "\n")
	at := find(c.lines, n, first, 0, first)
	at.exact = at.exact && first == source
	if strings.Contains(source, opening) {
		fragments, unclosed := scan(source)
		if unclosed >= 0 {
			c.reportAt(at, CodeUnclosedExpression, fmt.Sprintf("%s: `%s` is not closed", n.Path, opening), "add `"+closing+"`")
			return
		}
		if len(fragments) != 1 || !fragments[0].expression {
			c.reportAt(at, CodeMixedCondition, n.Path+": got text around an expression, want the expression alone", "remove the ${{ }}")
			return
		}
		source = fragments[0].text
		at = find(c.lines, n, opening, 0, source)
	}
	if x := c.expression(source, at, visible); x != nil {
		c.mustBeBool(x)
		s.condition = x
	}
}

// reachable reports steps after one that always ends the pipeline.
func (c *compilation) reachable(steps []*Step, nodes []*strictyaml.Node) {
	last := slices.IndexFunc(steps, func(s *Step) bool {
		ends := s.Handler == "Break" || s.Handler == "Snooze" || s.Handler == "Drop" || s.Handler == "Fail" && s.OnError != OnErrorContinue
		return ends && s.If == ""
	})
	if last >= 0 && last+1 < len(steps) {
		c.Report(nodes[last+1], CodeUnreachableStep,
			fmt.Sprintf("step %q always ends the pipeline before this one", steps[last].Name), "give that step an if, or remove what follows")
	}
}
