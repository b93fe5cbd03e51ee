package hooks_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"botwork/internal/api/hooks"
)

const form = "application/x-www-form-urlencoded"

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		texts  hooks.Expressions
		body   string
		header map[string]string

		payload, key, outcome, fault string
	}{
		{name: "the body", body: `{"a": 12345678901234567890}`, payload: `{"a": 12345678901234567890}`},
		{
			name: "an expression", texts: hooks.Expressions{Payload: `{"id": body.id, "event": headers["x-event"], "q": query.q}`},
			body: `{"id": 9007199254740993}`, payload: `{"event":"push","id":9007199254740993,"q":"1"}`,
		},
		{name: "no secret", texts: hooks.Expressions{Payload: `{"a": headers["authorization"], "b": headers["x-hub-signature-256"]}`}, body: `{}`, payload: `{"a":"","b":""}`},
		{name: "no JSON", body: `{`, fault: "not JSON"},
		{name: "two values", body: `{} {}`, fault: "more than one"},
		{name: "a bracket too many", body: `{} ]`, fault: "more than one"},
		{name: "a failing expression", texts: hooks.Expressions{Payload: `body.a.b`}, body: `{"a": 1}`, fault: "the expression for the payload failed"},
		{name: "too much", texts: hooks.Expressions{Payload: `map(1..1000000, {[#, #, #]})`}, body: `{}`, fault: "the expression for the payload failed"},

		{name: "a key in a header", texts: hooks.Expressions{Key: "X-Key"}, body: `{}`, header: map[string]string{"X-Key": "4711"}, payload: `{}`, key: "4711"},
		{name: "no key in the header", texts: hooks.Expressions{Key: "X-Key"}, body: `{}`, fault: "the header X-Key is missing"},
		{name: "a key in the body", texts: hooks.Expressions{Key: "body.id"}, body: `{"id": "4711"}`, payload: `{"id": "4711"}`, key: "4711"},
		{name: "a number as the key", texts: hooks.Expressions{Key: "body.id"}, body: `{"id": 9007199254740993}`, payload: `{"id": 9007199254740993}`, key: "9007199254740993"},
		{name: "no key in the body", texts: hooks.Expressions{Key: "body.id"}, body: `{}`, fault: "the expression for the key: got"},
		{name: "an empty key in the body", texts: hooks.Expressions{Key: "body.id"}, body: `{"id": ""}`, fault: "the expression for the key: got"},
		{name: "a failing key", texts: hooks.Expressions{Key: "body.a.b"}, body: `{"a": 1}`, fault: "the expression for the key failed"},

		{name: "a true condition", texts: hooks.Expressions{When: `body.action == "opened"`}, body: `{"action": "opened"}`, payload: `{"action": "opened"}`},
		{name: "a false condition", texts: hooks.Expressions{When: `body.action == "opened"`, Key: "X-Key"}, body: `{"action": "closed"}`, outcome: hooks.Skipped},
		{name: "a condition over what is missing", texts: hooks.Expressions{When: `body.action == "opened"`}, body: `{}`, outcome: hooks.Skipped},
		{name: "a failing condition", texts: hooks.Expressions{When: `body.a.b == 1`}, body: `{"a": 1}`, fault: "the expression of when failed"},
		{name: "no condition", texts: hooks.Expressions{When: `body.a`}, body: `{"a": 1}`, fault: "the expression of when"},

		{name: "GitHub's ping", texts: hooks.Expressions{When: "false", Key: "X-Key"}, body: `{"zen": "x"}`, header: map[string]string{"X-GitHub-Event": "ping"}, outcome: hooks.Ping},
		{name: "GitHub's ping as a form", body: `payload=%7B%7D`, header: map[string]string{"X-GitHub-Event": "ping", "Content-Type": form}, outcome: hooks.Ping},

		{name: "a mark before the JSON", body: "\ufeff{\"a\": 1}", payload: `{"a": 1}`},
		{name: "a mark, and an expression", texts: hooks.Expressions{Payload: "body.a"}, body: "\ufeff{\"a\": 1}", payload: `1`},
		{name: "two marks", body: "\ufeff\ufeff{}", fault: "not JSON"},

		{name: "a form", body: `order=4711&city=S%C3%A3o+Paulo&tag=a&tag=b&empty=`, header: map[string]string{"Content-Type": form + "; charset=utf-8"}, payload: `{"city":"São Paulo","empty":"","order":"4711","tag":["a","b"]}`},
		{name: "a form, and an expression", texts: hooks.Expressions{Payload: `{"order": int(body.order)}`, Key: "body.order"}, body: `order=4711`, header: map[string]string{"Content-Type": form}, payload: `{"order":4711}`, key: "4711"},
		{name: "GitHub's form", body: `payload=%7B%22id%22%3A+9007199254740993%7D`, header: map[string]string{"Content-Type": form}, payload: `{"id": 9007199254740993}`},
		{name: "a mark in GitHub's form", body: `payload=%EF%BB%BF%7B%7D`, header: map[string]string{"Content-Type": form}, payload: `{}`},
		{name: "a field payload among others", body: `payload=x&id=1`, header: map[string]string{"Content-Type": form}, payload: `{"id":"1","payload":"x"}`},
		{name: "a payload without JSON", body: `payload=x`, header: map[string]string{"Content-Type": form}, fault: "the field payload of the form is not JSON"},
		{name: "JSON that is called a form", body: `{"a": 1}`, header: map[string]string{"Content-Type": form}, payload: `{"a": 1}`},
		{name: "a form that is called nothing", body: `a=1`, fault: "not JSON"},
		{name: "no form", body: `a=%zz`, header: map[string]string{"Content-Type": form}, fault: "not a form"},
		{name: "a form that is not UTF-8", body: `a=%ff`, header: map[string]string{"Content-Type": form}, fault: "not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := hooks.New(hooks.Hook{Name: "shop", Form: hooks.GitHub, Queue: "orders", Pipeline: "ship", Priority: 700, Tags: []string{"web"}}, c.texts)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hooks/shop?q=1", nil)
			r.Header.Set("X-Event", "push")
			r.Header.Set("Authorization", "secret")
			r.Header.Set("X-Hub-Signature-256", "secret")
			for name, value := range c.header {
				r.Header.Set(name, value)
			}
			got, err := h.Read(t.Context(), r, []byte(c.body))
			if c.fault != "" {
				if _, bad := errors.AsType[*hooks.BadRequestError](err); !bad || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("got %v, want %q", err, c.fault)
				}
				return
			}
			if err != nil || got.Outcome != c.outcome {
				t.Fatalf("got %+v, %v, want the outcome %q", got, err, c.outcome)
			}
			if it := got.Item; c.outcome == "" && (string(it.Payload) != c.payload || it.NaturalKey != c.key || it.QueueName != "orders" || it.CreatedBy != "hook:shop") {
				t.Errorf("got %+v, want the payload %s and the key %q", it, c.payload, c.key)
			}
			if (got.Reason == "") != (c.outcome == "") {
				t.Errorf("got the reason %q with the outcome %q", got.Reason, got.Outcome)
			}
		})
	}
}

