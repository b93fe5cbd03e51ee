package pipelines

import (
	"fmt"
	"strings"
	"testing"

	"botwork/handlers/builtin"
)

const shapedSteps = `
input:
  type: object
  properties:
    customer: {type: object, additionalProperties: false, properties: {name: {type: string}, vat: {type: string}}}
    amount: {type: number}
    any: {anyOf: [{type: object}]}
steps:
  - {name: list, handler: File, with: {op: list, path: in}}
  - {name: maybe, handler: File, if: "payload.amount > 0", with: {op: read, path: in/a}}
  - {name: get, handler: HTTP, with: {url: "https://x.test"}}
  - {name: say, handler: Log, with: {message: x}}
  - {name: some, handler: CSV, with: {op: "${{ payload.op }}", text: x}}
  - name: last
    handler: Log
    with: {message: x, fields: {a: %q}}
`

// TestShapesInExpressions checks expressions with the outputs of steps. Valid ones have no
// findings: a false alarm does more harm than a mistake that the checker misses.
func TestShapesInExpressions(t *testing.T) {
	c := NewCompiler(builtin.Registry(builtin.Resources{Folders: []string{t.TempDir()}}), Options{})
	for source, want := range map[string]string{
		"steps.list.output.count + 1":                               "",
		"steps.list.output.files[0].name":                           "",
		"steps.list.output.files[0]?.name ?? 'none'":                "",
		"map(steps.list.output.files, .path)":                       "",
		"filter(steps.list.output.files, .size > 10)[0].modifiedAt": "",
		"steps.list.output.files | map(#.name) | join(',')":         "",
		"len(steps.list.output.files) == 0 ? 'a' : 'b'":             "",
		"steps.list.output == nil":                                  "",
		"steps.list.output?.count ?? 0":                             "",
		"steps.maybe.output?.content":                               "",
		"steps.maybe.skipped ? nil : steps.maybe.output.content":    "",
		"(steps.maybe.output ?? {content: ''}).content":             "",
		"upper(steps.maybe.output.content)":                         "",
		"steps.maybe.output.modifiedAt.Year()":                      "",
		"steps.get.output.status in [200, 201]":                     "",
		"steps.get.output.status == 200.0":                          "",
		"string(steps.get.output.status) == '200'":                  "",
		"steps.get.output.body.order.lines[0].x":                    "",
		"steps.get.output.headers['content-type']":                  "",
		"steps.get.output.headers.location":                         "",
		"toJSON(steps.get.output)":                                  "",
		"keys(steps.get.output)":                                    "",
		"'body' in steps.get.output":                                "",
		"steps.get.output['body']":                                  "",
		"{a: steps.get.output.body}.a":                              "",
		"let o = steps.get.output; o.body":                          "",
		"steps.say.output.body":                                     "", // Log puts out its input, HTTP's output
		"steps.some.output.rows":                                    "", // op is unknown
		"input.rows ?? input.text":                                  "",
		"payload.amount * 2":                                        "",
		"payload.something":                                         "",
		"payload.any.x":                                             "",
		"payload.customer.name":                                     "",
		"payload?.customer?.name ?? ''":                             "",

		"steps.get.output.bdoy":             `the output of step "get" has no field "bdoy" [unknown-variable]; did you mean "body"?`,
		"steps['get'].output?.bdoy":         `has no field "bdoy"`,
		"steps.list.output.files[0].nmae":   `an element of "files" in the output of step "list" has no field "nmae" [unknown-variable]; did you mean "name"?`,
		"steps.list.output.files.name":      `"files" in the output of step "list" is a list and has no field "name" [unknown-variable]; select an element`,
		"steps.get.output.status == '200'":  "[expression-type]",
		"steps.maybe.output.content + 1":    "[expression-type]",
		"steps.list.output.count.x":         "is a whole number and has no field",
		"steps.say.output.bdoy":             `the output of step "say" has no field "bdoy"`,
		"payload.amuont":                    `warning: the payload has no field "amuont" in the pipeline's input schema, so the value is nil [unknown-field]; did you mean "amount"?`,
		"payload.customer.country":          `warning: "customer" in the payload has no field "country" in the pipeline's input schema, so the value is nil [unknown-field]; it has name, vat`,
		`steps.maybe.output.content == nil`: "",
		`steps.maybe.output.content != nil && len(steps.maybe.output.content) > 0`: "",
		`steps.list.output.count ?? 0`:                                             "",
		`steps.list.output.files == []`:                                            "",
		`steps.list.output.files ?? []`:                                            "",
		`steps.get.output.headers["x"] ?? ""`:                                      "",
		`steps.maybe.output.modifiedAt > now`:                                      "",
		`now - steps.maybe.output.modifiedAt > duration("1h")`:                     "",
		`date(steps.get.output.headers.date)`:                                      "",
		`steps.maybe.skipped ? steps.get.output : nil`:                             "",
		`(steps.maybe.skipped ? steps.get.output : steps.maybe.output).size`:       "",
		`[steps.get.output, 1]`:                                                    "",
		`concat(steps.list.output.files, [1])`:                                     "",
		`int(steps.maybe.output.content) + 1`:                                      "",
		`split(steps.maybe.output.content, ";")[0]`:                                "",
		`steps.maybe.output.content contains "x" ? 1 : 2`:                          "",
		`steps.maybe.output.content matches "^a"`:                                  "",
		`steps.maybe.output.size / 1024`:                                           "",
		`sum(map(steps.list.output.files, .size))`:                                 "",
		`first(steps.list.output.files).name`:                                      "",
		`find(steps.list.output.files, .size > 1)?.name`:                           "",
		`groupBy(steps.list.output.files, .name)`:                                  "",
		`sortBy(steps.list.output.files, .size)[0].name`:                           "",
		`steps.list.output.files[-1].name`:                                         "",
		`steps.list.output.files[0:2]`:                                             "",
		`any(steps.list.output.files, #.size > 1)`:                                 "",
		`steps.list.output["count"]`:                                               "",
		`get(steps.list.output, "count")`:                                          "",
		`fromJSON(steps.maybe.output.content).x`:                                   "",
		`let f = steps.list.output.files; f[0].name`:                               "",
		`"n: " + string(steps.list.output.count)`:                                  "",
		`steps.maybe.output.content + "x"`:                                         "",
		`steps.maybe.output.size in 1..10`:                                         "",
		`toPairs(steps.get.output)`:                                                "",
		`steps.get.output.body?.items ?? []`:                                       "",
		`steps.get.output.encoding == "json" and steps.get.output.body.ok`:         "",
		`not steps.maybe.skipped and steps.maybe.output.size > 0`:                  "",
		`max(steps.list.output.count, 5)`:                                          "",
		`type(steps.list.output)`:                                                  "",
		`steps.get.output.url[8:]`:                                                 "",
	} {
		p, findings := c.Parse("f.yaml", fmt.Appendf(nil, shapedSteps, "${{ "+source+" }}"))
		if p != nil {
			findings = p.Warnings
		}
		if got := findings.Error(); want == "" && got != "" || !strings.Contains(got, want) || want != "" && len(findings) != 1 {
			t.Errorf("%s: findings\n%s\nwant %q", source, got, want)
		}
	}
}

