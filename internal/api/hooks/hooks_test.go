package hooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"botwork/internal/api/hooks"
)

var now = time.Unix(1_769_860_000, 0)

func sign(secret, text string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// The first case of each form is an example that its documentation publishes, or computed by
// another program: printf '%s' "$body" | openssl dgst -sha256 -hmac "$secret".
func TestVerify(t *testing.T) {
	const body = `{"amount": 12}`
	stamp := func(age time.Duration) string { return fmt.Sprint(now.Add(-age).Unix()) }
	stripe := func(secret string, age time.Duration) string {
		return "t=" + stamp(age) + ",v1=" + sign(secret, stamp(age)+"."+body)
	}
	for _, c := range []struct {
		name   string
		form   hooks.Form
		secret string
		header string
		body   string
		want   error
	}{
		{"GitHub's example", hooks.GitHub, "It's a Secret to Everybody", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "Hello, World!", nil},
		{"another body", hooks.GitHub, "It's a Secret to Everybody", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "Hello, World", hooks.ErrBadSignature},
		{"another secret", hooks.GitHub, "guess", "sha256=" + sign("secret", body), body, hooks.ErrBadSignature},
		{"upper case", hooks.GitHub, "secret", "sha256=" + strings.ToUpper(sign("secret", body)), body, nil},
		{"no prefix", hooks.GitHub, "secret", sign("secret", body), body, hooks.ErrBadSignature},
		{"SHA-1", hooks.GitHub, "secret", "sha1=" + sign("secret", body), body, hooks.ErrBadSignature},
		{"no header", hooks.GitHub, "secret", "", body, hooks.ErrNoSignature},
		{"an empty sum", hooks.GitHub, "secret", "sha256=", body, hooks.ErrBadSignature},
		{"Stripe", hooks.Stripe, "secret", stripe("secret", 0), body, nil},
		{"two sums", hooks.Stripe, "secret", "t=" + stamp(0) + ", v1=00, v0=11, v1=" + sign("secret", stamp(0)+"."+body), body, nil},
		{"an old one", hooks.Stripe, "secret", stripe("secret", 301*time.Second), body, hooks.ErrTooOld},
		{"not too old", hooks.Stripe, "secret", stripe("secret", 299*time.Second), body, nil},
		{"from the future", hooks.Stripe, "secret", stripe("secret", -301*time.Second), body, hooks.ErrTooOld},
		{"an old one with a new time", hooks.Stripe, "secret", strings.Replace(stripe("secret", time.Hour), stamp(time.Hour), stamp(0), 1), body, hooks.ErrBadSignature},
		{"no sum", hooks.Stripe, "secret", "t=" + stamp(0), body, hooks.ErrBadSignature},
		{"no time", hooks.Stripe, "secret", "v1=" + sign("secret", "."+body), body, hooks.ErrBadSignature},
		{"nonsense", hooks.Stripe, "secret", "=,=,", body, hooks.ErrBadSignature},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := http.Header{}
			if c.header != "" {
				header.Set(c.form.Header(), c.header)
			}
			delivery, err := c.form.Verify(c.secret, header, []byte(c.body), now, 5*time.Minute)
			if !errors.Is(err, c.want) || c.want == nil && delivery == "" {
				t.Errorf("got %q, %v, want %v", delivery, err, c.want)
			}
		})
	}
}

func TestItem(t *testing.T) {
	for _, c := range []struct {
		name, expression, body, key string
		want, fault                 string
	}{
		{"the body", "", `{"a": 12345678901234567890}`, "4711", `{"a": 12345678901234567890}`, ""},
		{"an expression", `{"id": body.id, "event": headers["x-event"], "q": query.q}`, `{"id": 9007199254740993}`, "4711", `{"event":"push","id":9007199254740993,"q":"1"}`, ""},
		{"no secret", `{"a": headers["authorization"], "b": headers["x-hub-signature-256"]}`, `{}`, "4711", `{"a":"","b":""}`, ""},
		{"no JSON", "", `{`, "4711", "", "not JSON"},
		{"two values", "", `{} {}`, "4711", "", "more than one"},
		{"no key", "", `{}`, "", "", "the header X-Key is missing"},
		{"a failing expression", `body.a.b`, `{"a": 1}`, "4711", "", "the expression for the payload failed"},
		{"too much", `map(1..1000000, {[#, #, #]})`, `{}`, "4711", "", "the expression for the payload failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := hooks.New(hooks.Hook{Name: "shop", Form: hooks.GitHub, Queue: "orders", Pipeline: "ship", Priority: 700, KeyHeader: "X-Key", Tags: []string{"web"}}, c.expression)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/hooks/shop?q=1", nil)
			r.Header.Set("X-Event", "push")
			r.Header.Set("Authorization", "secret")
			r.Header.Set("X-Hub-Signature-256", "secret")
			if c.key != "" {
				r.Header.Set("X-Key", c.key)
			}
			it, err := h.Item(t.Context(), r, []byte(c.body))
			if c.fault != "" {
				if _, bad := errors.AsType[*hooks.BadRequestError](err); !bad || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("got %v, want %q", err, c.fault)
				}
				return
			}
			if err != nil || string(it.Payload) != c.want || it.NaturalKey != c.key || it.QueueName != "orders" || it.CreatedBy != "hook:shop" {
				t.Errorf("got %+v, %v, want the payload %s", it, err, c.want)
			}
		})
	}
}

func TestCompilePayload(t *testing.T) {
	for text, ok := range map[string]bool{"body": true, "payload": false, "body.": false, "$env": false} {
		if _, err := hooks.CompilePayload(text); (err == nil) != ok {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
