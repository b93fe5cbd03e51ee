package workqueue_test

import (
	"strings"
	"testing"

	"botwork/workqueue"
)

const order = `{
	"customer": "Ada", "amount": 1500.5, "count": 3, "paid": false, "note": null, "type": "ünï",
	"address": {"city": "Faro", "zip-code": "8000"},
	"lines": [{"article": "bolt", "price": 0.1}, {"article": "nut"}],
	"id": 9007199254740993, "huge": 1e400, "long": 12345678901234567890, "tiny": -0, "in": 1, "null": 2, "order no": 3
}`

func TestPayloadFilter(t *testing.T) {
	for expression, want := range map[string]bool{
		`customer == "Ada"`: true, `customer == 'ada'`: false, `"Ada" == customer`: true,
		`customer != "Ada"`: false, `customer != 5`: true, `customer == 5`: false, `customer != null`: true,
		`amount > 1000`: true, `amount > 1500.5`: false, `amount >= 1500.5`: true, `amount < 1500.6`: true, `amount <= 1500`: false,
		`1000 < amount`: true, `1000 > amount`: false, `1000 < amount < 2000`: true, `1000 < amount < 1200`: false,
		`amount == "1500.5"`: false, `amount > "1"`: false, `customer > 1`: false, `customer < 1`: false,
		`count == 3.0`: true, `count == 3e0`: true, `count > -1`: true, `tiny == 0`: true, `tiny > -0.5`: true, `lines[0].price == 0.1`: true,
		`id == 9007199254740993`: true, `id == 9007199254740992`: false, `id > 9007199254740992.0`: true,
		`huge > 1e308`: true, `huge == 1e308`: false, `long > 9223372036854775807`: true, `long == 1.2345678901234567e19`: true,
		`paid == false`: true, `paid != true`: true, `paid == 0`: false, `paid == null`: false,
		`note == null`: true, `note != null`: false, `note == nil`: true, `missing == null`: true, `missing.deeper[3].x == null`: true,
		`missing != "x"`: true, `missing == "x"`: false, `missing < 1`: false, `missing contains ""`: false, `note == false`: false,
		`address.city == "Faro"`: true, `address["zip-code"] startsWith "80"`: true, `address[0] == null`: true, `address != null`: true, `address == "Faro"`: false,
		`lines[1].article == "nut"`: true, `lines[2].article == null`: true, `lines.article == null`: true, `lines["0"] == null`: true, `customer[0] == null`: true,
		`customer > "AdA"`: true, `customer < "B"`: true, `customer < "a"`: true, `type > "z"`: true, `type == "ünï"`: true,
		`customer contains "d"`: true, `customer contains "D"`: false, `customer not contains "D"`: true, `amount contains "1"`: false, `lines contains "bolt"`: false,
		`customer startsWith "Ad"`: true, `customer startsWith "da"`: false,
		`customer in ["Bo", "Ada"]`: true, `customer in []`: false, `customer not in ["Bo"]`: true, `count in [1, 3.0]`: true, `count in ["3"]`: false,
		`note in [null]`: true, `paid in [false, -1]`: true,
		`amount > 1000 and customer == "Ada"`: true, `amount > 2000 or customer == "Ada"`: true, `amount > 2000 || paid == false && count == 4`: false,
		`not (amount > 1000)`: false, `!(amount > 2000)`: true, `not (missing == "x")`: true,
		`not (customer == "Bo") and (count == 1 or count == 3)`: true,
		`$.customer == "Ada"`: true, `$["order no"] == 3`: true, `$.in == 1`: true, `$.null == 2`: true, `$ == null`: false, `$[0] == null`: true,
	} {
		filter, err := workqueue.ParsePayloadFilter(" " + expression + "\n")
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got, err := filter.Matches(order); err != nil || got != want {
			t.Errorf("%s: matches %t, error %v, want %t", expression, got, err, want)
		}
		if filter.String() != expression {
			t.Errorf("%s: String() = %s", expression, filter)
		}
	}
}

func TestPayloadFilterOfOtherPayloads(t *testing.T) {
	for _, c := range []struct {
		expression string
		payload    workqueue.JSONText
		want       bool
	}{
		{`customer == null`, "", true}, {`customer != "Ada"`, "", true}, {`customer == "Ada"`, "", false},
		{`$ == null`, "null", true}, {`$ == 5`, "5", true}, {`$[1] == "b"`, `["a","b"]`, true}, {`customer == null`, `"Ada"`, true},
		{`a == 2`, `{"a":1,"a":2}`, true}, {`A == null`, `{"a":1}`, true}, {`a == "\u00e9"`, `{"a":"\u00e9"}`, true}, {`a == 1`, " {\"a\":1}\n", true},
	} {
		filter, err := workqueue.ParsePayloadFilter(c.expression)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := filter.Matches(c.payload); err != nil || got != c.want {
			t.Errorf("%s of %q: matches %t, error %v, want %t", c.expression, c.payload, got, err, c.want)
		}
	}
	filter, err := workqueue.ParsePayloadFilter(`a != "x"`)
	if err != nil {
		t.Fatal(err)
	}
	for _, payload := range []workqueue.JSONText{"{", "{} {}", "x", `{"a":1}]`, workqueue.EncryptedText, " "} {
		if got, err := filter.Matches(payload); err == nil || got {
			t.Errorf("the payload %q matches %t, error %v, want an error", payload, got, err)
		}
	}
}

