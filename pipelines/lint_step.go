package pipelines

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/policykeys"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

type rawStep struct {
	Name     *strictyaml.Node `yaml:"name"`
	Handler  *strictyaml.Node `yaml:"handler"`
	Uses     *strictyaml.Node `yaml:"uses"`
	Steps    *strictyaml.Node `yaml:"steps"`
	If       *strictyaml.Node `yaml:"if"`
	Foreach  *strictyaml.Node `yaml:"foreach"`
	As       *strictyaml.Node `yaml:"as"`
	Collect  *strictyaml.Node `yaml:"collect"`
	Parallel *strictyaml.Node `yaml:"parallel"`
	Timeout  *strictyaml.Node `yaml:"timeout"`
	Retry    *strictyaml.Node `yaml:"retry"`
	OnError  *strictyaml.Node `yaml:"onError"`
	With     *strictyaml.Node `yaml:"with"`
}

// source is a step as it is in the file.
type source struct {
	*strictyaml.Node
	raw rawStep
}

// steps compiles all steps. It names them first, because references to steps can only be
// checked when all names are known.
func (c *compilation) steps(p *Pipeline, raw *rawPipeline) {
	c.sources = map[*Step]*source{}
	c.block(&p.Block, raw.Steps, nil, 1)
	for _, list := range []struct {
		to    *Block
		nodes []*strictyaml.Node
	}{{p.OnSuccess, raw.OnSuccess}, {p.OnFailure, raw.OnFailure}, {p.Finally, raw.Finally}} {
		if list.to != nil {
			c.block(list.to, list.nodes, nil, 1)
		}
	}
	all := slices.Collect(p.Each())
	c.nameSteps(all)
	c.names = names{system: p.Trigger != nil, secrets: c.opts.SecretNames, secretEnv: c.opts.SecretEnv, values: c.opts.Values, everywhere: c.opts.Everywhere, byName: make(map[string]*Step, len(all))}
	for _, s := range all {
		s.Path = s.Name
		if s.parent != nil {
			s.Path = s.parent.Path + workqueue.PathSeparator + s.Name
		} else if s.in.key != "" {
			s.Path = s.in.key + workqueue.PathSeparator + s.Name
		}
		c.names.steps = append(c.names.steps, s.Name)
		c.names.byName[s.Name] = s
	}
	c.env = c.names.env()
	c.shapes = shapes{payload: inputShape(p.Input), outputs: make(map[*Step]handlers.Shape, len(all))}
	c.vars(p, raw.Vars)
	out := c.list(&p.Block, nil, handlers.AnyShape)
	for _, b := range p.lists()[1:] {
		c.list(b, &sight{list: &p.Block, before: len(p.Steps), input: out, after: b}, handlers.AnyShape)
		c.noDecisions(b)
	}
	for _, s := range all {
		p.dynamic = p.dynamic || s.condition != nil || s.with != nil || s.Foreach != nil
	}
	p.readsItem, p.readsSteps, p.readsBatch = c.readsItem, c.readsSteps, c.readsBatch
}

// block reads the steps of a list and of the blocks in it.
func (c *compilation) block(b *Block, nodes []*strictyaml.Node, parent *Step, depth int) {
	b.Steps = make([]*Step, len(nodes))
	for i, n := range nodes {
		src := &source{Node: n}
		c.decodeWithHabits(n, &src.raw, stepHabits)
		if n.Kind == strictyaml.Null {
			c.Report(n, CodeInvalidValue, "got nothing, want a step", "remove the dash")
		}
		s := &Step{Handler: strictyaml.Value[string](&c.Reader, src.raw.Handler, nil), in: b, index: i, parent: parent}
		b.Steps[i], c.sources[s] = s, src
		c.does(s, src, depth)
	}
}

// nameSteps names each step. Names in the file come first, so that a default name never
// takes one of them.
func (c *compilation) nameSteps(steps []*Step) {
	lines := map[string]int{}
	for _, s := range steps {
		n := c.sources[s].raw.Name
		name := strictyaml.Value[string](&c.Reader, n, nil)
		if !n.HasValue() || n.Kind != strictyaml.Scalar {
			continue
		}
		if !isStepName(name) {
			c.Report(n, CodeInvalidName, fmt.Sprintf("got %q, %s", name, nameRule), "")
			continue
		}
		if line, exists := lines[name]; exists {
			c.Report(n, CodeDuplicateStep, fmt.Sprintf("duplicate step %q, first defined in line %d", name, line), "")
			continue
		}
		s.Name, lines[name] = name, n.Line
	}
	tried := map[string]int{} // the last number of each default name
	for _, s := range steps {
		if s.Name != "" {
			continue
		}
		usual := s.defaultName()
		s.Name = usual
		for n := max(tried[usual], 1) + 1; lines[s.Name] != 0; n++ {
			s.Name = fmt.Sprintf("%s-%d", usual, n)
			tried[usual] = n
		}
		lines[s.Name] = 1
	}
}

