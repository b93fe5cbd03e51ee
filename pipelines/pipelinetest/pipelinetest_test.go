package pipelinetest

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"botwork/handlers/builtin"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"

	"github.com/google/go-cmp/cmp"
)

const importText = `input: {type: object, required: [number]}
steps:
  - name: load
    handler: HTTP
    timeout: 30s
    retry: {attempts: 3, delay: 1h}
    with:
      url: https://${{ env.HOST }}/invoices/${{ payload.number }}
      auth: {token: "${{ secrets.shopToken }}"}
  - {name: none, handler: Break, if: steps.load.output.body.status == "draft", with: {reason: a draft}}
  - {name: wait, handler: Delay, with: {for: 12h}}
  - {name: shape, handler: Transform, with: {value: {id: "${{ item.id }}", at: "${{ now }}", sum: "${{ sum(steps.load.output.body.rows) }}"}}}
  - {name: save, handler: File, onError: continue, with: {op: write, path: "a/${{ payload.number }}.json", content: "${{ toJSON(input) }}"}}
  - {name: out, handler: Transform, with: {value: {shape: "${{ steps.shape.output }}", failed: "${{ steps.save.error != nil }}"}}}
`

const systemText = `trigger: {every: 1m}
steps:
  - {name: list, handler: File, with: {op: list, path: inbox}}
  - {name: Log, handler: Log, with: {message: "${{ worker.name }}"}}
`

// finder finds the two pipelines above.
func finder(t *testing.T) Finder {
	t.Helper()
	compiler := pipelines.NewCompiler(builtin.Registry(builtin.Resources{Folders: []string{t.TempDir()}}), pipelines.Options{SecretNames: []string{"shopToken"}})
	known := map[string]*pipelines.Pipeline{}
	for name, text := range map[string]string{"import": importText, "scan": systemText} {
		p, findings := compiler.Parse(name+".yaml", []byte(text))
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		known[name] = p
	}
	return func(_, name string, _ bool) (*pipelines.Pipeline, strictyaml.Findings) { return known[name], nil }
}

// ran runs the cases of a text and returns the results, a line for each case and each
// failure.
func ran(t *testing.T, file, text string) []string {
	t.Helper()
	f, findings := Parse(file, []byte(text), finder(t))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	var lines []string
	for _, r := range f.Run(t.Context(), Options{SecretNames: []string{"shopToken"}}).Results {
		if len(r.Failures) == 0 {
			lines = append(lines, "PASS "+r.Case.Name)
			continue
		}
		lines = append(lines, "FAIL "+r.Case.Name)
		for _, one := range r.Failures {
			lines = append(lines, strings.ReplaceAll(one.String(), "\n  ", " | "))
		}
	}
	return lines
}

