package pipelines

import (
	"fmt"
	"strconv"
	"strings"

	"botwork/internal/author/strictyaml"
)

// template is a value of `with` that may contain expressions. At most one of its forms is
// set; without one it is the literal.
type template struct {
	key string // its position, such as "with.headers.X-Id"

	literal any
	value   *expression // the whole value is one expression: its type is kept
	text    []segment   // text around expressions
	fields  []member
	items   []*template
}

// segment is a piece of an interpolated text: an expression, or text if expr is nil.
type segment struct {
	text  string
	value *expression
}

type member struct {
	key   string
	value *template
}

// dynamic reports whether the value must be evaluated in each run.
func (t *template) dynamic() bool {
	return t.value != nil || t.text != nil || t.fields != nil || t.items != nil
}

// template compiles the node; key is its position within the step. Errors are reported, and
// the template is usable for further checks.
func (c *compilation) template(n *strictyaml.Node, key string, at *sight) *template {
	t := &template{key: key}
	switch n.Kind {
	case strictyaml.Mapping:
		dynamic := false
		t.fields = []member{}
		for _, e := range n.Entries {
			if strings.Contains(e.Key, opening) {
				c.reportAt(positionOfKey(e), CodeExpressionInKey,
					n.Path+": an expression is not allowed in a key", "make the whole mapping an expression: ${{ {(key): value} }}")
			}
			value := c.template(e.Value, key+"."+e.Key, at)
			dynamic = dynamic || value.dynamic()
			t.fields = append(t.fields, member{e.Key, value})
		}
		t.collapse(dynamic)
	case strictyaml.Sequence:
		dynamic := false
		t.items = []*template{}
		for i, item := range n.Items {
			value := c.template(item, key+"."+strconv.Itoa(i), at)
			dynamic = dynamic || value.dynamic()
			t.items = append(t.items, value)
		}
		t.collapse(dynamic)
	default:
		t.literal = n.Value
		if text, ok := n.Value.(string); ok && strings.Contains(text, opening) {
			c.text(t, n, text, at)
		}
	}
	return t
}

// collapse converts a mapping or a list without expressions to a literal.
func (t *template) collapse(dynamic bool) {
	if !dynamic {
		t.literal = t.known()
		t.fields, t.items = nil, nil
	}
}

// known returns the value with nil in place of expressions.
func (t *template) known() any {
	switch {
	case t.items != nil:
		list := make([]any, len(t.items))
		for i, item := range t.items {
			list[i] = item.known()
		}
		return list
	case t.fields != nil:
		m := make(map[string]any, len(t.fields))
		for _, f := range t.fields {
			m[f.key] = f.value.known()
		}
		return m
	case t.value != nil || t.text != nil:
		return nil
	default:
		return t.literal
	}
}

// text compiles a scalar with an opening `${{`.
func (c *compilation) text(t *template, n *strictyaml.Node, text string, at *sight) {
	fragments, unclosed := scan(text)
	if unclosed >= 0 {
		c.reportAt(find(c.lines, n, opening, unclosed, ""), CodeUnclosedExpression,
			fmt.Sprintf("%s: `%s` is not closed", n.Path, opening), "add `"+closing+"`, or write `$${{` for a literal")
		return
	}
	if len(fragments) == 1 && !fragments[0].expression {
		t.literal = fragments[0].text
		return
	}
	t.literal = nil
	// A block scalar ends with a line break that is not intended.
	if last := len(fragments) - 1; last == 1 && strings.Trim(fragments[1].text, "\r\n") == "" && fragments[0].expression {
		fragments = fragments[:1]
	}
	for _, f := range fragments {
		s := segment{text: f.text}
		if f.expression {
			s = segment{value: c.expression(f.text, find(c.lines, n, opening, f.nth, f.text), at)}
			if s.value == nil {
				s.text = f.text // reported already; the text only has to count as dynamic
			}
		}
		t.text = append(t.text, s)
	}
	if len(t.text) == 1 && t.text[0].value != nil {
		t.value, t.text = t.text[0].value, nil
	}
}
