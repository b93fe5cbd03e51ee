package pipelines

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"
)

// references checks the names in an expression before the compiler does: the compiler stops
// at the first error, makes no suggestions, and does not know which steps have run.
type references struct {
	names  names
	shapes shapes
	// shaped reports whether the expression uses a value with a known shape.
	shaped bool
	at     *sight // what the expression sees
	report func(from, to int, code, message, hint string)
	warn   func(from, to int, code, message, hint string)
	// suggest proposes a name in place of the one that was reported last, "" for none;
	// inner characters at both ends stay.
	suggest func(name string, inner int)

	// whole are mentions of `secrets` without a member access.
	whole map[ast.Node]bool

	// steps are the names of steps in the expression, known or not.
	steps []string

	// readsItem, readsSteps and readsBatch report whether the expression names these variables.
	readsItem, readsSteps, readsBatch bool
}

// check reports every wrong reference in the tree.
func (r *references) check(tree ast.Node) {
	r.whole = map[ast.Node]bool{}
	ast.Walk(&tree, r)
	for node := range r.whole {
		r.report(node.Location().From, node.Location().To, CodeUnknownVariable, "secrets cannot be used as a whole", "use a single one: secrets.NAME")
	}
}

// Visit sees a node after its children.
func (r *references) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			r.report(n.Location().From, n.Location().To, CodeUnknownVariable, `unknown name "$env"`, "")
		}
		if n.Value == varInput && known(r.at.input) {
			r.shaped = true
		}
		r.readsItem = r.readsItem || n.Value == varItem
		r.readsSteps = r.readsSteps || n.Value == varSteps
		r.readsBatch = r.readsBatch || n.Value == varBatch
		if n.Value == varSecrets {
			r.whole[n] = true
		}
	case *ast.MemberNode:
		r.member(n)
	}
}

func (r *references) member(n *ast.MemberNode) {
	property, constant := n.Property.(*ast.StringNode)
	if constant {
		r.fieldOf(n, property)
		r.settingValue(n, property)
	}
	if shape, _ := r.memberValue(n); known(shape) {
		r.shaped = true
	}
	switch base := n.Node.(type) {
	case *ast.IdentifierNode:
		if base.Value == varSecrets && constant {
			delete(r.whole, base)
		}
		if constant {
			r.variable(base.Value, property)
		}
	case *ast.MemberNode:
		if id, ok := base.Node.(*ast.IdentifierNode); ok && id.Value == varSteps && constant {
			r.stepField(base, property)
		}
	}
}

func (r *references) variable(name string, property *ast.StringNode) {
	switch name {
	case varSteps:
		r.step(property)
	case varSecrets:
		if r.names.secrets != nil && !slices.Contains(r.names.secrets, property.Value) {
			r.name(property, CodeUnknownSecret, fmt.Sprintf("unknown secret %q", property.Value),
				strictyaml.Suggest(property.Value, r.names.secrets))
			r.suggestNearest(property, r.names.secrets)
		}
	case varEnv:
		if r.names.secretEnv.setting(property.Value) != "" {
			r.name(property, CodeSecretVariable, r.names.secretEnv.refusal(property.Value), r.names.secretEnv.hint(property.Value))
		} else if strings.HasPrefix(strings.ToUpper(property.Value), settingPrefix) {
			r.name(property, CodeUnknownVariable, fmt.Sprintf("the variable %q is a setting of the program, and pipelines cannot read settings", property.Value),
				cmp.Or(settingHints[strings.ToUpper(property.Value)], "use a variable of another name, or a secret: secrets.NAME"))
		}
	case varItem:
		if !r.names.system {
			r.fieldIn(varItem, itemFields, property)
		}
	case varBatch:
		if !r.names.system {
			r.fieldIn(varBatch, batchFields, property)
		}
	case varVars:
		if slices.Contains(r.names.later, property.Value) && !slices.Contains(r.names.vars, property.Value) {
			r.name(property, CodeLaterStep, fmt.Sprintf("vars.%s is defined later", property.Value), "a variable can read the ones before it")
		} else if len(r.names.later) > 0 && !slices.Contains(r.names.vars, property.Value) {
			r.field(varVars, r.names.vars, property)
		}
	case varError:
		if r.at.elements()[varError] != nil {
			r.fieldIn(varError, errorFields, property)
		}
	case varWorker:
		r.fieldIn(varWorker, workerFields, property)
	}
}

