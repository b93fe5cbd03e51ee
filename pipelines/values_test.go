package pipelines

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValues(t *testing.T) {
	dev := Values{File: "botwork.yaml", Data: map[string]any{
		"url": "http://dev", "port": 80, "rate": 0.5, "on": true, "to": []any{"a", "b"}, "ledger": map[string]any{"url": "http://ledger", "a-b": 1}, "none": nil,
	}}
	prod := Values{Environment: "prod", File: "botwork.prod.yaml", Data: map[string]any{"url": "https://prod", "port": 443, "rate": 1.5, "on": false, "to": []any{}, "ledger": "text"}}
	tests := map[string]struct {
		expression     string
		errors, warned string
	}{
		"set":                       {`values.url + values["url"] + values?.url`, "", ""},
		"set in one":                {`values.ledger.url`, "", "values.ledger.url is not set in environment prod (botwork.prod.yaml)"},
		"in brackets":               {`values.ledger["a-b"]`, "", `values.ledger["a-b"] is not set in environment prod (botwork.prod.yaml)`},
		"optional":                  {`values.ledger?.url ?? "x"`, "", "values.ledger.url is not set in environment prod (botwork.prod.yaml)"},
		"misspelt":                  {`values.ulr`, `values.ulr is not set (botwork.yaml) [unset-value]; did you mean "url"?` + "\n" + `values.ulr is not set in environment prod (botwork.prod.yaml) [unset-value]; did you mean "url"?`, ""},
		"null":                      {`values.none`, "values.none is not set (botwork.yaml) [unset-value]\nvalues.none is not set in environment prod (botwork.prod.yaml) [unset-value]", ""},
		"below one that is not set": {`values.some.url`, "values.some is not set (botwork.yaml) [unset-value]\nvalues.some is not set in environment prod (botwork.prod.yaml) [unset-value]", ""},
		"below a text":              {`values.url.host`, "values.url.host is not set (botwork.yaml) [unset-value]\nvalues.url.host is not set in environment prod (botwork.prod.yaml) [unset-value]", ""},
		"computed":                  {`values[payload.name] ?? values.to[0] ?? values.url`, "", ""},
		"whole":                     {`len(values) + values.port`, "", ""},
		"numbers":                   {`values.port + values.rate > 1 && values.on`, "", ""},
		"wrong type":                {`values.port + values.url`, `invalid operation: + (mismatched types int and string) [expression-type]`, ""},
		"wrong argument":            {`values.port matches "8.*"`, `invalid operation: matches (mismatched types int and string) [expression-type]`, ""},
		"the function":              {`len(values(values)) + len(payload | values()) + len(values({a: 1}))`, "", ""},
		"the function without map":  {`values()`, "invalid number of arguments (expected 1, got 0) [expression-type]", ""},
		"a list":                    {`join(map(values.to, upper(#)), ",")`, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := "steps: [{handler: Echo, with: {value: '${{ " + test.expression + " }}'}}]"
			for _, everywhere := range []bool{false, true} {
				p, findings := NewCompiler(registry(nil), Options{Values: []Values{dev, prod}, Everywhere: everywhere}).Parse("p.yaml", []byte(text))
				wrong, warned := []string{}, []string{}
				for _, f := range findings {
					wrong = append(wrong, f.String()[strings.Index(f.String(), ": ")+2:])
				}
				if p != nil {
					for _, f := range p.Warnings {
						warned = append(warned, f.Message)
					}
				}
				wantErrors, wantWarned := test.errors, test.warned
				if everywhere && wantWarned != "" {
					wantErrors, wantWarned = wantWarned+" [unset-value]", ""
				}
				if diff := cmp.Diff([]string{wantErrors, wantWarned}, []string{strings.Join(wrong, "\n"), strings.Join(warned, "\n")}); diff != "" {
					t.Errorf("everywhere %t: errors and warnings (-want +got):\n%s", everywhere, diff)
				}
			}
		})
	}
	// Without settings, all names are accepted.
	parse(t, NewCompiler(registry(nil), Options{}), `steps: [{handler: Echo, with: {value: "${{ values.anything.at.all + 1 }}"}}]`)
}

func TestLooksSecret(t *testing.T) {
	for key, texts := range map[string]map[string]bool{
		"password": {"x": true, "": false, "${{ secrets.x }}": true}, "url": {"https://u:p@host": true, "https://host": false}, "ledgerApiKey": {"1": true},
	} {
		for text, want := range texts {
			if got := LooksSecret(key, text); got != want {
				t.Errorf("LooksSecret(%q, %q) = %t, want %t", key, text, got, want)
			}
		}
	}
}

func TestRunReadsValues(t *testing.T) {
	p := parse(t, NewCompiler(registry(nil), Options{}), "steps:\n  - {handler: Echo, with: {value: ['${{ values.ledger.url }}', '${{ values[\"none\"] ?? values(values.one)[0] }}']}}\n")
	for _, test := range []struct {
		values map[string]any
		want   string
	}{
		{map[string]any{"ledger": map[string]any{"url": "https://ledger"}, "one": map[string]any{"a": 1}}, `["https://ledger",1]`},
		{map[string]any{"ledger": map[string]any{}, "none": true}, `[null,true]`},
	} {
		if r := NewEngine(EngineOptions{Values: test.values}).Run(t.Context(), p, RunInput{}); string(r.Output) != test.want {
			t.Errorf("with %v: output = %s (%s), want %s", test.values, r.Output, r.Error, test.want)
		}
	}
}