// defaultName is the name of a step without the key name: what it runs.
func (s *Step) defaultName() string {
	switch {
	case s.Uses != "":
		return s.Uses[strings.LastIndexByte(s.Uses, '/')+1:]
	case s.Block != nil:
		return "block"
	}
	return s.Handler
}

// list compiles the steps of a list, and returns the shape of the output of its last step. outer is the place
// of the block around it, input the shape of the first step's input.
func (c *compilation) list(b *Block, outer *sight, input handlers.Shape) handlers.Shape {
	at := &sight{outer: outer, list: b, input: input}
	for i, s := range b.Steps {
		at.before = i
		if c.sources[s].Kind != strictyaml.Mapping {
			c.shapes.outputs[s] = handlers.AnyShape
			continue
		}
		out := c.step(s, c.sources[s], at)
		if out.Type == handlers.InputShape.Type {
			out = at.input
		} else if !b.Parallel {
			at.input = out
			if s.If != "" || s.OnError == OnErrorContinue {
				at.input = handlers.AnyShape // if the step is skipped, its input is passed on
			}
		}
		c.shapes.outputs[s] = out
	}
	c.reachable(b)
	if b.Parallel {
		return handlers.AnyShape
	}
	return at.input
}

// step compiles one step at its place, and returns the shape of its output.
func (c *compilation) step(s *Step, src *source, at *sight) handlers.Shape {
	s.OnError = strictyaml.Choice(&c.Reader, src.raw.OnError, onErrors...)
	s.Timeout = time.Duration(policykeys.Span(&c.Reader, src.raw.Timeout, policykeys.Positive))
	if s.Attempts, s.backoff = c.retry(src.raw.Retry); s.Attempts > 1 {
		s.retry = newRetry(s.Attempts, s.backoff, true)
	}
	if s.Foreach != nil {
		at = at.within(s.Foreach, c.foreach(s, src, at))
	}
	if src.raw.If.HasValue() {
		c.condition(s, src.raw.If, at)
	}
	out := handlers.AnyShape
	switch {
	case s.Block != nil:
		out = c.list(s.Block, at, at.input)
	case s.Uses != "":
		c.payloadOf(s, src, at)
	default:
		out = c.parameters(s, src, at)
	}
	switch {
	case s.Foreach == nil:
		return out
	case !s.Foreach.Collect:
		return handlers.InputShape
	case out.Type == handlers.InputShape.Type:
		return handlers.ListShape(at.input)
	}
	return handlers.ListShape(out)
}

// condition compiles an `if`, which is an expression with or without ${{ }}.
func (c *compilation) condition(s *Step, n *strictyaml.Node, at *sight) {
	if n.Kind != strictyaml.Scalar {
		c.Report(n, "wrong-type", fmt.Sprintf("got %s, want an expression", n.Kind), "")
		return
	}
	s.If = n.Text
	source := strings.TrimSpace(n.Text)
	first, _, _ := strings.Cut(source, "\n")
	position := find(c.lines, n, first, 0, first)
	position.exact = position.exact && first == source
	if strings.Contains(source, opening) {
		fragments, unclosed := scan(source)
		if unclosed >= 0 {
			c.reportAt(position, CodeUnclosedExpression, fmt.Sprintf("%s: `%s` is not closed", n.Path, opening), "add `"+closing+"`")
			return
		}
		if len(fragments) != 1 || !fragments[0].expression {
			c.reportAt(position, CodeMixedCondition, n.Path+": got text around an expression, want the expression alone", "remove the ${{ }}")
			return
		}
		source = fragments[0].text
		position = find(c.lines, n, opening, 0, source)
	}
	x := c.expression(source, position, at)
	if x != nil {
		c.mustBeBool(x)
		s.condition, s.perElement = x, s.Foreach != nil && at.names(x)
	} else if f := &c.Findings[len(c.Findings)-1]; f.Code == CodeExpressionSyntax && (strings.HasPrefix(source, "${") || strings.HasPrefix(source, "{{")) {
		f.Hint = "write the condition without braces, or in ${{ }}"
	}
}

// reachable reports steps after one that always ends the pipeline.
func (c *compilation) reachable(b *Block) {
	if b.Parallel {
		return
	}
	last := slices.IndexFunc(b.Steps, (*Step).alwaysEnds)
	if last >= 0 && last+1 < len(b.Steps) {
		c.Report(c.sources[b.Steps[last+1]].Node, CodeUnreachableStep,
			fmt.Sprintf("step %q always ends the pipeline before this one", b.Steps[last].Name), "give that step an if, or remove what follows")
	}
}