func (r *references) fieldIn(of string, fields types.Map, property *ast.StringNode) {
	if _, ok := fields[property.Value]; !ok {
		r.field(of, fieldNames(fields), property)
	}
}

// field reports an unknown field.
func (r *references) field(of string, known []string, property *ast.StringNode) {
	hint := strictyaml.Suggest(property.Value, known)
	if hint == "" {
		hint = "it has " + strings.Join(known, ", ")
	}
	r.name(property, CodeUnknownVariable, fmt.Sprintf("%s has no field %q", of, property.Value), hint)
	r.suggestNearest(property, known)
}

// stepField reports a field that no step has. It is often one of the step's output.
func (r *references) stepField(step *ast.MemberNode, property *ast.StringNode) {
	name, constant := step.Property.(*ast.StringNode)
	fields := stepFields
	if constant {
		fields = fieldsOf(r.names.byName[name.Value])
	}
	_, known := fields[property.Value]
	if known || !constant || strictyaml.Suggest(property.Value, fieldNames(fields)) != "" {
		r.fieldIn("a step", fields, property)
		return
	}
	r.name(property, CodeUnknownVariable, fmt.Sprintf("a step has no field %q", property.Value),
		fmt.Sprintf("write %s.output.%s; a step has %s", stepReference(name.Value), property.Value, strings.Join(fieldNames(fields), ", ")))
}

// stepReference returns how an expression refers to a step.
func stepReference(name string) string {
	if plainName.MatchString(name) {
		return varSteps + "." + name
	}
	return fmt.Sprintf("%s[%q]", varSteps, name)
}

// wholeStep warns about an expression that is only a step: a mapping of its output, error and
// whether it was skipped. end is the number of characters of the expression.
func (r *references) wholeStep(tree ast.Node, end int) {
	if chain, ok := tree.(*ast.ChainNode); ok {
		tree = chain.Node
	}
	if step, ok := r.stepOf(tree); ok {
		reference := stepReference(step.Name)
		r.warn(0, end, CodeWithoutOutput, fmt.Sprintf("%s is a mapping with output, skipped and error, not the output itself", reference), "write "+reference+".output")
	}
}

func (r *references) step(property *ast.StringNode) {
	name := property.Value
	step := r.names.byName[name]
	r.steps = append(r.steps, name)
	switch {
	case step == nil:
		hint := strictyaml.Suggest(name, r.names.steps)
		for _, known := range r.names.steps {
			if strings.HasPrefix(known, name+"-") {
				// steps.load-data reads as a subtraction.
				hint = fmt.Sprintf("a name with a dash is written steps[%q]", known)
			}
		}
		r.name(property, CodeUnknownStep, fmt.Sprintf("there is no step %q", name), hint)
		r.suggestNearest(property, r.names.steps)
	case !r.at.sees(step):
		message, hint := r.at.invisible(step)
		r.name(property, CodeLaterStep, fmt.Sprintf("step %q %s", name, message), hint)
	}
}

// name reports a name after a dot or in brackets, at its position.
func (r *references) name(property *ast.StringNode, code, message, hint string) {
	r.report(property.Location().From, property.Location().To, code, message, hint)
}

// plainName matches names that may follow a dot.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// suggestNearest proposes the only similar known name, in the form of the wrong one: after a dot, or
// in brackets and quotes.
func (r *references) suggestNearest(property *ast.StringNode, known []string) {
	name, only := strictyaml.Nearest(property.Value, known)
	length := property.Location().To - property.Location().From
	switch plain := utf8.RuneCountInString(property.Value); {
	case !only:
	case length == plain && plainName.MatchString(name):
		r.suggest(name, 0)
	case length == plain+2 && !strings.ContainsAny(name, "'\"\\"):
		r.suggest(name, 1)
	}
}
