package bounded

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// filled returns the result of a template.
func filled(t *testing.T, text string, data any) (string, error) {
	t.Helper()
	made, err := ParseTemplate(text, noFunctions)
	if err != nil {
		t.Fatal(err)
	}
	var b Budget
	b.Start(t.Context())
	var out strings.Builder
	err = made.Execute(&b, &out, data)
	return out.String(), err
}

const large = "123456789012345678901234567890"

var numbers = map[string]any{
	"whole": 100, "half": 100.5, "round": 100.0, "long": 1234567.89, "tiny": 1e-7, "huge": 1e22, "exact": 9007199254740993, "large": json.Number(large),
	"beyond": json.Number("1e999"), "list": []any{1e7, "x", json.Number(large)}, "map": map[string]any{"n": 12345678.5}, "floats": []float64{1e7},
	"text": "50%!d(int=1)", "none": nil, "yes": true, "wait": 90 * time.Second, "at": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	"digits": json.Number(strings.Repeat("9", 2000)),
}

func TestNumbersOfTemplates(t *testing.T) {
	for text, want := range map[string]string{
		`{{.whole}} {{.half}} {{.round}} {{.long}} {{.tiny}} {{.huge}}`:                             "100 100.5 100 1234567.89 0.0000001 10000000000000000000000",
		`{{.exact}} {{.large}} {{.beyond}}`:                                                         "9007199254740993 " + large + " 1e999",
		`{{.list}} {{.map}} {{.floats}}`:                                                            "[10000000 x " + large + "] map[n:12345678.5] [10000000]",
		`{{print .long .large}} {{println .whole}}`:                                                 "1234567.89 " + large + " 100\n",
		`{{html .long}} {{js .long}} {{urlquery .long}}`:                                            "1234567.89 1234567.89 1234567.89",
		`{{$x := .long}}{{$x}} {{.long | print}} {{len .list}}`:                                     "1234567.89 1234567.89 3",
		`{{.none}} {{.yes}} {{.wait}} {{.at}}`:                                                      "<no value> true 1m30s 2026-01-02 03:04:05 +0000 UTC",
		`{{printf "%.2f %.2f %.2f" .whole .half .round}}`:                                           "100.00 100.50 100.00",
		`{{printf "%d %d %d" .whole .round .exact}}`:                                                "100 100 9007199254740993",
		`{{printf "%d|%f|%.1f" .large .large .exact}}`:                                              large + "|" + large + ".000000|9007199254740993.0",
		`{{printf "%v %s %v %s" .whole .half .long .large}}`:                                        "100 100.5 1234567.89 " + large,
		`{{printf "%x %X %08.3f|%6d|%-6v|%+d|%06v" .whole .round .half .whole .half .whole .half}}`: "64 64 0100.500|   100|100.5 |+100|0100.5",
		`{{printf "%+v|% v|%8v|%x" .half .half .half .large}}`:                                      "+100.5| 100.5|   100.5|18ee90ff6c373e0ee4e3f0ad2",
		`{{printf "%v %.3v %e" .list .half .whole}}`:                                                "[10000000 x " + large + "] 100 1.000000e+02",
		`{{printf "%*d|%-*.*f|" 5 .whole 8 2 .whole}}`:                                              "  100|100.00  |",
		`{{printf "%[2]*[1]d" 7 5}} {{printf "%[1]v %[1]q" "a"}}`:                                   `    7 a "a"`,
		`{{printf "%s %q %v %t" .text .text .text .yes}}`:                                           `50%!d(int=1) "50%!d(int=1)" 50%!d(int=1) true`,
		`100%!d(int=1) {{.text}} {{printf "100%%!d(int=1) %d" .whole}}`:                             "100%!d(int=1) 50%!d(int=1) 100%!d(int=1) 100",
		`{{printf "%v %s" .wait .at}}`:                                                              "1m30s 2026-01-02 03:04:05 +0000 UTC",
		`{{printf "%s" .digits}}`:                                                                   strings.Repeat("9", 2000),
	} {
		if got, err := filled(t, text, numbers); got != want || err != nil {
			t.Errorf("%s\n= %q, %v\nwant %q", text, got, err, want)
		}
	}
}

func TestMarksOfPrintfAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{{printf "%d" .half}}`:          "printf: %d does not suit the number 100.5; %.0f rounds it to a whole number",
		`{{printf "%d" .text}}`:          "printf: %d does not suit text; use %v",
		`{{printf "%.2f" "100"}}`:        "printf: %.2f does not suit text",
		`{{printf "%t" .whole}}`:         "printf: %t does not suit the number 100; use %d, %.2f or %v",
		`{{printf "%s" .none}}`:          "does not suit nothing",
		`{{printf "%d" .list}}`:          "does not suit a list",
		`{{printf "%f" .beyond}}`:        "does not suit the number 1e999",
		`{{printf "%d" .digits}}`:        "does not suit a number of 2000 characters",
		`{{printf "%y" .whole}}`:         "%y does not suit",
		`{{printf "%!" .whole}}`:         "%! does not suit",
		`{{printf "%d"}}`:                "names more arguments than there are (0)",
		`{{printf "%[3]d" .whole}}`:      "names more arguments than there are (1)",
		`{{printf "%d" .whole .half}}`:   "has fewer verbs than there are arguments (2)",
		`{{printf "100%"}}`:              "write %% for a percent sign",
		`{{printf "%*d" .half .whole}}`:  "is no whole number",
		`{{printf "%T" .whole}}`:         "%T shows how Go stores a value",
		`{{printf "%-5T %v" .whole 1}}`:  "%T shows how Go stores a value",
		`{{printf "100%%! %d" .text}}`:   "%d does not suit text",
		`{{printf "%!d(int=1)" .whole}}`: "%! does not suit",
	} {
		if got, err := filled(t, text, numbers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s = %q, %v, want an error with %q", text, got, err, want)
		}
	}
}