// The input of a step has the shape of the previous step's output if that step always
// runs.
func TestShapeOfInput(t *testing.T) {
	c := NewCompiler(builtin.Registry(builtin.Resources{}), Options{})
	for steps, want := range map[string]bool{
		"- {name: a, handler: HTTP, with: {url: 'https://x.test'}}":                                                      true,
		"- {name: a, handler: HTTP, if: payload.x, with: {url: 'https://x.test'}}":                                       false,
		"- {name: a, handler: HTTP, onError: continue, with: {url: 'https://x.test'}}":                                   false,
		"- {name: a, handler: HTTP, with: {url: 'https://x.test'}}\n- {handler: Log, if: payload.x, with: {message: x}}": true,
		"- {name: a, handler: JSON, with: {op: parse}}":                                                                  false,
		"- {handler: Log, with: {message: x}}":                                                                           false,
	} {
		_, findings := c.Parse("f.yaml", []byte("steps:\n"+steps+"\n- {handler: Log, with: {message: '${{ input.bdoy }}'}}\n"))
		if found := len(findings) == 1 && strings.Contains(findings.Error(), `the step's input has no field "bdoy"`); found != want || len(findings) > 1 {
			t.Errorf("%s: findings %v, want one: %v", steps, findings, want)
		}
	}
}