func TestPayloadFilterRefusals(t *testing.T) {
	const allowed = "; allowed are ==, !=, <, <=, >, >=, contains, startsWith, in, and, or, not"
	for expression, want := range map[string]string{
		``:                                    "got an empty expression",
		`  `:                                  "got an empty expression",
		`customer`:                            "got a value at column 1, want a comparison such as amount > 1000",
		`not customer`:                        "got a value at column 5, want a comparison",
		`amount > 1 and customer`:             "got a value at column 16, want a comparison",
		`not amount > 5`:                      "got not before a value at column 1; put the comparison in parentheses",
		`a and len(lines) > 1`:                "got a value at column 1",
		`a>1 or len(lines) > 1`:               "unknown function len at column 8" + allowed,
		`foo(a) == 1`:                         "unknown function foo at column 1" + allowed,
		`customer.trim() == "Ada"`:            "unknown function customer.trim at column 1" + allowed,
		`any(lines, .price > 1)`:              "unknown function any at column 1" + allowed,
		`customer | lower() == "a"`:           "unknown function lower at column 12" + allowed,
		`amount + 1 > 5`:                      "unknown operator + at column 8" + allowed,
		`amount > count * 2`:                  "unknown operator * at column 16" + allowed,
		`customer matches "A.*"`:              "unknown operator matches at column 10" + allowed,
		`customer endsWith "a"`:               "unknown operator endsWith at column 10" + allowed,
		`a ?? b`:                              "unknown operator ?? at column 3" + allowed,
		`a ? b : c`:                           "unknown operator ?: after the condition at column 1" + allowed,
		`let x = 1; x == 1`:                   "unknown operator let at column 5" + allowed,
		`a == 1; b == 2`:                      "unknown operator ; at column 3" + allowed,
		`a?.b == 1`:                           "unknown operator ?. at column 4" + allowed,
		`a[1:2] == 1`:                         "unknown operator [:] at column 2" + allowed,
		`amount = 1`:                          "unknown operator = at column 8; did you mean ==?",
		`amount >`:                            "unexpected end at column 8",
		`(amount > 1`:                         "unexpected end at column 11",
		`amount > 1)`:                         `at column 11`,
		"amount > 1 and\n  foo(1) == 2":       "unknown function foo at line 2, column 3",
		`customer == name`:                    "want a literal at column 13: a number, a text in quotes, true, false or null",
		`customer == [1]`:                     "want a literal at column 13",
		`customer == {"a": 1}`:                "want a literal at column 13",
		`customer == -"x"`:                    "want a literal at column 13",
		`1 == 2`:                              "got a literal at column 1, want a path",
		`null == null`:                        "got a literal at column 1, want a path",
		`"a" in names`:                        "got a literal at column 1, want a path",
		`customer in names`:                   "in: want a list of literals at column 13",
		`customer in [name]`:                  "want a literal at column 14",
		`lines[-1].price == 1`:                "unknown index at column 7",
		`lines[i].price == 1`:                 "unknown index at column 7",
		`lines[0.5] == 1`:                     "unknown index at column 7",
		`customer contains 1`:                 "contains: want a text in quotes at column 19",
		`amount > true`:                       ">: want a number or a text in quotes at column 10",
		`amount <= null`:                      "<=: want a number or a text in quotes at column 11",
		`amount == 99999999999999999999`:      "invalid integer literal",
		`[1] == a`:                            "want a path such as address.city at column 1",
		`(a == 1) == true`:                    "want a path such as address.city at column 2",
		`a == 1 == true`:                      "want a path such as address.city at column 1",
		`a == "` + strings.Repeat("x", 4000):  "the expression has 4006 bytes, want at most 4000",
		strings.Repeat("(", 4000):             "unexpected end at column 4000",
		strings.Repeat("!", 3990) + "a":       "got a value at column 3991",
		strings.Repeat("a or ", 700) + "foo(": "unexpected end",
	} {
		filter, err := workqueue.ParsePayloadFilter(expression)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, error %v, want %s", expression, filter, err, want)
		} else if strings.Contains(err.Error(), " | ") {
			t.Errorf("%.60s: the error has several lines: %v", expression, err)
		}
	}
}