// Only GitHub has pings.
func TestPingOfAnother(t *testing.T) {
	h, err := hooks.New(hooks.Hook{Name: "shop", Form: hooks.Stripe}, hooks.Expressions{})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hooks/shop", nil)
	r.Header.Set("X-GitHub-Event", "ping")
	if got, err := h.Read(t.Context(), r, []byte(`{}`)); err != nil || got.Outcome != "" {
		t.Errorf("got %+v, %v, want an item", got, err)
	}
}

func TestExpressions(t *testing.T) {
	for text, ok := range map[string]bool{"body": true, "payload": false, "body.": false, "$env": false} {
		for key, texts := range map[string]hooks.Expressions{"when": {When: text + " == 1"}, "payload": {Payload: text}, "key": {Key: text + " ?? 1"}} {
			_, err := hooks.New(hooks.Hook{}, texts)
			if wrong, is := errors.AsType[*hooks.ExpressionError](err); is == ok || is && wrong.Key != key {
				t.Errorf("%s of %q: got %v", key, text, err)
			}
		}
	}
	if _, err := hooks.New(hooks.Hook{}, hooks.Expressions{When: `"yes"`}); err == nil {
		t.Error("a text as the condition: no error")
	}
}

func TestUnsignedKey(t *testing.T) {
	for key, want := range map[string]bool{
		"": false, "body.id": false, "string(body.a) + body.b": false, "X-Order-Id": true, `headers["x-order-id"]`: true, `body.id + query.q`: true,
	} {
		h, err := hooks.New(hooks.Hook{}, hooks.Expressions{Key: key})
		if err != nil || h.UnsignedKey() != want {
			t.Errorf("the key %q: got %t, %v, want %t", key, h.UnsignedKey(), err, want)
		}
	}
}
