package hooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Form is how a request is signed: HMAC with SHA-256 over the exact bytes of the body.
type Form string

// The forms.
const (
	// GitHub: X-Hub-Signature-256 is sha256= and the HMAC of the body in hexadecimal. It has no
	// time, so only repeated signatures can be recognised.
	GitHub Form = "github"

	// Stripe: Stripe-Signature has t=, a Unix time, and one or more v1=, the HMAC of the time, a
	// dot and the body.
	Stripe Form = "stripe"
)

// Forms lists all forms.
func Forms() []Form { return []Form{GitHub, Stripe} }

// The errors of Verify. They do not say which part was wrong, except that a time is old.
var (
	ErrNoSignature  = errors.New("the request is not signed")
	ErrBadSignature = errors.New("the signature does not match")
	ErrTooOld       = errors.New("the signature is too old, or from the future; is the clock of one of the machines wrong?")
)

// Header returns the header that has the signature.
func (f Form) Header() string {
	if f == Stripe {
		return "Stripe-Signature"
	}
	return "X-Hub-Signature-256"
}

// Verify checks the signature of a request. tolerance is how far the time of a signature may be
// from now. It returns the sum in the signature: the same text for each request with the same signed
// content, whatever its headers say. An id in a header would not do, because no signature covers it.
func (f Form) Verify(secret string, header http.Header, body []byte, now time.Time, tolerance time.Duration) (sum string, err error) {
	text := header.Get(f.Header())
	if text == "" {
		return "", fmt.Errorf("%w: it has no header %s", ErrNoSignature, f.Header())
	}
	if f == Stripe {
		return verifyStripe(secret, text, body, now, tolerance)
	}
	got, ok := strings.CutPrefix(text, "sha256=")
	want := mac(secret, body)
	if !ok || !equal(got, want) {
		return "", ErrBadSignature
	}
	return hex.EncodeToString(want), nil
}

func verifyStripe(secret, text string, body []byte, now time.Time, tolerance time.Duration) (string, error) {
	var stamp string
	var sums []string
	for part := range strings.SplitSeq(text, ",") {
		switch key, value, _ := strings.Cut(strings.TrimSpace(part), "="); key {
		case "t":
			stamp = value
		case "v1":
			sums = append(sums, value)
		}
	}
	want := mac(secret, []byte(stamp+"."), body)
	for _, sum := range sums {
		if !equal(sum, want) {
			continue
		}
		// The time is signed, so only a signature that matches says when it was made.
		seconds, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			return "", ErrBadSignature
		}
		if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
			return "", ErrTooOld
		}
		return hex.EncodeToString(want), nil
	}
	return "", ErrBadSignature
}

func mac(secret string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// equal compares in a time that does not depend on where the texts differ.
func equal(hexadecimal string, want []byte) bool {
	got, err := hex.DecodeString(hexadecimal)
	return err == nil && hmac.Equal(got, want)
}
