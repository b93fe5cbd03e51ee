package storetest

import (
	"slices"
	"strings"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

func findLabelsTests() []test {
	return []test{{"by labels", findLabels}, {"by labels that a user wrote", findWrittenLabels}}
}

// Labels are compared byte by byte on every engine. A text matches true, false and the number that are
// written like it.
func findLabels(x *fixture) {
	labels := func(what string, l matching.Labels) int64 { return x.wantNew(what, workqueue.NewItem{Labels: l}) }
	a := labels("a", matching.Labels{"gpu": matching.Bool(true), "site": matching.Text("north"), "ram": matching.Number(32)})
	b := labels("b", matching.Labels{"gpu": matching.Text("true"), "site": matching.Text("North"), "ram": matching.Text("32")})
	c := labels("c", matching.Labels{"gpu": matching.Bool(false), "x.y-z": matching.Number(0.1), "ram": matching.Number(0), "note": matching.Text(`a "b" <c> \ 'd' é 😀`)})
	d := labels("d", matching.Labels{"Gpu": matching.Bool(true), "note": matching.Text("gpu"), "empty": matching.Text(""), "large": matching.Number(1e21)})
	x.wantNew("e", workqueue.NewItem{Metadata: map[string]string{"gpu": "true"}, Tags: []string{"gpu"}})
	for _, test := range []struct {
		name   string
		filter workqueue.ItemFilter
		want   []int64
	}{
		{"true", labelFilter("gpu", "true"), []int64{b, a}},
		{"false", labelFilter("gpu", "false"), []int64{c}},
		{"true is not 1", labelFilter("gpu", "1"), nil},
		{"true in another case", labelFilter("gpu", "True"), nil},
		{"another case of the name", labelFilter("Gpu", "true"), []int64{d}},
		{"a text", labelFilter("site", "north"), []int64{a}},
		{"a text in another case", labelFilter("site", "NORTH"), nil},
		{"a part of a text", labelFilter("site", "nor"), nil},
		{"a space at the end", labelFilter("site", "north "), nil},
		{"a space at the end of the name", labelFilter("site ", "north"), nil},
		{"a number", labelFilter("ram", "32"), []int64{b, a}},
		{"another notation", labelFilter("ram", "32.0"), nil},
		{"a space before a number", labelFilter("ram", " 32"), nil},
		{"zero", labelFilter("ram", "0"), []int64{c}},
		{"no number", labelFilter("ram", "true"), nil},
		{"a fraction", labelFilter("x.y-z", "0.1"), []int64{c}},
		{"a number with an exponent", labelFilter("large", "1e+21"), []int64{d}},
		{"the same without an exponent", labelFilter("large", "1000000000000000000000"), nil},
		{"special characters", labelFilter("note", `a "b" <c> \ 'd' é 😀`), []int64{c}},
		{"a name as a value", labelFilter("note", "gpu"), []int64{d}},
		{"an empty text", labelFilter("empty", ""), []int64{d}},
		{"an empty text is not any", labelFilter("site", ""), nil},
		{"null", labelFilter("site", "null"), nil},
		{"types of engines", labelFilter("note", "text"), nil},
		{"a large number that is no label's", labelFilter("ram", "1e+400"), nil},
		{"a long value", labelFilter("site", strings.Repeat("north", 1000)), nil},
		{"all of two", workqueue.ItemFilter{Labels: map[string]string{"gpu": "true", "site": "north"}}, []int64{a}},
		{"of different items", workqueue.ItemFilter{Labels: map[string]string{"gpu": "false", "site": "north"}}, nil},
		{"any value", workqueue.ItemFilter{HasLabels: []string{"gpu"}}, []int64{c, b, a}},
		{"any value of two", workqueue.ItemFilter{HasLabels: []string{"gpu", "site"}}, []int64{b, a}},
		{"any value, and one", workqueue.ItemFilter{HasLabels: []string{"note"}, Labels: map[string]string{"Gpu": "true"}}, []int64{d}},
		{"a value as a name", workqueue.ItemFilter{HasLabels: []string{"north"}}, nil},
		{"a label and other fields", workqueue.ItemFilter{HasLabels: []string{"gpu"}, IDs: []int64{a, c}, QueueName: "default"}, []int64{c, a}},
	} {
		x.wantFound(test.name, test.filter, test.want...)
	}
	if n, err := x.Store.CountItems(x.ctx, labelFilter("gpu", "true")); err != nil || n != 2 {
		x.Errorf("counted %d items (%v), want 2", n, err)
	}
	if changed, _ := x.changeAll(labelFilter("gpu", "true"), workqueue.Change{Action: workqueue.Cancel}); changed != 2 {
		x.Errorf("cancelled %d items, want 2", changed)
	}
}

// Rows that a user wrote may have other names, notations, and texts that are no labels. Those match
// nothing, and a search is no error.
func findWrittenLabels(x *fixture) {
	written := func(text string) int64 {
		id := x.wantNew(text, workqueue.NewItem{})
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "Labels" = '%s' WHERE "Id" = %d`, strings.ReplaceAll(text, "'", "''"), id)
		return id
	}
	spaced := written(`{ "gpu" : true , "ram": 3.2e1, "text": "\ud83d\ude00 \u00e9\u000a\/", "\u0073ite": "\u006eorth" }`)
	names := []string{`a"b`, `a.b`, `a\b`, `$`, `$.gpu`, `a[0]`, `it's`, `x" OR "1"="1`, `#`, `@name`, `?`}
	var named []int64
	for _, name := range names {
		named = append(named, written(`{`+asJSON(name)+`: "x"}`))
	}
	for _, bad := range []string{
		`{"gpu": true`, `gpu`, `["gpu"]`, `"gpu"`, `true`, ` `, `{"gpu": null}`, `{"gpu": ["x"]}`, `{"gpu": {"ram": 32}}`, `{'gpu': true}`, `{"gpu": 01}`, `{"gpu": "\x"}`,
		`{"gpu": true, "nul": "\u0000"}x`, `{"gpu": {"gpu": true}, "ram": 32}}`, `{"gpu": true,}`, `{"gpu": true, }`, `{,"gpu": true}`, `{"gpu": true "x": 1}`, `{"gpu": true,, "x": 1}`, `{}`,
	} {
		written(bad)
	}
	for _, refused := range []string{`{"odd": "\u0000"}`, `{"odd": "\ud83d"}`, `{"odd": "\udE00\ud83d"}`, "{\"odd\": \"\x01\"}"} { // by PostgreSQL
		written(refused)
	}
	x.wantFound("what engines refuse", labelFilter("odd", "x"))
	x.wantFound("with spaces", labelFilter("gpu", "true"), spaced)
	x.wantFound("a number in another notation", labelFilter("ram", "32"), spaced)
	x.wantFound("escapes", labelFilter("text", "😀 é\n/"), spaced)
	x.wantFound("escapes that are not needed", labelFilter("site", "north"), spaced)
	x.wantFound("any value", workqueue.ItemFilter{HasLabels: []string{"gpu"}}, spaced)
	for i, name := range names {
		x.wantFound(name, labelFilter(name, "x"), named[i])
		x.wantFound(name, workqueue.ItemFilter{HasLabels: []string{name}}, named[i])
	}
	for _, text := range []string{`' OR '1'='1`, "a\x00b", "\xff", `a" b`, "", `"gpu"`} {
		x.wantFound(text, labelFilter(text, text))
		x.wantFound(text, workqueue.ItemFilter{HasLabels: []string{text}})
	}
}

func labelFilter(name, value string) workqueue.ItemFilter {
	return workqueue.ItemFilter{Labels: map[string]string{name: value}}
}

// wantFound checks which items a filter selects, the newest first.
func (x *fixture) wantFound(what string, f workqueue.ItemFilter, want ...int64) {
	x.Helper()
	if got := x.list(f); !slices.Equal(got, want) {
		x.Errorf("%q: found the items %v, want %v", what, got, want)
	}
}
