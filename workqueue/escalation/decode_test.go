package escalation_test

import (
	"strings"
	"testing"

	"botwork/workqueue/escalation"
)

func TestParseKeepsTheText(t *testing.T) {
	for _, text := range []string{
		``,
		`[{"name":"late","after":"10m","raise":{"by":100,"to":1500,"every":"10m"}}]`,
		`[{"name":"now","when":"oldest > 30m","raise":{"to":1200}}]`,
		`[{"name":"a","after":"0s","moveTo":"b","keep":7},{"name":"b","after":"1h","relax":["*"]},{"name":"c","after":"2h","relax":["gpu","ram"]}]`,
		`[{"name":"full","when":"length > 500","cancel":true,"keep":500},{"name":"tell","when":"running == 0 and length > 0","notify":true}]`,
	} {
		rules, err := escalation.Parse(text)
		if err != nil {
			t.Errorf("Parse(%s): %v", text, err)
		}
		if got := escalation.JSON(rules); got != text {
			t.Errorf("JSON = %s, want %s", got, text)
		}
	}
}

func TestParseReportsEveryFault(t *testing.T) {
	for text, want := range map[string][]string{
		`{`:       {"not JSON"},
		`{"a":1}`: {"got a mapping, want a list of rules"},
		`["a"]`:   {`[0]: got "a", want a rule such as`},
		`[{}]`:    {`[0]: the key "name" is missing`},
		`[{"name":"two words","after":"x","raise":{"by":0,"too":1}}]`: {
			`[0].name: got "two words", want 1 to 100`, `[0].after: got "x", want a duration`, `[0].raise.by: got 0, want a whole number from 1`,
			`[0].raise.too: unknown key "too"; valid keys: by, to, every`,
		},
		`[{"name":"a","raise":{"by":1}}]`:                                                   {"[0]: got no trigger, want after, when, or both"},
		`[{"name":"a","after":"1m"}]`:                                                       {"[0]: got no action"},
		`[{"name":"a","after":"1m","cancel":false}]`:                                        {"[0]: got no action"},
		`[{"name":"a","after":"1m","cancel":true,"notify":true}]`:                           {"got the actions cancel and notify, want one"},
		`[{"name":"a","when":"length > 5","moveTo":"b"}]`:                                   {"moveTo would take all waiting items, want after, or keep"},
		`[{"name":"a","when":"length > 5","raise":{"by":1},"keep":1}]`:                      {"[0].keep: the action raise changes all items"},
		`[{"name":"a","after":"1m","raise":{}}]`:                                            {"[0].raise: got neither by nor to"},
		`[{"name":"a","after":"1m","raise":{"to":5,"every":"1m"}}]`:                         {"got every without by"},
		`[{"name":"a","after":"1m","raise":{"by":5,"every":"1m"}}]`:                         {"got every without to"},
		`[{"name":"a","after":"1m","raise":{"by":5,"to":9,"every":"1ms"}}]`:                 {"[0].raise.every: got 1ms, want 1s to 68 years"},
		`[{"name":"a","after":600,"cancel":true}]`:                                          {"[0].after: got 600, want a duration"},
		`[{"name":"a","after":"-1m","cancel":true}]`:                                        {"[0].after: got -1m, want 0s to 68 years"},
		`[{"name":"a","after":"1m","relax":[]}]`:                                            {"[0].relax: got an empty list, want a list of the keys"},
		`[{"name":"a","after":"1m","relax":[7]}]`:                                           {"[0].relax[0]: got 7, want the key of a selector"},
		`[{"name":"a","after":"1m","cancel":"yes"}]`:                                        {`[0].cancel: got "yes", want true or false`},
		`[{"name":"a","after":"1m","raise":{"by":1.5}}]`:                                    {"[0].raise.by: got 1.5, want a whole number"},
		`[{"name":"a","after":"1m","raise":{"by":"5"}}]`:                                    {`[0].raise.by: got "5", want a whole number`},
		`[{"name":"a","after":"1m","notify":true},{"name":"A","after":"1m","cancel":true}]`: {`[1].name: got "A", which is the name of rule 1`},
		`[{"name":"a","when":"length","cancel":true,"keep":0}]`:                             {`[0].when: got "length", which is not true or false`},
		`[{"name":"a","when":"size > 5","notify":true}]`:                                    {"unknown name size; valid names: length, oldest, assigned, running"},
		`[{"name":"a","when":"oldest > 30","notify":true}]`:                                 {"invalid operation"},
		`[{"name":"a","when":"oldest > 30x","notify":true}]`:                                {`got "30x", want a number, or a duration`},
	} {
		_, err := escalation.Parse(text)
		if err == nil {
			t.Errorf("Parse(%s) returns no error", text)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("Parse(%s): %v\nwant %s", text, err, part)
			}
		}
	}
}
