package escalation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"botwork/internal/author/keydocs"
	"botwork/internal/spans"
	"botwork/workqueue/matching"
)

// most bounds the rules of a queue or pipeline.
const most = 50

// longest bounds times to wait: the longest that the engines can add to a time.
const longest = math.MaxInt32 * time.Second

const wantedName = "1 to 100 Latin letters, digits and the characters _ - ."

var goodName = regexp.MustCompile(namePattern)

// Parse reads rules from a JSON list strictly; "" has none. The error contains every fault, as
// matching.Faults.
func Parse(text string) ([]Rule, error) {
	if text == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, matching.Faults{{Message: fmt.Sprintf("not JSON: %v", err)}}
	}
	return Decode(v)
}

// Decode is Parse for decoded JSON or YAML; nil has no rules.
func Decode(v any) ([]Rule, error) {
	if v == nil {
		return nil, nil
	}
	c := &collector{}
	list, ok := v.([]any)
	if !ok {
		c.add(nil, "got %s, want a list of rules", kind(v))
		return nil, c.faults
	}
	if len(list) > most {
		c.add(nil, "got %d rules, want at most %d", len(list), most)
	}
	rules := make([]Rule, len(list))
	seen := map[string]int{}
	for i, v := range list {
		path := []string{strconv.Itoa(i)}
		rules[i] = c.rule(path, v)
		name := strings.ToLower(rules[i].Name)
		if first, twice := seen[name]; twice && name != "" {
			c.add(append(path, "name"), "got %q, which is the name of rule %d; want another name", rules[i].Name, first+1)
		}
		seen[name] = i
	}
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return rules, nil
}

// collector collects faults with their paths.
type collector struct{ faults matching.Faults }

