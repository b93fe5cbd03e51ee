package matching_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue/matching"
)

func TestParseSelector(t *testing.T) {
	number, text := matching.Number, matching.Text
	for _, test := range []struct {
		written string
		want    matching.Selector
		text    string // "": as it was written
	}{
		{"gpu = true", matching.Selector{Key: "gpu", Operator: matching.Equal, Value: matching.Bool(true)}, ""},
		{" gpu==true ", matching.Selector{Key: "gpu", Operator: matching.Equal, Value: matching.Bool(true)}, "gpu = true"},
		{"site equals New York", matching.Selector{Key: "site", Operator: matching.Equal, Value: text("New York")}, "site = New York"},
		{"site <> lisbon", matching.Selector{Key: "site", Operator: matching.NotEqual, Value: text("lisbon")}, "site != lisbon"},
		{"site notEquals lisbon", matching.Selector{Key: "site", Operator: matching.NotEqual, Value: text("lisbon")}, "site != lisbon"},
		{`site = ""`, matching.Selector{Key: "site", Operator: matching.Equal, Value: text("")}, ""},
		{`version = "1"`, matching.Selector{Key: "version", Operator: matching.Equal, Value: text("1")}, ""},
		{"zip = 0123", matching.Selector{Key: "zip", Operator: matching.Equal, Value: text("0123")}, ""},
		{"ram >= 32", matching.Selector{Key: "ram", Operator: matching.GreaterThanOrEqual, Value: number(32)}, ""},
		{"ram greaterThanEqual 32", matching.Selector{Key: "ram", Operator: matching.GreaterThanOrEqual, Value: number(32)}, "ram >= 32"},
		{"ram>1e3", matching.Selector{Key: "ram", Operator: matching.GreaterThan, Value: number(1000)}, "ram > 1000"},
		{"a.b-c < -0.50", matching.Selector{Key: "a.b-c", Operator: matching.LessThan, Value: number(-0.5)}, "a.b-c < -0.5"},
		{"cost lessThanEqual 0", matching.Selector{Key: "cost", Operator: matching.LessThanOrEqual, Value: number(0)}, "cost <= 0"},
		{"Id = 7", matching.Selector{Key: "Id", Operator: matching.Equal, Value: number(7)}, ""},
		{"gpu exists", matching.Selector{Key: "gpu", Operator: matching.Exists}, ""},
		{"site in [lisbon, 4, true, \"a, b\"]", matching.Selector{Key: "site", Operator: matching.In,
			Values: []matching.Value{text("lisbon"), number(4), matching.Bool(true), text("a, b")}}, ""},
		{`{"key": "site", "operator": "in", "value": ["x"]}`, matching.Selector{Key: "site", Operator: matching.In, Values: []matching.Value{text("x")}}, "site in [x]"},
		{`{"key": "Id", "operator": "=", "value": 7, "expiresAfter": "45s", "expedite": true}`, matching.Selector{
			Key: "Id", Operator: matching.Equal, Value: number(7), ExpiresAfter: 45 * time.Second, Expedite: true}, "Id = 7"},
		{`{"key": "gpu", "operator": "exists", "expiresAfter": "7d"}`, matching.Selector{Key: "gpu", Operator: matching.Exists, ExpiresAfter: 7 * 24 * time.Hour}, "gpu exists"},
	} {
		got, err := matching.ParseSelector(test.written)
		if err != nil {
			t.Errorf("ParseSelector(%q): %v", test.written, err)
			continue
		}
		if diff := cmp.Diff(test.want, got, values); diff != "" {
			t.Errorf("ParseSelector(%q) (-want +got):\n%s", test.written, diff)
		}
		if test.text == "" {
			test.text = test.written
		}
		if got.String() != test.text {
			t.Errorf("ParseSelector(%q) writes %q, want %q", test.written, got, test.text)
		}
		again, err := matching.ParseSelectors(matching.SelectorsJSON([]matching.Selector{got}))
		if diff := cmp.Diff([]matching.Selector{test.want}, again, values); err != nil || diff != "" {
			t.Errorf("%q as JSON: %v (-want +got):\n%s", test.written, err, diff)
		}
	}
}

