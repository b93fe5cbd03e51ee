package pipelines_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/internal/author/keydocs"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// keyTables are the tables of keys with a file for each, in which %s is replaced by a key
// with its value.
var keyTables = []struct {
	name, file string
	keys       keydocs.Keys
}{
	{"pipeline", "%s\nsteps: [{handler: Log, with: {message: hello}}]", pipelines.Keys().Without("steps")},
	{"step", "steps: [{handler: Log, with: {message: hello}, %s}]", pipelines.StepKeys().Without("handler", "with", "steps", "uses", "as", "collect", "parallel")},
	{"loop", "steps: [{handler: Log, foreach: [1, 2], with: {message: hello}, %s}]", pipelines.StepKeys().Without("name", "handler", "steps", "uses", "if", "foreach", "timeout", "retry", "onError", "with")},
	{"retry", "resilience: {limit: 1}\nsteps: [{handler: Log, with: {message: hello}, retry: {%s}}]", pipelines.RetryKeys()},
	{"resilience", "steps: [{handler: Log, with: {message: hello}}]\nresilience: {%s}", pipelines.ResilienceKeys()},
	{"trigger", "steps: [{handler: Log, with: {message: hello}}]\ntrigger: {%s}", inner("trigger")},
	{"learnBy", "steps: [{handler: Log, with: {message: hello}}]\nlearnBy: {%s}", inner("learnBy")},
	{"selector", "steps: [{handler: Log, with: {message: hello}}]\nselectors: [{key: ram, %s}]", inner("selectors").Without("expedite", "key")},
	{"distribution", "steps: [{handler: Log, with: {message: hello}}]\ndistribution: {%s}", inner("distribution")},
}

func inner(name string) keydocs.Keys {
	k, _ := pipelines.Keys().Find(name)
	return k.Keys
}

func findings(t *testing.T, file, entry string) strictyaml.Findings {
	t.Helper()
	_, found := pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}).Parse("probe.yaml", fmt.Appendf(nil, file, entry))
	return found
}

// TestWordsOfKeys checks that the checker accepts each word in a table, and rejects other
// words.
func TestWordsOfKeys(t *testing.T) {
	for _, p := range keyTables {
		for _, k := range p.keys {
			if len(k.Enum) == 0 {
				continue
			}
			value := func(word string) string {
				if strings.HasPrefix(k.Type, "list of") {
					return k.Name + ": [" + word + "]"
				}
				return k.Name + ": " + word
			}
			about := func(word string) string {
				for _, f := range findings(t, p.file, value(word)) {
					if strings.Contains(f.Message, k.Name) && f.Code == "invalid-value" && strings.Contains(f.Message, "got ") {
						return f.Message
					}
				}
				return ""
			}
			for _, word := range k.Enum {
				if wrong := about("'" + word + "'"); wrong != "" {
					t.Errorf("%s: %s: %s is described, but the checker reports %s", p.name, k.Name, word, wrong)
				}
			}
			wrong := about("qqqq")
			if wrong == "" {
				t.Errorf("%s: %s: the checker accepts any word, but only %q are described", p.name, k.Name, k.Enum)
			}
			if !slices.ContainsFunc(k.Enum, func(word string) bool { return strings.Contains(wrong, word) }) {
				t.Errorf("%s: %s: the checker requires other words than %q: %s", p.name, k.Name, k.Enum, wrong)
			}
		}
	}
}

// TestBoundsOfKeys checks that the checker accepts the minimum and the maximum in a table,
// and rejects values beyond them.
func TestBoundsOfKeys(t *testing.T) {
	tried := 0
	for _, p := range keyTables {
		for _, k := range p.keys {
			refused := func(value float64) bool {
				return slices.ContainsFunc(findings(t, p.file, fmt.Sprintf("%s: %v", k.Name, value)), func(f strictyaml.Finding) bool {
					return strings.Contains(f.Message, k.Name+": got")
				})
			}
			if !strings.Contains(k.Type, "number") {
				continue
			}
			for bound, beyond := range map[*float64]float64{k.Min: -1, k.Max: 1} {
				if bound == nil {
					continue
				}
				tried++
				if refused(*bound) || !refused(*bound+beyond) {
					t.Errorf("%s: %s: for the bound %v, the checker rejects it = %v, and rejects a value beyond it = %v", p.name, k.Name, *bound,
						refused(*bound), refused(*bound+beyond))
				}
			}
		}
	}
	if tried < 6 {
		t.Errorf("%d bounds were tried", tried)
	}
}

// TestExamplesAndDefaultsOfKeys checks that the checker accepts each example and default
// in a table.
func TestExamplesAndDefaultsOfKeys(t *testing.T) {
	for _, p := range keyTables {
		for _, k := range p.keys {
			for _, value := range []string{k.Example, k.Default} {
				if value == "" {
					continue
				}
				for _, f := range findings(t, p.file, k.Name+": "+value) {
					if f.Code == "wrong-type" || f.Code == "invalid-value" && strings.Contains(f.Message, k.Name+": got") {
						t.Errorf("%s: %s: %s is described, but the checker reports %s", p.name, k.Name, value, f.Message)
					}
				}
			}
		}
	}
}
