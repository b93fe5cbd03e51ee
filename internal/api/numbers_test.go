package api_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue/access"
)

func TestQuoteInexact(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":9007199254740991,"n":-9007199254740991}`:                                      "",
		`{"id":9007199254740992}`:                                                            `{"id":"9007199254740992"}`,
		`[9007199254740993,-9223372036854775808]`:                                            `["9007199254740993","-9223372036854775808"]`,
		`[12345678901234567890, 1]`:                                                          `["12345678901234567890", 1]`,
		`9007199254740993`:                                                                   `"9007199254740993"`,
		`[0.1,1.50,1e3,-0,-0.0,0,0e5,1E+2,5e-324]`:                                           "",
		`[0.1234567890123456789,1e400,-1e400,1e-400]`:                                        `["0.1234567890123456789","1e400","-1e400","1e-400"]`,
		`[1e99999999999999999999,0e99999999999999999999]`:                                    `["1e99999999999999999999","0e99999999999999999999"]`,
		`{"9007199254740993":"9007199254740993 \" 9007199254740993","b\\":9007199254740993}`: `{"9007199254740993":"9007199254740993 \" 9007199254740993","b\\":"9007199254740993"}`,
		`["\\","\\\"",true,null,{}]`:                                                         "",
		`""`:                                                                                 "",
	} {
		if want == "" {
			want = text
		}
		got := string(api.QuoteInexact([]byte(text)))
		if got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// What a client that reads numbers as floating-point numbers reads is what was written.
func FuzzQuoteInexact(f *testing.F) {
	for _, seed := range []string{`[9007199254740993, 1.5e3, "a\"1"]`, `{"a":0.30000000000000004,"b":[1e22,1e23,123456789012345678901234567890]}`, `-0.0`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		quoted := api.QuoteInexact([]byte(text))
		var read any
		if err := json.Unmarshal(quoted, &read); err != nil {
			t.Fatalf("%s became %s: %v", text, quoted, err)
		}
		if again := api.QuoteInexact(quoted); !bytes.Equal(again, quoted) {
			t.Errorf("%s became %s, then %s", text, quoted, again)
		}
	})
}

// Answers have strings for numbers that a browser would lose, if the client asks for them.
func TestNumbersAsStrings(t *testing.T) {
	s := apitest.Start(t, nil)
	const payload = `{"account": 12345678901234567890, "rate": 0.1, "text": "9007199254740993", "list": [9007199254740993, 7]}`
	id := create(t, s, `{"pipeline": "p", "priority": 900, "payload": `+payload+`}`)
	get := func(path, accept string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "GET", Path: path, Token: s.Token(t, access.Viewer), Header: map[string]string{"Accept": accept}})
	}
	const exact = "application/vnd.botwork.strings+json"
	for _, path := range []string{"/items/" + itoa(id), "/items", "/version", "/queues", "/tokens"} {
		plain := get(path, "application/json")
		a := get(path, exact)
		if plain.Status != 200 { // problems have one form
			if !bytes.HasPrefix([]byte(a.Header.Get("Content-Type")), []byte("application/problem+json")) {
				t.Errorf("%s: a problem is %s", path, a.Header.Get("Content-Type"))
			}
			continue
		}
		if got := a.Want(t, 200).Header.Get("Content-Type"); got != exact {
			t.Errorf("%s: got the type %s", path, got)
		}
		if path == "/version" {
			continue // it has the time
		}
		if want := api.QuoteInexact(plain.Body); !bytes.Equal(a.Body, want) {
			t.Errorf("%s: got %s, want %s", path, a.Body, want)
		}
	}
	text := string(get("/items/"+itoa(id), exact).Body)
	for _, want := range []string{`"account":"12345678901234567890"`, `"rate":0.1`, `"text":"9007199254740993"`, `["9007199254740993",7]`, `"priority":900`} {
		if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(text, ": ", ":"), ", ", ","), want) {
			t.Errorf("the item lacks %s: %s", want, text)
		}
	}
	for _, accept := range []string{"", "*/*", "application/json", "application/*", "text/html,application/json;q=0.9,*/*;q=0.8"} {
		if a := get("/items/"+itoa(id), accept); a.Header.Get("Content-Type") != "application/json" || !bytes.Contains(a.Body, []byte("12345678901234567890,")) {
			t.Errorf("Accept %q: got %s %s", accept, a.Header.Get("Content-Type"), a.Body)
		}
	}
}