func (c *collector) add(path []string, format string, args ...any) {
	c.faults = append(c.faults, matching.Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

// under returns the path of a key below path.
func under(path []string, key string) []string {
	return append(append(make([]string, 0, len(path)+1), path...), key)
}

func (c *collector) rule(path []string, v any) Rule {
	var r Rule
	before := len(c.faults)
	o, ok := c.object(path, v, ruleKeys, "a rule such as {name: late, after: 10m, raise: {by: 100}}")
	if !ok {
		return r
	}
	r.Name = c.name(path, o, "name")
	if o["name"] == nil {
		c.add(path, `the key "name" is missing`)
	}
	if o["after"] != nil {
		r.After, r.HasAfter = c.span(path, o, "after", 0), true
	}
	if r.When = c.text(path, o, "when"); r.When != "" {
		if _, err := NewCondition(r.When); err != nil {
			c.add(under(path, "when"), "%v", err)
		}
	}
	r.Raise = c.raise(under(path, "raise"), o["raise"])
	r.MoveTo = c.name(path, o, "moveTo")
	r.Relax = c.relax(under(path, "relax"), o["relax"])
	r.Cancel, r.Notify = c.flag(path, o, "cancel"), c.flag(path, o, "notify")
	if o["keep"] != nil {
		r.Keep = c.number(under(path, "keep"), o["keep"], 0)
	}
	if len(c.faults) == before {
		c.whole(path, o)
	}
	return r
}

// whole checks what the keys of a rule require of one another.
func (c *collector) whole(path []string, o map[string]any) {
	if o["after"] == nil && o["when"] == nil {
		c.add(path, "got no trigger, want after, when, or both")
	}
	var has []string
	for _, a := range actions {
		if v := o[string(a)]; v != nil && v != false {
			has = append(has, string(a))
		}
	}
	switch len(has) {
	case 0:
		c.add(path, "got no action, want raise, moveTo, relax, cancel or notify")
		return
	case 1:
	default:
		c.add(path, "got the actions %s, want one; write a rule for each", strings.Join(has, " and "))
		return
	}
	ends := has[0] == string(ActionMove) || has[0] == string(ActionCancel)
	switch {
	case !ends && o["keep"] != nil:
		c.add(under(path, "keep"), "the action %s changes all items, want keep only with moveTo or cancel", has[0])
	case ends && o["after"] == nil && o["keep"] == nil:
		c.add(path, "%s would take all waiting items, want after, or keep with the number of items that stay (0: none)", has[0])
	}
}

func (c *collector) raise(path []string, v any) *Raise {
	if v == nil {
		return nil
	}
	o, ok := c.object(path, v, raiseKeys, "{by, to, every}")
	if !ok {
		return nil
	}
	r := &Raise{}
	if o["by"] != nil {
		r.By = c.number(under(path, "by"), o["by"], 1)
	}
	if o["to"] != nil {
		r.To = new(c.number(under(path, "to"), o["to"], math.MinInt32))
	}
	if o["every"] != nil {
		r.Every = c.span(path, o, "every", time.Second)
	}
	switch {
	case o["by"] == nil && o["to"] == nil:
		c.add(path, "got neither by nor to, want one of them or both")
	case o["every"] != nil && o["by"] == nil:
		c.add(path, "got every without by, want both: each step adds by")
	case o["every"] != nil && o["to"] == nil:
		c.add(path, "got every without to, want both: without it the priority has no bound")
	}
	return r
}

func (c *collector) relax(path []string, v any) *Relax {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		c.add(path, "got %s, want a list of the keys of selectors, such as [gpu], or [\"*\"] for all", kind(v))
		return nil
	}
	r := &Relax{}
	for i, key := range list {
		text, ok := key.(string)
		if !ok || text == "" {
			c.add(under(path, strconv.Itoa(i)), "got %s, want the key of a selector", kind(key))
		}
		r.All = r.All || text == relaxAll
		r.Keys = append(r.Keys, text)
	}
	return r
}

// object reads a mapping and reports its unknown keys.
func (c *collector) object(path []string, v any, known keydocs.Keys, want string) (map[string]any, bool) {
	o, ok := v.(map[string]any)
	if !ok {
		c.add(path, "got %s, want %s", kind(v), want)
		return nil, false
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if _, ok := known.Find(key); !ok {
			c.faults = append(c.faults, matching.Fault{
				Path: under(path, key), Got: key, Known: known.Names(), UnknownKey: true,
				Message: fmt.Sprintf("unknown key %q; valid keys: %s", key, strings.Join(known.Names(), ", ")),
			})
		}
	}
	return o, true
}

func (c *collector) text(path []string, o map[string]any, key string) string {
	text, ok := o[key].(string)
	if o[key] != nil && (!ok || text == "") {
		c.add(under(path, key), "got %s, want a text", kind(o[key]))
	}
	return text
}

func (c *collector) name(path []string, o map[string]any, key string) string {
	text := c.text(path, o, key)
	if text != "" && !goodName.MatchString(text) {
		c.add(under(path, key), "got %.40q, want %s", text, wantedName)
	}
	return text
}

func (c *collector) flag(path []string, o map[string]any, key string) bool {
	set, ok := o[key].(bool)
	if o[key] != nil && !ok {
		c.add(under(path, key), "got %s, want true or false", kind(o[key]))
	}
	return set
}

func (c *collector) span(path []string, o map[string]any, key string, least time.Duration) time.Duration {
	text, _ := o[key].(string)
	d, err := spans.Parse(text)
	if text == "" {
		err = errors.New("no text")
	}
	switch {
	case err != nil:
		c.add(under(path, key), "got %s, want a duration such as 90s, 10m or 7d", kind(o[key]))
	case d < least || d > longest:
		c.add(under(path, key), "got %s, want %s to 68 years", text, spans.Text(least))
	}
	return d.Truncate(time.Millisecond)
}

// number reads a whole number of 32 bits.
func (c *collector) number(path []string, v any, least int64) int {
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 64)
	if _, text := v.(string); err != nil || text || n < least || n > math.MaxInt32 {
		c.add(path, "got %s, want a whole number from %d to %d", kind(v), least, math.MaxInt32)
		return 0
	}
	return int(n)
}

// kind describes a value in a message.
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "a mapping"
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case string:
		return fmt.Sprintf("%.40q", v)
	default:
		return fmt.Sprint(v)
	}
}
