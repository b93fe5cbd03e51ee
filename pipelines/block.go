package pipelines

import (
	"cmp"
	"iter"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// mostNested is how deep blocks may be nested. The steps of a pipeline are not nested.
const mostNested = 8

// Block is a list of steps: those of a pipeline, or those of a step.
type Block struct {
	Steps []*Step

	// Parallel reports whether the steps run side by side, each of them as a branch.
	Parallel bool

	// key is the key of a list at the top of the file: "finally"; "" for `steps` and for blocks.
	key string
}

// Loop makes a step run once for each element of a list or a map.
type Loop struct {
	// List is the list as it was written.
	List string

	// As is the name of the element in expressions, besides `each`; "" if it has no other.
	As string

	// Parallel is how many iterations run at the same time.
	Parallel int

	// Collect reports whether the outputs of the iterations are the output of the step.
	Collect bool

	list *template
}

// Kind describes in one word what a step runs: a handler's name, or what it is otherwise.
func (s *Step) Kind() string {
	switch {
	case s.Handler != "":
		return s.Handler
	case s.Uses != "":
		return "uses " + s.Uses
	case s.Block != nil && s.Block.Parallel:
		return "parallel"
	default:
		return "block"
	}
}

// Each returns all steps of the pipeline, in the order of the file: a block before its steps,
// and those of `onSuccess`, `onFailure` and `finally` last.
func (p *Pipeline) Each() iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		for _, list := range p.lists() {
			if !list.each(yield) {
				return
			}
		}
	}
}

// Walk returns all steps that a run may reach, with their paths: those of Each, and after a step
// that calls a pipeline the steps of that pipeline.
func (p *Pipeline) Walk() iter.Seq2[string, *Step] {
	return func(yield func(string, *Step) bool) { p.walk("", yield) }
}

func (p *Pipeline) walk(prefix string, yield func(string, *Step) bool) bool {
	for s := range p.Each() {
		if !yield(prefix+s.Path, s) {
			return false
		}
		if callee := p.Callee(s); callee != nil && !callee.walk(prefix+s.Path+workqueue.PathSeparator, yield) {
			return false
		}
	}
	return true
}

// PathOf returns the path of the step with a name, or with a path; "" if there is none.
func (p *Pipeline) PathOf(name string) string {
	for path, s := range p.Walk() {
		if path == name || s.Name == name && s.Path == path {
			return path
		}
	}
	return ""
}

// Conditional reports whether some runs do not reach the step because of a condition or a loop of
// the step or of a block around it.
func (s *Step) Conditional() bool {
	for ; s != nil; s = s.parent {
		if s.If != "" || s.Foreach != nil {
			return true
		}
	}
	return false
}

// List is the key of the list at the top of the file that the step is in: "steps", "onSuccess",
// "onFailure" or "finally".
func (s *Step) List() string { return cmp.Or(s.top().in.key, "steps") }

// lists returns the lists of steps at the top of the file.
func (p *Pipeline) lists() []*Block {
	lists := []*Block{&p.Block}
	for _, b := range []*Block{p.OnSuccess, p.OnFailure, p.Finally} {
		if b != nil {
			lists = append(lists, b)
		}
	}
	return lists
}

func (b *Block) each(yield func(*Step) bool) bool {
	for _, s := range b.Steps {
		if !yield(s) || s.Block != nil && !s.Block.each(yield) {
			return false
		}
	}
	return true
}

// Nodes returns the steps as nodes of the file, for further checks. It parses the text at each
// call: few callers need the nodes, and to keep them would take as much memory as the compiled
// pipeline.
func (p *Pipeline) Nodes() map[*Step]*strictyaml.Node {
	top, _ := strictyaml.Parse(p.File, []byte(p.Text))
	nodes := map[*Step]*strictyaml.Node{}
	for _, list := range p.lists() {
		list.nodes(top.Get(cmp.Or(list.key, "steps")), nodes)
	}
	return nodes
}

func (b *Block) nodes(list *strictyaml.Node, into map[*Step]*strictyaml.Node) {
	for i, s := range b.Steps {
		into[s] = list.Items[i]
		if s.Block != nil {
			s.Block.nodes(list.Items[i].Get("steps"), into)
		}
	}
}