const passing = `
defaults:
  payload: {number: A-1, kind: x}
  env: {HOST: example.test}
  stubs:
    load: {output: {body: {status: open, rows: [1, 2]}}}
    save: {output: {path: a/A-1.json}}
cases:
  - name: all of it
    item: {id: 7}
    now: 2026-02-01T00:00:00+01:00
    secrets: {shopToken: s3}
    expect:
      calls:
        - {step: load, exactWith: {url: "https://example.test/invoices/A-1", auth: {token: s3}}}
        - {step: save, with: {path: a/A-1.json}, input: {sum: 3}}
      steps: {load: done, none: skipped, shape: {output: {id: 7}}, wait: {with: {for: 12h}}, out: {attempts: 1}}
      output: {shape: {id: 7, at: "2026-01-31T23:00:00Z", sum: 3.0}, failed: false}
      exactOutput: {shape: {id: 7, at: 2026-01-31T23:00:00Z, sum: 3}, failed: false}
  - name: a draft
    stubs: {load: {output: {body: {status: draft}}}}
    expect: {outcome: succeeded, calls: [load], steps: {none: broke, save: not reached}}
  - name: the third try
    stubs:
      load:
        - {error: no route, kind: timeout}
        - {error: away}
        - {output: {body: {rows: []}}}
    expect: {calls: [{step: load, times: 3}, save], steps: {load: {status: done, attempts: 3}}}
  - name: never
    handlers: {HTTP: {error: too slow, kind: timeout}}
    stubs: {load: {error: too slow, kind: timeout}}
    expect: {kind: timeout, error: "timed out after 30s, the step's timeout: too slow", step: load, steps: {load: {attempts: 3}}}
  - name: business is not tried again
    stubs: {load: {error: no such invoice, kind: business}}
    expect: {kind: business, steps: {load: {status: failed, attempts: 1, error: no such}}}
  - name: it goes on
    stubs: {save: {error: disk full, kind: permanent}}
    expect: {output: {failed: true}, steps: {save: failed, out: done}}
  - name: panic
    stubs: {load: {error: index out of range, kind: panic}}
    expect: {kind: panic, steps: {load: {attempts: 3}}}
  - name: snooze
    stubs: {load: {snooze: 10m, reason: not there yet}}
    expect: {after: 10m, error: not there, step: load}
  - name: drop
    stubs: {load: {drop: withdrawn}}
    expect: {outcome: dropped, error: withdrawn}
  - name: break
    stubs: {load: {break: nothing}}
    expect: {outcome: succeeded, output: null, steps: {load: broke}}
  - name: wrong payload
    payload: {number: null}
    expect: {calls: [{step: load, with: {url: "https://example.test/invoices/"}}]}
  - name: payload is replaced
    payload: []
    expect: {kind: business, error: "got array, want object", calls: []}
  - name: a part
    from: shape
    until: shape
    outputs: {load: {body: {rows: [4, 5]}}, wait: null}
    expect: {calls: [], output: {sum: 9, at: 2026-01-31T12:00:00Z}}
`

func TestCasesThatPass(t *testing.T) {
	got := ran(t, "import_test.yaml", passing)
	var wrong []string
	for _, line := range got {
		if !strings.HasPrefix(line, "PASS") {
			wrong = append(wrong, line)
		}
	}
	// Null has no text, so this is the only case that must fail.
	want := []string{"FAIL wrong payload", `import_test.yaml:54:13: outcome | got   failed (permanent): step "load" (HTTP): with.url (import.yaml:8:49): ` +
		`the expression evaluates to nil, which has no text; append ?? "" if an empty text is correct | want  succeeded`,
		`import_test.yaml:54:22: calls[0] | got   no further call; the calls were none | want  a call of step "load"`}
	if diff := cmp.Diff(want, wrong); diff != "" || len(got) != 13+2 {
		t.Errorf("%d lines; failures (-want +got):\n%s", len(got), diff)
	}
}

