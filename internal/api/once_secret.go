package api

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// onceSecret keeps secrets of requests with an Idempotency-Key out of the database: a password in
// the request, or a new token in the answer. What is stored depends on the caller's own token or on
// the cookie of the session. The database has only hashes of these, so a copy of it neither has the
// new token nor helps to guess the password. Only the same token or session gets the answer again.
type onceSecret struct {
	credential string // of the caller
	key        string // the Idempotency-Key
}

// credential returns the text of the token or of the session that identified the caller.
func credential(ctx huma.Context) string {
	if header := ctx.Header("Authorization"); header != "" {
		_, text, _ := strings.Cut(header, " ")
		return strings.TrimSpace(text)
	}
	return sessionText(ctx.Context(), ctx.Header("Cookie"))
}

// hash identifies a request.
func (s *onceSecret) hash(request string) string {
	mac := hmac.New(sha256.New, []byte(s.credential))
	mac.Write([]byte(request))
	return hex.EncodeToString(mac.Sum(nil))
}

// cipher returns AES-256-GCM with a random nonce before each text.
func (s *onceSecret) cipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(s.credential), []byte(s.key), "botwork: the answer of an Idempotency-Key", sha256.Size)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (s *onceSecret) seal(body []byte) ([]byte, error) {
	c, err := s.cipher()
	if err != nil {
		return nil, err
	}
	return c.Seal(nil, nil, body, nil), nil
}

func (s *onceSecret) open(sealed []byte) ([]byte, error) {
	c, err := s.cipher()
	if err != nil {
		return nil, err
	}
	return c.Open(nil, nil, sealed, nil)
}
