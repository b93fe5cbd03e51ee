package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestBuildKeepsDefaultsAndFillsTheRest(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h, err := sampleKind().Build(map[string]any{
		"url": "x", "timeout": "5s", "password": "p", "codes": []any{7, 8.0}, "modes": "a",
		"headers": map[string]any{"A": "b"}, "body": []any{1, nil}, "rows": []map[string]any{{"a": 1}},
		"retry": map[string]any{"attempts": int64(3)}, "steps": []any{map[string]any{"attempts": 1, "factor": 1}},
		"flag": true, "at": "2026-01-02T03:04:05Z", "limit": 100, "small": -128, "count": uint8(4), "method": nil,
	})
	want := &sample{
		sampleCommon: sampleCommon{Timeout: Duration(5 * time.Second)},
		URL:          "x", Method: "GET", Password: "p", Codes: []int{7, 8}, Modes: []string{"a"},
		Headers: map[string]string{"A": "b"}, Body: []any{1, nil}, Rows: []map[string]any{{"a": 1}},
		Retry: sampleRetry{Attempts: 3, Factor: 2}, Steps: []sampleRetry{{Attempts: 1, Factor: 1}},
		Flag: true, At: at, Limit: 100, Small: -128, Count: 4,
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, h, cmpopts.IgnoreUnexported(sample{})); diff != "" {
		t.Error(diff)
	}
}

