package pipelines

import (
	"fmt"

	"botwork/handlers"

	"github.com/expr-lang/expr/types"
)

// sight is what expressions at a place of the file see: the steps that have run by then, and
// the elements of the loops around it.
type sight struct {
	outer *sight // that of the block around the list; nil at the top of the file

	// The first `before` steps of list have run.
	list   *Block
	before int

	// input is the shape of `input`.
	input handlers.Shape

	// loop is the loop of the block around the list, nil if it has none; element is the shape
	// of its element.
	loop    *Loop
	element handlers.Shape

	// after is the list of steps that run after those of the pipeline; nil before that.
	after *Block
}

// sees reports whether a step has run when an expression is evaluated here, and can be named.
func (v *sight) sees(s *Step) bool {
	for ; v != nil; v = v.outer {
		if v.list == s.in {
			return s.index < v.before && !v.list.Parallel
		}
	}
	return false
}

// loops returns the loops around this place, the innermost first.
func (v *sight) loops() []*sight {
	var list []*sight
	for ; v != nil; v = v.outer {
		if v.loop != nil {
			list = append(list, v)
		}
	}
	return list
}

// within returns the place inside of a loop, where the input is the element.
func (v *sight) within(loop *Loop, element handlers.Shape) *sight {
	return &sight{outer: v, input: element, loop: loop, element: element}
}

// elements returns the variables that are defined at this place only: the elements of the loops around
// it, and how the steps have ended.
func (v *sight) elements() types.Map {
	vars := types.Map{}
	for ; v != nil; v = v.outer {
		if v.loop != nil {
			vars[varEach], vars[varEachIndex] = types.Any, types.Int
			if v.loop.As != "" {
				vars[v.loop.As] = types.Any
			}
		}
		if v.after != nil {
			vars[varAttempt] = types.Int
			switch v.after.key {
			case keyOnFailure:
				vars[varError] = errorFields
			case keyFinally:
				vars[varError] = types.Any // nil if the run has succeeded
			}
		}
	}
	return vars
}

// elementShape returns the shape of the element with a name.
func (v *sight) elementShape(name string) (shape handlers.Shape, ok bool) {
	for i, at := range v.loops() {
		if name == at.loop.As || name == varEach && i == 0 {
			return at.element, true
		}
	}
	return handlers.AnyShape, false
}

// invisible explains why a step that exists cannot be named here.
func (v *sight) invisible(s *Step) (message, hint string) {
	for at := v; at != nil; at = at.outer {
		switch {
		case at.list != s.in:
		case at.list.Parallel && s.index != at.before:
			return "runs at the same time as this one, in another branch", "read the output of the block after it: steps.BLOCK.output"
		case s.index == at.before && at != v:
			return "has not run yet at this point: this is one of its own steps", "use a step before it"
		default:
			return "has not run yet at this point", "use a step before this one"
		}
	}
	if s.parent != nil {
		return fmt.Sprintf("is inside the block %q, and only the steps of that block can read it", s.parent.Name),
			"write " + stepReference(s.parent.Name) + ".output, the output of its last step"
	}
	return "has not run yet at this point", "use a step before this one"
}
