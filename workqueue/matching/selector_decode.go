package matching

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/keydocs"
	"botwork/internal/spans"
)

const (
	maxSelectors = 100
	maxValues    = 1000
)

// ParseSelectors reads a JSON list of selectors, each an object
//
//	{"key": "ram", "operator": "greaterThanOrEqual", "value": 32, "expiresAfter": "45s", "expedite": true}
//
// or a text such as "ram >= 32". "" and null are no selectors. The error contains
// every fault, each with the index of its selector; with an error no selectors
// are returned, since an item without one of them might run anywhere.
func ParseSelectors(s string) ([]Selector, error) {
	if s == "" {
		return nil, nil
	}
	v, err := parseJSON(s)
	if err != nil {
		return nil, err
	}
	return DecodeSelectors(v)
}

// DecodeSelectors is ParseSelectors for decoded JSON or YAML.
func DecodeSelectors(v any) ([]Selector, error) {
	var c collector
	selectors := c.selectors(nil, v)
	if err := c.err(); err != nil {
		return nil, err
	}
	return selectors, nil
}

// ParseSelector reads one selector from a command line: a text such as "ram >= 32",
// or an object in JSON.
func ParseSelector(s string) (Selector, error) {
	var v any = s
	if strings.HasPrefix(strings.TrimSpace(s), "{") {
		var err error
		if v, err = parseJSON(s); err != nil {
			return Selector{}, err
		}
	}
	var c collector
	selector := c.selector(nil, v)
	return selector, c.err()
}

// ValidateSelectors checks selectors that were not decoded. It returns all faults at
// once, as Faults.
func ValidateSelectors(selectors []Selector) error {
	_, err := ParseSelectors(SelectorsJSON(selectors))
	return err
}

func (c *collector) selectors(path []string, v any) []Selector {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		c.add(path, `got %s, want a list of selectors, such as ["gpu = true"]`, kindOf(v))
		return nil
	}
	if len(list) > maxSelectors {
		c.add(path, "got %d selectors, want at most %d", len(list), maxSelectors)
		return nil
	}
	selectors := make([]Selector, len(list))
	for i, element := range list {
		selectors[i] = c.selector(at(path, i), element)
	}
	return selectors
}

func (c *collector) selector(path []string, v any) Selector {
	switch v := v.(type) {
	case string:
		s, wrong := parseSelectorText(v)
		if wrong != "" {
			c.add(path, "got %.80q, %s", v, wrong)
		}
		return s
	case map[string]any:
		return c.selectorObject(path, v)
	}
	c.add(path, `got %s, want a text such as "ram >= 32", or {key, operator, value}`, kindOf(v))
	return Selector{}
}

func (c *collector) selectorObject(path []string, o map[string]any) Selector {
	c.known(path, o, selectorKeys)
	s := Selector{
		Key:          c.text(path, o, "key"),
		ExpiresAfter: c.span(path, o, "expiresAfter"),
		Expedite:     c.bool(path, o, "expedite"),
	}
	switch name := c.text(path, o, "operator"); {
	case o["key"] == nil:
		c.add(path, "the key %q is missing", "key")
	case s.Key != "" && !goodKey(s.Key):
		c.add(under(path, "key"), "got the key %.40q, want %s", s.Key, wantedKey)
		fallthrough
	default:
		var ok bool
		if s.Operator, ok = parseOperator(name); !ok && o["operator"] == nil {
			c.add(path, "the key %q is missing; want %s", "operator", wantedOperators())
		} else if !ok && name != "" {
			c.faults = append(c.faults, Fault{
				Path: under(path, "operator"), Got: name, Known: operatorNames(), Message: fmt.Sprintf("got %.40q, want %s", name, wantedOperators()),
			})
		}
	}
	if s.Operator != "" {
		c.operand(path, o, &s)
	}
	return s
}

// operand reads value and values as the operator requires them.
func (c *collector) operand(path []string, o map[string]any, s *Selector) {
	field, written := "value", o["value"]
	if o["values"] != nil {
		if field = "values"; written != nil {
			c.add(path, "got value and values, want one of the two")
			return
		}
		written = o["values"]
	}
	list, isList := written.([]any)
	switch {
	case s.Operator == Exists:
		if written != nil {
			c.add(under(path, field), "exists takes no value")
		}
		return
	case s.Operator == In && !isList:
		c.add(under(path, "values"), "got %s, want a list of values", kindOf(written))
		return
	case s.Operator == In:
		c.valuesOfIn(under(path, field), list, s)
		return
	case field == "values":
		c.add(under(path, field), "only the operator in takes values, want value")
		return
	}
	v, err := ValueOf(written)
	if err != nil {
		c.add(under(path, field), "%v", err)
		return
	}
	s.Value = v
	if wrong := s.disorder(); wrong != "" {
		c.add(under(path, field), "%s", wrong)
	}
}

func (c *collector) valuesOfIn(path []string, list []any, s *Selector) {
	if len(list) == 0 || len(list) > maxValues {
		c.add(path, "got %d values, want 1 to %d", len(list), maxValues)
		return
	}
	for i, element := range list {
		v, err := ValueOf(element)
		if err != nil {
			c.add(at(path, i), "%v", err)
			continue
		}
		s.Values = append(s.Values, v)
	}
}

// disorder describes what is wrong with the value of an operator of order. Texts and
// bools have no order that everyone agrees on: as texts, "10" is less than "9".
func (s *Selector) disorder() string {
	if _, ok := s.Value.Float(); s.Operator.ordered() && !ok {
		return "got " + kindOf(s.Value.Any()) + ", want a number after " + s.Operator.sign()
	}
	return ""
}

// known reports the keys of an object that are not in a table.
func (c *collector) known(path []string, o map[string]any, known keydocs.Keys) {
	var unknown []string
	for key := range o {
		if _, ok := known.Find(key); !ok {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		keys := known.Names()
		c.faults = append(c.faults, Fault{
			Path: under(path, key), Got: key, Known: keys, UnknownKey: true,
			Message: fmt.Sprintf("unknown key %.40q; valid keys: %s", key, strings.Join(keys, ", ")),
		})
	}
}

// text reads a text; "" means absent, or reported as a fault. An empty text is
// reported.
func (c *collector) text(path []string, o map[string]any, key string) string {
	s, ok := o[key].(string)
	if o[key] != nil && (!ok || s == "") {
		c.add(under(path, key), "got %s, want a text", kindOf(o[key]))
	}
	return s
}

func (c *collector) bool(path []string, o map[string]any, key string) bool {
	b, ok := o[key].(bool)
	if o[key] != nil && !ok {
		c.add(under(path, key), "got %s, want true or false", kindOf(o[key]))
	}
	return b
}

// span reads a duration above 0; 0 means absent, or reported as a fault.
func (c *collector) span(path []string, o map[string]any, key string) time.Duration {
	if o[key] == nil {
		return 0
	}
	s, ok := o[key].(string)
	d, err := spans.Parse(s)
	if !ok || err != nil || d <= 0 {
		c.add(under(path, key), "got %s, want a time above 0 with a unit, such as 45s", kindOf(o[key]))
		return 0
	}
	return d
}
