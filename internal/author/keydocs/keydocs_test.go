package keydocs_test

import (
	"strings"
	"testing"

	"botwork/internal/author/keydocs"
)

type shared struct {
	Delay string `yaml:"delay"`
}

type step struct {
	Name string `yaml:"name,required"`
	shared
	Hidden string
	Left   string `yaml:"-"`
}

func TestFor(t *testing.T) {
	keys := keydocs.For[step](keydocs.Keys{{Name: "delay"}, {Name: "name"}})
	if got := strings.Join(keys.Names(), " "); got != "delay name" {
		t.Errorf("names = %q, want the order of the table", got)
	}
	if keys[0].Required || !keys[1].Required {
		t.Errorf("required = %v, %v, want false and true, as in the struct", keys[0].Required, keys[1].Required)
	}
}

func TestForPanicsIfKeysDiffer(t *testing.T) {
	for name, tt := range map[string]struct {
		keys keydocs.Keys
		want string
	}{
		"a key without a field": {keydocs.Keys{{Name: "name"}, {Name: "delay"}, {Name: "Hidden"}}, `does not read the key "Hidden"`},
		"a key twice":           {keydocs.Keys{{Name: "name"}, {Name: "delay"}, {Name: "delay"}}, `"delay"`},
		"a missing key":         {keydocs.Keys{{Name: "name"}}, `"delay", which is not described`},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, tt.want) {
					t.Errorf("panic %q, want one with %q", got, tt.want)
				}
			}()
			keydocs.For[step](tt.keys)
		})
	}
}

func TestWithoutLinks(t *testing.T) {
	for text, want := range map[string]string{
		"the steps: [below](#steps)":                                  "the steps",
		"when it starts: [schedules.md](schedules.md#cron). Optional": "when it starts. Optional",
		"for [scores](assignment.md#scores); a label":                 "for scores; a label",
	} {
		if got := keydocs.WithoutLinks(text); got != want {
			t.Errorf("WithoutLinks(%q) = %q, want %q", text, got, want)
		}
	}
}