// TestFailuresAreFound checks each expectation with a run that does not meet it.
func TestFailuresAreFound(t *testing.T) {
	const given = "defaults: {env: {HOST: h}, payload: {number: A-1}, stubs: {load: {output: {body: {rows: [1]}}}, save: {output: 5}}}\ncases:\n- name: x\n  expect: "
	for expect, want := range map[string]string{
		"{outcome: failed}":                                  "outcome | got   succeeded | want  failed",
		"{outcome: snoozed}":                                 "outcome | got   succeeded | want  snoozed",
		"{kind: error}":                                      "outcome | got   succeeded | want  failed",
		"{after: 1m}":                                        "outcome | got   succeeded | want  snoozed",
		"{step: save}":                                       `step | got   "" | want  "save"`,
		"{output: {failed: true}}":                           "output.failed | got   false | want  true",
		"{output: {shape: [1]}}":                             `output.shape | got   {"at":"2026-01-31T12:00:00Z","id":1,"sum":1} | want  a list of 1, [1]`,
		"{output: {shape: {x: 1}}}":                          `output.shape.x | got   nothing: no such key in {"at":"2026-01-31T12:00:00Z","id":1,"sum":1} | want  1`,
		"{exactOutput: {failed: false}}":                     `output.shape | got   {"at":"2026-01-31T12:00:00Z","id":1,"sum":1} | want  nothing: unexpected key`,
		"{output: 7}":                                        `output | got   {"failed":false,"shape":{"at":"2026-01-31T12:00:00Z","id":1,"sum":1}} | want  7`,
		"{calls: []}":                                        "calls | got   load, save | want  none",
		"{calls: [load]}":                                    "calls | got   load, save | want  load",
		"{calls: [save]}":                                    `calls[0] | got   a call of step "load"; the calls were load, save | want  a call of step "save"`,
		"{calls: [load, save, save]}":                        `calls[2] | got   no further call; the calls were load, save | want  a call of step "save"`,
		"{calls: [{step: load, times: 2}]}":                  `calls[0] | got   a call of step "save"; the calls were load, save | want  a call of step "load"`,
		"{calls: [load, {step: save, with: {op: move}}]}":    `calls[1].with.op | got   "write" | want  "move"`,
		"{calls: [{step: load, exactWith: {url: x}}, save]}": `calls[0].with.auth | got   {"token":"secret-shopToken"} | want  nothing: unexpected key`,
		"{calls: [load, {step: save, input: {sum: 2}}]}":     "calls[1].input.sum | got   1 | want  2",
		"{steps: {load: skipped}}":                           "steps.load.status | got   done | want  skipped",
		"{steps: {none: {status: not reached}}}":             "steps.none.status | got   skipped | want  not reached",
		"{steps: {load: {attempts: 2}}}":                     "steps.load.attempts | got   1 | want  2",
		"{steps: {load: {error: x}}}":                        `steps.load.error | got   "" | want  a text that contains "x"`,
		"{steps: {save: {output: 6}}}":                       "steps.save.output | got   5 | want  6",
		"{steps: {wait: {exactWith: {for: 1h}}}}":            `steps.wait.with.for | got   "12h" | want  "1h"`,
	} {
		got := strings.Join(ran(t, "import_test.yaml", given+expect), "\n")
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", expect, got, want)
		}
	}
}

// A step with side effects and without a stub fails the case, even if the case does not
// check its error.
func TestNoSideEffects(t *testing.T) {
	got := ran(t, "scan_test.yaml", "cases:\n- name: x\n  worker: w7\n- name: y\n  stubs: {list: {output: {}}}\n  worker: w7\n  expect: {steps: {Log: {with: {message: w7}}}}\n"+
		"- name: z\n  stubs: {list: [{error: away}]}\n  expect: {error: away}\n")
	want := []string{"FAIL x", `scan_test.yaml:2:3: step "list" (File) | got   a call with side effects, but no stub | ` +
		"want  stubs: {list: {output: …}}; the output of the step: "}
	if len(got) != 4 || got[0] != want[0] || !strings.HasPrefix(got[1], want[1]) || got[2] != "PASS y" || got[3] != "PASS z" {
		t.Errorf("got %q, want %q", got, want)
	}
	got = ran(t, "import_test.yaml", "cases:\n- name: x\n  env: {HOST: h}\n  payload: {number: 1}\n  stubs: {load: [{error: away}]}\n  expect: {kind: error}\n")
	if want := `import_test.yaml:2:3: step "load" | got   call 2 | want  at most 1: the list of its stub has no more answers`; len(got) != 2 || got[1] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMistakes checks the findings of invalid test files.
func TestMistakes(t *testing.T) {
	tests := map[string]string{
		"cases: []":                           "1:8: cases: got an empty list, want one case or more [no-cases]",
		"case: []":                            `1:1: unknown key "case" [unknown-key]; did you mean "cases"?`,
		"pipeline: imprt\ncases: [{name: x}]": `1:11: pipeline: there is no pipeline "imprt" [unknown-pipeline]`,
		"cases: [{}]":                         `1:9: key "name" is missing in cases[0] [missing-key]`,
		"cases: [{name: x}, {name: x}]":       `1:27: cases[1].name: duplicate case "x", first defined in line 1 [duplicate-case]`,
		"cases: [{name: x, stub: {}}]":        `unknown key "stub" in cases[0] [unknown-key]; did you mean "stubs"?`,
		"cases: [{name: x, stubs: {laod: {output: 1}}}]":              `cases[0].stubs.laod: pipeline "import" has no step "laod" [unknown-step]; did you mean "load"?`,
		"cases: [{name: x, handlers: {SQL: {output: 1}}}]":            `no step of pipeline "import" has the handler "SQL" [unknown-handler]`,
		"cases: [{name: x, stubs: {load: {}}}]":                       "got none, want one of output, error, snooze, break and drop [invalid-value]",
		"cases: [{name: x, stubs: {load: {output: 1, error: x}}}]":    "got output and error, want one of output",
		"cases: [{name: x, stubs: {load: {error: x, kind: fatal}}}]":  `got "fatal", want one of error, timeout, permanent, business, panic`,
		"cases: [{name: x, stubs: {load: {output: 1, kind: error}}}]": "kind, retryAfter and counted are only allowed together with error",
		"cases: [{name: x, stubs: {load: []}}]":                       "got an empty list, want an answer for each call",
		"cases: [{name: x, stubs: {load: 5}}]":                        "got a single value, want an answer [invalid-value]",
		"cases: [{name: x, expect: {outcome: fails}}]":                `got "fails", want one of "succeeded", "failed", "snoozed", "dropped" [invalid-value]; did you mean "failed"?`,
		"cases: [{name: x, expect: {calls: [lod]}}]":                  `pipeline "import" has no step "lod" [unknown-step]; did you mean "load"?`,
		"cases: [{name: x, expect: {steps: {load: fine}}}]":           `got "fine", want one of "done", "skipped"`,
		"cases: [{name: x, now: today}]":                              `got "today", want a time such as 2026-01-31T12:00:00Z`,
		"cases: [{name: x, item: {atempt: 1}}]":                       `unknown key "atempt" in cases[0].item [unknown-key]; did you mean "attempt"?`,
		"cases: [{name: x, item: {attempt: 0}}]":                      "got 0, want 1 or more",
		"pipeline: scan\ncases: [{name: x, item: {id: 1}}]":           "got an item, but a pipeline with a trigger runs without an item [triggered-pipeline]",
		"cases: [{name: x, from: shape}]":                             "and its output is missing",
		"cases: [{name: x, until: shpae}]":                            `has no step "shpae"; did you mean "shape"?`,
	}
	for text, want := range tests {
		f, findings := Parse("import_test.yaml", []byte(text+"\n"), finder(t))
		if f != nil || !strings.Contains(findings.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, findings, want)
		}
	}
}

