package builtin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"botwork/handlers"
	"botwork/internal/bounded"
	"botwork/internal/values"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
)

const transformDoc = `Computes a new value. With value, the output is that value, usually with expressions in it.

Without value it works on a list, items or the step's input, in this order: where keeps the elements for which it is true; groupBy
makes groups {key, items} of the elements with the same key, in the order in which the keys first occur; sortBy sorts, with
descending from large to small, keeping the order of equals; limit keeps the first ones; select makes a new element of each.
where, groupBy, sortBy and select are expressions without ${{ }}: it is the element (after groupBy the group), index its
number from 0, and input and payload are those of the step.

The expressions may take 50 million steps and make 64 MB of texts and lists, all elements together.

It is safe to run twice: it changes nothing. A value that is not a list is permanent; an expression that fails on an element,
and keys that cannot be sorted, are business errors, since the data is not what the expression expects.`

func transformKind() handlers.Kind {
	conditions, values := new(compiled[*bounded.Program]), new(compiled[*bounded.Program])
	return handlers.Kind{
		Name: "Transform", Summary: "Compute a new value, or filter, group, sort and map a list", Doc: transformDoc,
		Output:      "value, or the new list.",
		OutputShape: transformGives,
		Example: `- handler: Transform
  with:
    items: ${{ payload.orders }}
    where: it.amount > 0
    groupBy: it.customer
    sortBy: sum(it.items, .amount)
    descending: true
    limit: 10
    select: "{customer: it.key, orders: len(it.items), total: sum(it.items, .amount)}"
`,
		New: func() handlers.Handler { return &transformStep{conditions: conditions, values: values} },
	}
}

type transformStep struct {
	Value      any    `json:"value" doc:"the output itself; not together with the other parameters"`
	Items      []any  `json:"items" doc:"the list to work on; default is the step's input"`
	Where      string `json:"where" doc:"expression that is true for the elements to keep"`
	GroupBy    string `json:"groupBy" doc:"expression for the key of an element's group"`
	SortBy     string `json:"sortBy" doc:"expression to sort by: numbers, texts, times, or true and false; null comes first"`
	Descending bool   `json:"descending" doc:"sort from large to small"`
	Limit      int    `json:"limit" doc:"how many elements to keep at most; 0 keeps all"`
	Select     string `json:"select" doc:"expression that makes the new element"`

	// Compiled by Validate; nil where there is no expression.
	where, groupBy, sortBy, selection *bounded.Program

	conditions, values *compiled[*bounded.Program] // of all steps: where, and the others
}

// transformVariables are the variables of the expressions.
var transformVariables = types.Map{"it": types.Any, "index": types.Int, "input": types.Any, "payload": types.Any}

// Validate compiles the expressions.
func (s *transformStep) Validate() error {
	var errs []error
	compile := func(name, text string, from *compiled[*bounded.Program], options ...expr.Option) *bounded.Program {
		if text == "" {
			return nil
		}
		program, err := from.of(text, func(text string) (*bounded.Program, error) {
			return bounded.Compile(text, transformVariables, options...)
		})
		if err != nil {
			errs = append(errs, handlers.WrongParam(name, expressionError(err)))
		}
		return program
	}
	s.where = compile("where", s.Where, s.conditions, expr.AsBool())
	s.groupBy = compile("groupBy", s.GroupBy, s.values)
	s.sortBy = compile("sortBy", s.SortBy, s.values)
	s.selection = compile("select", s.Select, s.values)
	if s.Limit < 0 {
		errs = append(errs, handlers.WrongParam("limit", "want 0 or more"))
	}
	if s.Descending && s.SortBy == "" {
		errs = append(errs, handlers.WrongParam("descending", "goes with sortBy"))
	}
	list := s.Items != nil || s.Where != "" || s.GroupBy != "" || s.SortBy != "" || s.Select != "" || s.Limit != 0
	if s.Value != nil && list {
		errs = append(errs, handlers.WrongParam("value", "goes without the parameters for lists"))
	}
	return errors.Join(errs...)
}

func (s *transformStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	if s.Value != nil {
		return values.Plain(s.Value), nil
	}
	items := s.Items
	if items == nil {
		list, ok := call.Input.([]any)
		if !ok {
			return nil, handlers.Permanent(fmt.Errorf("transform: the step's input is %s, want a list; or give items", values.Describe(call.Input)))
		}
		items = list
	}
	t := &transformation{variables: map[string]any{"input": call.Input, "payload": call.Payload}}
	t.machine.Start(ctx)
	items = t.filter(s.where, slices.Clone(items))
	items = t.group(s.groupBy, items)
	items = t.sort(s.sortBy, s.Descending, items)
	if s.Limit > 0 && len(items) > s.Limit {
		items = items[:s.Limit]
	}
	items = t.each("select", s.selection, items)
	if t.err != nil {
		return nil, fmt.Errorf("transform: %w", t.err)
	}
	return values.Plain(items), nil
}

// expressionError returns an error of the library as one line, without the picture of the
// expression.
func expressionError(err error) string {
	if at, ok := errors.AsType[*file.Error](err); ok {
		return fmt.Sprintf("%s (line %d, column %d)", at.Message, at.Line, at.Column+1)
	}
	return err.Error()
}

// transformation is one pass over a list. After an error its methods do nothing.
type transformation struct {
	variables map[string]any
	machine   bounded.Machine
	err       error
}

// each evaluates a program for each element; without a program it returns the
// elements themselves.
func (t *transformation) each(name string, program *bounded.Program, items []any) []any {
	if program == nil || t.err != nil {
		return items
	}
	out := make([]any, len(items))
	for i, it := range items {
		if t.err = t.machine.Err(); t.err != nil {
			return nil
		}
		t.variables["it"], t.variables["index"] = it, i
		v, err := t.machine.Run(program, t.variables)
		if err != nil {
			if t.err = t.machine.Err(); t.err != nil {
				return nil
			}
			t.err = handlers.Business(fmt.Errorf("%s for element %d: %s", name, i, expressionError(err)))
			return nil
		}
		out[i] = v
	}
	return out
}

func (t *transformation) filter(program *bounded.Program, items []any) []any {
	keep := t.each("where", program, items)
	if program == nil || t.err != nil {
		return items
	}
	kept := items[:0]
	for i, it := range items {
		if keep[i] == true {
			kept = append(kept, it)
		}
	}
	return kept
}

func (t *transformation) group(program *bounded.Program, items []any) []any {
	keys := t.each("groupBy", program, items)
	if program == nil || t.err != nil {
		return items
	}
	groups := []any{}
	members := map[any]map[string]any{}
	for i, it := range items {
		key := values.Plain(keys[i])
		if key != nil && !reflect.TypeOf(key).Comparable() {
			t.err = handlers.Business(fmt.Errorf("groupBy for element %d gives %s, want a plain value", i, values.Describe(key)))
			return nil
		}
		if members[key] == nil {
			members[key] = map[string]any{"key": key, "items": []any{}}
			groups = append(groups, members[key])
		}
		members[key]["items"] = append(members[key]["items"].([]any), it)
	}
	return groups
}
