package hooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
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
			sum, err := c.form.Verify(c.secret, header, []byte(c.body), now, 5*time.Minute)
			if !errors.Is(err, c.want) || c.want == nil && len(sum) != 64 {
				t.Errorf("got %q, %v, want %v", sum, err, c.want)
			}
		})
	}
}

// The sum is the same however the headers, which no signature covers, are written.
func TestVerifyReturnsOneSum(t *testing.T) {
	const body, secret = `{"id": 1}`, "secret"
	stamp := fmt.Sprint(now.Unix())
	for _, f := range []struct {
		form    hooks.Form
		headers []http.Header
	}{
		{hooks.GitHub, []http.Header{
			{"X-Hub-Signature-256": {"sha256=" + sign(secret, body)}},
			{"X-Hub-Signature-256": {"sha256=" + strings.ToUpper(sign(secret, body))}},
			{"X-Hub-Signature-256": {"sha256=" + sign(secret, body)}, "X-Github-Delivery": {"another"}, "Idempotency-Key": {"another"}},
		}},
		{hooks.Stripe, []http.Header{
			{"Stripe-Signature": {"t=" + stamp + ",v1=" + sign(secret, stamp+"."+body)}},
			{"Stripe-Signature": {"v1=" + strings.ToUpper(sign(secret, stamp+"."+body)) + ",t=" + stamp}},
			{"Stripe-Signature": {"t=" + stamp + ",v1=00,v1=" + sign(secret, stamp+"."+body)}, "X-Request-Id": {"another"}},
		}},
	} {
		sums := map[string]bool{}
		for _, header := range f.headers {
			sum, err := f.form.Verify(secret, header, []byte(body), now, time.Minute)
			if err != nil {
				t.Errorf("%s: %v", f.form, err)
			}
			sums[sum] = true
		}
		if len(sums) != 1 {
			t.Errorf("%s: got the sums %v, want one", f.form, sums)
		}
	}
}