func TestCoverageAndJUnit(t *testing.T) {
	f, findings := Parse("import_test.yaml", []byte("cases:\n- name: <a> & \"b\"\n  env: {HOST: h}\n  payload: {number: 1}\n  stubs: {load: {output: {body: {status: draft}}}}\n"+
		"- name: other\n  payload: {}\n"), finder(t))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	all := f.Run(t.Context(), Options{})
	some := f.Run(t.Context(), Options{Only: regexp.MustCompile("^import/other$")})
	if len(all.Results) != 2 || len(some.Results) != 1 || all.Failed() != 1 || some.Failed() != 1 {
		t.Fatalf("%d and %d results, %d failed", len(all.Results), len(some.Results), all.Failed())
	}
	untested, _ := finder(t)("", "scan", true)
	want := []Coverage{
		{Pipeline: "import", File: "import.yaml", Steps: 6, Tested: true, Never: []string{"wait", "shape", "save", "out"}},
		{Pipeline: "scan", File: "scan.yaml", Steps: 2, Never: []string{"list", "Log"}},
	}
	if diff := cmp.Diff(want, Cover([]FileResult{all}, []*pipelines.Pipeline{untested, f.Pipeline})); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
	var text bytes.Buffer
	if err := WriteJUnit(&text, []FileResult{all}); err != nil {
		t.Fatal(err)
	}
	var back junitSuites
	if err := xml.Unmarshal(text.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Tests != 2 || back.Failures != 1 || back.Suites[0].Cases[0].Name != `<a> & "b"` || back.Suites[0].Cases[0].Failure != nil ||
		!strings.Contains(back.Suites[0].Cases[1].Failure.Text, "import_test.yaml:6:3: outcome") || back.Suites[0].Cases[1].Line != 6 {
		t.Errorf("JUnit: %s", text.String())
	}
}