func TestSelectorsJSON(t *testing.T) {
	const written = `[{"key":"ram","operator":"greaterThanOrEqual","value":32},` +
		`{"key":"site","operator":"in","values":["lisbon","<porto>"],"expiresAfter":"45s","expedite":true}]`
	selectors, err := matching.ParseSelectors(written)
	if err != nil {
		t.Fatal(err)
	}
	if got := matching.SelectorsJSON(selectors); got != written {
		t.Errorf("SelectorsJSON = %s, want %s", got, written)
	}
	if got := matching.SelectorsJSON(nil); got != "" {
		t.Errorf("SelectorsJSON of none = %q", got)
	}
	for _, none := range []string{"", "null", "[]"} {
		if got, err := matching.ParseSelectors(none); len(got) > 0 || err != nil {
			t.Errorf("ParseSelectors(%q) = %v, %v, want none", none, got, err)
		}
	}
}

func TestParseSelectorsReportsEverything(t *testing.T) {
	const words = "equal (=), notEqual (!=), lessThan (<), lessThanOrEqual (<=), greaterThan (>), greaterThanOrEqual (>=), in, exists"
	const condition = "want a condition such as gpu = true, ram >= 32, site in [lisbon, porto] or gpu exists"
	got, err := matching.ParseSelectors(`["gpu = true", "", "gpu", "ram >= much", "site in lisbon", "site in [a,]", "site in [\"a]", "gpu exists yes",
		"1gpu = 2", "ram ~ 3", "site = [a]", 7,
		{"key": "ram", "operator": "bigger", "value": 1},
		{"key": "ram", "operator": "lessThan", "value": "9"},
		{"operator": "equal", "vlaue": 1, "value": 1e999},
		{"key": "a b", "value": 1, "expiresAfter": 45, "expedite": "yes"},
		{"key": "x", "operator": "in", "values": []},
		{"key": "x", "operator": "in", "values": [null, 1]},
		{"key": "x", "operator": "in", "value": 1},
		{"key": "x", "operator": "equal", "value": 1, "values": [1]},
		{"key": "x", "operator": "equal", "values": [1]},
		{"key": "x", "operator": "exists", "value": true},
		{"key": "x", "operator": "notEqual"},
		{"key": 5, "operator": "", "expiresAfter": "-3s"}]`)
	want := []string{
		`[1]: got "", ` + condition,
		`[2]: got "gpu", ` + condition,
		`[3]: got "ram >= much", got the text "much", want a number after >=`,
		`[4]: got "site in lisbon", want a list after in, such as [lisbon, porto]`,
		`[5]: got "site in [a,]", want a value between two commas; an empty text is ""`,
		`[6]: got "site in [\"a]", a text that begins with a double quote must be a valid JSON string`,
		`[7]: got "gpu exists yes", want nothing after exists`,
		`[8]: got "1gpu = 2", want as its key a letter or _, then letters, digits, _ - and ., at most 100 characters`,
		`[9]: got "ram ~ 3", want after its key one of ` + words,
		`[10]: got "site = [a]", want one value after =, a list only after in; write a text that begins with [ in double quotes`,
		`[11]: got the number 7, want a text such as "ram >= 32", or {key, operator, value}`,
		`[12].operator: got "bigger", want ` + words,
		`[13].value: got the text "9", want a number after <`,
		`[14].vlaue: unknown key "vlaue"; valid keys: key, operator, value, values, expiresAfter, expedite`,
		`[14]: the key "key" is missing`,
		`[15].expiresAfter: got the number 45, want a time above 0 with a unit, such as 45s`,
		`[15].expedite: got the text "yes", want true or false`,
		`[15].key: got the key "a b", want a letter or _, then letters, digits, _ - and ., at most 100 characters`,
		`[15]: the key "operator" is missing; want ` + words,
		`[16].values: got 0 values, want 1 to 1000`,
		`[17].values[0]: got nothing, want text, a number, true or false`,
		`[18].values: got the number 1, want a list of values`,
		`[19]: got value and values, want one of the two`,
		`[20].values: only the operator in takes values, want value`,
		`[21].value: exists takes no value`,
		`[22].value: got nothing, want text, a number, true or false`,
		`[23].key: got the number 5, want a text`,
		`[23].expiresAfter: got the text "-3s", want a time above 0 with a unit, such as 45s`,
		`[23].operator: got the text "", want a text`,
	}
	if diff := cmp.Diff(want, messages(t, err)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if got != nil {
		t.Errorf("selectors beside faults = %v, want none: the item might run anywhere", got)
	}
	_, err = matching.ParseSelectors(`["x exists"` + strings.Repeat(`,"x exists"`, 100) + "]")
	if diff := cmp.Diff([]string{"got 101 selectors, want at most 100"}, messages(t, err)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestSatisfied(t *testing.T) {
	labels := matching.Labels{
		"gpu": matching.Bool(true), "idle": matching.Bool(false), "ram": matching.Number(32), "zero": matching.Number(0),
		"below": matching.Number(-5), "site": matching.Text("lisbon"), "digits": matching.Text("32"), "empty": matching.Text(""),
	}
	for written, want := range map[string]bool{
		"gpu = true": true, "gpu = false": false, "gpu != false": true, "idle = false": true, "idle exists": true,
		"site = lisbon": true, "site = Lisbon": false, "Site = lisbon": false, "site != porto": true, `empty = ""`: true,
		"site in [porto, lisbon]": true, "site in [porto]": false, "ram in [16, 32]": true, `ram in ["32"]`: false,

		// A label that is missing satisfies != alone.
		"none = 1": false, "none != 1": true, "none < 1": false, "none >= 0": false, "none in [1]": false, "none exists": false,

		// Another type is never equal and has no order.
		"digits = 32": false, "digits != 32": true, "digits >= 1": false, "digits <= 99": false, `ram = "32"`: false,
		`ram != "32"`: true, "gpu = 1": false, "gpu != 1": true, "gpu >= 0": false, "gpu in [1]": false, "site > 0": false, "site <= 0": false,

		"ram = 32": true, "ram != 32": false, "ram > 32": false, "ram >= 32": true, "ram < 32": false, "ram <= 32": true,
		"ram > 31.9": true, "ram < 32.1": true,

		// Zero and what lies below it are numbers like others.
		"zero = 0": true, "zero != 0": false, "zero > 0": false, "zero >= 0": true, "zero < 0": false, "zero <= 0": true,
		"zero exists": true, "below < 0": true, "below > -6": true, "below >= -5": true, "ram > 0": true, "ram < 0": false,
	} {
		s, err := matching.ParseSelector(written)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Satisfied(labels); got != want {
			t.Errorf("%s: satisfied = %v, want %v", written, got, want)
		}
		if all := matching.Satisfied([]matching.Selector{s}, labels); all != want {
			t.Errorf("[%s]: satisfied = %v, want %v", written, all, want)
		}
		if lacks := len(matching.Missing([]matching.Selector{s}, labels)) == 1; lacks == want {
			t.Errorf("%s: missing = %v beside satisfied = %v", written, lacks, want)
		}
	}
	if !matching.Satisfied(nil, nil) {
		t.Error("an item without selectors goes nowhere")
	}
	if (&matching.Selector{Key: "gpu", Operator: "like", Value: matching.Bool(true)}).Satisfied(labels) {
		t.Error("an unknown operator is satisfied")
	}
}

func TestExpiry(t *testing.T) {
	for _, test := range []struct {
		after, waited time.Duration
		want          bool
	}{
		{0, 0, false}, {0, 1000 * time.Hour, false}, {45 * time.Second, 0, false}, {45 * time.Second, -time.Hour, false},
		{45 * time.Second, 45*time.Second - 1, false}, {45 * time.Second, 45 * time.Second, true},
	} {
		s := matching.Selector{ExpiresAfter: test.after}
		if got := s.Expired(test.waited); got != test.want {
			t.Errorf("expires after %v, waited %v: expired = %v, want %v", test.after, test.waited, got, test.want)
		}
	}

	selectors := []matching.Selector{
		{Key: "Id", Operator: matching.Equal, Value: matching.Number(7), ExpiresAfter: 45 * time.Second, Expedite: true},
		{Key: "gpu", Operator: matching.Exists},
	}
	early, late := matching.Active(selectors, 44*time.Second), matching.Active(selectors, time.Minute)
	if len(early) != 2 || !matching.Expedites(early) {
		t.Errorf("after 44s: %v, want both, expedited", early)
	}
	if len(late) != 1 || late[0].Key != "gpu" || matching.Expedites(late) {
		t.Errorf("after 1m: %v, want gpu alone, not expedited", late)
	}
	if len(selectors) != 2 || selectors[0].Key != "Id" {
		t.Errorf("Active has changed its input: %v", selectors)
	}
}

func TestLack(t *testing.T) {
	selectors, err := matching.ParseSelectors(`["gpu = true", "ram >= 32", "site in [lisbon]", "vip exists", "disk > 1", "os = linux"]`)
	if err != nil {
		t.Fatal(err)
	}
	labels := matching.Labels{"ram": matching.Number(16), "site": matching.Text("porto"), "disk": matching.Text("big"), "os": matching.Text("linux")}
	missing := matching.Missing(selectors, labels)
	const want = "lacks gpu = true, has ram = 16 of >= 32, has site = porto where site in [lisbon] is wanted, lacks vip, has disk = big of > 1"
	if got := matching.MissingText(missing, labels); got != want {
		t.Errorf("Lack = %q, want %q", got, want)
	}
	if got := matching.MissingText(nil, labels); got != "" {
		t.Errorf("Lack of nothing = %q", got)
	}
}

func TestValidateSelectors(t *testing.T) {
	bad := []matching.Selector{
		{Key: "gpu", Operator: matching.Exists},
		{Key: "ram", Operator: matching.LessThan, Value: matching.Text("9")},
		{Key: "", Operator: "like"},
	}
	want := []string{
		`[1].value: got the text "9", want a number after <`,
		`[2].key: got the text "", want a text`,
		`[2].operator: got "like", want equal (=), notEqual (!=), lessThan (<), lessThanOrEqual (<=), greaterThan (>), greaterThanOrEqual (>=), in, exists`,
	}
	if diff := cmp.Diff(want, messages(t, matching.ValidateSelectors(bad))); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// What is read is written so that it is read again, in both forms, and nothing
// makes the reader panic.
func FuzzParseSelector(f *testing.F) {
	for _, s := range []string{
		"gpu = true", "ram>=1e3", `site in [a, "b, c", 3]`, "x exists", `a != "\n"`, "é.ç_1- < -0", "x in [,]", `x in ["]`,
		`{"key":"k","operator":"in","values":[1,"x",true],"expiresAfter":"1h","expedite":true}`, `x = a"b`, "x = a]", "x = [", "x = \u2028", "x=\x80",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, written string) {
		s, err := matching.ParseSelector(written)
		if err != nil {
			return
		}
		plain := s
		plain.ExpiresAfter, plain.Expedite = 0, false
		again, err := matching.ParseSelector(s.String())
		if diff := cmp.Diff(plain, again, values); err != nil || diff != "" {
			t.Errorf("%q is written %q and read: %v (-want +got):\n%s", written, s, err, diff)
		}
		list, err := matching.ParseSelectors(matching.SelectorsJSON([]matching.Selector{s}))
		if diff := cmp.Diff([]matching.Selector{s}, list, values); err != nil || diff != "" {
			t.Errorf("%q as JSON: %v (-want +got):\n%s", written, err, diff)
		}
	})
}

func BenchmarkParseSelectors(b *testing.B) {
	const written = `[{"key":"gpu","operator":"equal","value":true},{"key":"ram","operator":"greaterThanOrEqual","value":32}]`
	for b.Loop() {
		if _, err := matching.ParseSelectors(written); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSatisfied(b *testing.B) {
	selectors, err := matching.ParseSelectors(`["gpu = true", "ram >= 32"]`)
	if err != nil {
		b.Fatal(err)
	}
	worker := matching.Labels{"gpu": matching.Bool(true), "ram": matching.Number(64), "site": matching.Text("lisbon")}
	for b.Loop() {
		matching.Satisfied(selectors, worker)
	}
}