func TestBuildAcceptsValuesOfExpressions(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h, err := sampleKind().Build(map[string]any{
		"url": "x", "timeout": 5 * time.Minute, "codes": []int{7}, "headers": map[string]string{"A": "b"}, "at": at,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := h.(*sample)
	if got.Timeout != Duration(5*time.Minute) || !cmp.Equal(got.Codes, []int{7}) || got.Headers["A"] != "b" || !got.At.Equal(at) {
		t.Errorf("got %+v", got)
	}
}

func TestBuildReportsEachMistake(t *testing.T) {
	for _, c := range []struct {
		name  string
		key   string
		value any
		want  ParamError
	}{
		{"unknown with suggestion", "metod", "GET", ParamError{Code: UnknownParameter, Message: `unknown parameter "metod"`, Hint: `did you mean "method"?`}},
		{"other case", "Method", "GET", ParamError{Code: UnknownParameter, Message: `unknown parameter "Method"`, Hint: `did you mean "method"?`}},
		{"embedded struct is no parameter", "sampleCommon", 1, ParamError{Code: UnknownParameter, Message: `unknown parameter "sampleCommon"`}},
		{"number for text", "method", 5, ParamError{Code: WrongType, Message: "got the number 5, want a string", Hint: "put it in quotes, or use string(…) in an expression"}},
		{"text for number", "small", "5", ParamError{Code: WrongType, Message: `got the text "5", want a whole number`}},
		{"fraction", "small", 1.5, ParamError{Code: WrongType, Message: "got the number 1.5, want a whole number"}},
		{"infinite", "small", math.Inf(1), ParamError{Code: WrongType, Message: "got the number +Inf, want a whole number"}},
		{"too big", "small", 128, ParamError{Code: WrongValue, Message: "the number 128 is out of range"}},
		{"too big by far", "small", 1e300, ParamError{Code: WrongValue, Message: "the number 1e+300 is out of range"}},
		{"more than 64 bits", "small", json.Number("123456789012345678901234567890"), ParamError{Code: WrongValue, Message: "the number 123456789012345678901234567890 is out of range"}},
		{"a long number for text", "method", json.Number("123456789012345678901234567890"), ParamError{Code: WrongType, Message: "got the number 123456789012345678901234567890, want a string", Hint: "put it in quotes, or use string(…) in an expression"}},
		{"negative count", "count", -1, ParamError{Code: WrongValue, Message: "the number -1 is out of range"}},
		{"text for bool", "flag", "yes", ParamError{Code: WrongType, Message: `got the text "yes", want true or false`}},
		{"enum", "method", "GTE", ParamError{Code: WrongValue, Message: `got "GTE", want one of GET, POST`, Hint: `did you mean "GET"?`}},
		{"enum in list", "modes.1", []any{"a", "c"}, ParamError{Code: WrongValue, Message: `got "c", want one of a, b`}},
		{"bare duration", "timeout", 90, ParamError{Code: WrongValue, Message: `duration "90": want a number with a unit, such as 90s, 15m, 2h or 7d`}},
		{"true for duration", "timeout", true, ParamError{Code: WrongType, Message: "got the value true, want a duration"}},
		{"list for duration", "timeout", []any{}, ParamError{Code: WrongType, Message: "got a list, want a duration"}},
		{"secret is not shown", "password", 1234, ParamError{Code: WrongType, Message: "got the number, want a string", Hint: "put it in quotes, or use string(…) in an expression"}},
		{"map for list", "codes", map[string]any{}, ParamError{Code: WrongType, Message: "got a map, want a list of whole number"}},
		{"element", "codes.1", []any{1, "x"}, ParamError{Code: WrongType, Message: `got the text "x", want a whole number`}},
		{"null element", "modes.0", []any{nil}, ParamError{Code: WrongType, Message: "got nothing, want a string"}},
		{"scalar for list of maps", "rows", 1, ParamError{Code: WrongType, Message: "got the number 1, want a list of map of any"}},
		{"value in a map", "headers.A", map[string]any{"A": true}, ParamError{Code: WrongType, Message: "got the value true, want a string", Hint: "put it in quotes, or use string(…) in an expression"}},
		{"list for map", "headers", []any{}, ParamError{Code: WrongType, Message: "got a list, want a map of string"}},
		{"text for object", "retry", "x", ParamError{Code: WrongType, Message: `got the text "x", want a map of parameters`}},
		{"missing in object", "retry.attempts", map[string]any{}, ParamError{Code: MissingParameter, Message: `the parameter "attempts" is required: tries in all`}},
		{"unknown in list of objects", "steps.0.atempts", []any{map[string]any{"attempts": 1, "atempts": 1}}, ParamError{Code: UnknownParameter, Message: `unknown parameter "atempts"`, Hint: `did you mean "attempts"?`}},
		{"time", "at", "yesterday", ParamError{Code: WrongValue, Message: `got the text "yesterday", want a time such as 2026-01-31T13:45:00Z`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := strings.Split(c.key, ".")
			c.want.Path = path
			h, err := sampleKind().Build(map[string]any{"url": "x", path[0]: c.value})
			var wrong *ParamErrors
			if !errors.As(err, &wrong) || h != nil {
				t.Fatalf("Build = %v, %v, want ParamErrors", h, err)
			}
			skip := []string{"Known", "Suggestion", "Certain", "ExpectedText"} // what the checker makes edits of
			if c.want.Hint == "" {
				skip = append(skip, "Hint")
			}
			if c.want.Message == "" {
				skip = append(skip, "Message")
			}
			ignore := cmpopts.IgnoreFields(ParamError{}, skip...)
			if diff := cmp.Diff([]ParamError{c.want}, wrong.List, ignore); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBuildReportsAllMistakesAtOnce(t *testing.T) {
	_, err := sampleKind().Build(map[string]any{"metod": "GET", "small": "x", "retry": map[string]any{"factor": true}})
	want := `url: the parameter "url" is required: address
retry.attempts: the parameter "attempts" is required: tries in all
retry.factor: got the value true, want a number
small: got the text "x", want a whole number
metod: unknown parameter "metod"; did you mean "method"?`
	if err == nil || err.Error() != want {
		t.Errorf("err =\n%v\nwant\n%s", err, want)
	}
}

func TestBuildCallsValidateLast(t *testing.T) {
	kind := Kind{Name: "V", New: func() Handler {
		return &sample{wrong: errors.Join(WrongParam("retry.factor", "is odd"), errors.New("method and url disagree"))}
	}}
	_, err := kind.Build(map[string]any{"url": "x"})
	want := &ParamErrors{List: []ParamError{
		{Path: []string{"retry", "factor"}, Code: WrongValue, Message: "is odd"},
		{Code: WrongValue, Message: "method and url disagree"},
	}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Error(diff)
	}
	if _, err := kind.Build(nil); err == nil || strings.Contains(err.Error(), "odd") {
		t.Errorf("err = %v, want only the missing url", err)
	}
}

func TestCheckLiteral(t *testing.T) {
	kind := Kind{Name: "V", New: func() Handler { return &sample{wrong: errors.New("validated")} }}
	dynamic := func(paths ...string) func([]string) bool {
		return func(path []string) bool {
			for _, p := range paths {
				if p == strings.Join(path, ".") {
					return true
				}
			}
			return false
		}
	}
	for _, c := range []struct {
		name    string
		with    map[string]any
		dynamic []string
		want    string
	}{
		{"a dynamic value counts as given", map[string]any{"url": "${{ x }}"}, []string{"url"}, ""},
		{"its type is not looked at", map[string]any{"url": "u", "small": "${{ x }}"}, []string{"small"}, ""},
		{"inside lists and maps", map[string]any{"url": "u", "codes": []any{"${{ x }}", "bad"}, "headers": map[string]any{"A": "${{ x }}"}}, []string{"codes.0", "headers.A"}, `codes.1: got the text "bad", want a whole number`},
		{"other mistakes still show", map[string]any{"url": "${{ x }}", "metod": 1}, []string{"url"}, `metod: unknown parameter "metod"; did you mean "method"?`},
		{"without dynamic values it validates", map[string]any{"url": "u"}, nil, "validated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := (&ParamErrors{List: kind.CheckLiteral(c.with, dynamic(c.dynamic...))}).Error()
			if got != c.want {
				t.Errorf("CheckLiteral = %q, want %q", got, c.want)
			}
		})
	}
}

type handlerFunc func(context.Context, *Call) (any, error)

func (f handlerFunc) Handle(ctx context.Context, call *Call) (any, error) { return f(ctx, call) }

func TestBuildWithoutStruct(t *testing.T) {
	kind := Kind{Name: "Func", New: func() Handler { return handlerFunc(nil) }}
	if _, err := kind.Build(nil); err != nil {
		t.Error(err)
	}
	if _, err := kind.Build(map[string]any{"a": 1}); err == nil || err.Error() != "handler Func takes no parameters" {
		t.Errorf("err = %v", err)
	}
	if got := kind.Fields(); got != nil {
		t.Errorf("Fields = %v, want none", got)
	}
}

func TestBuildShowsNoPartOfALongText(t *testing.T) {
	token := strings.Repeat("hunter22", 8)
	_, err := sampleKind().Build(map[string]any{"url": "x", "small": token})
	if err == nil || strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), "a text of 64 characters") {
		t.Errorf("err = %v, want it to name the length alone", err)
	}
}
