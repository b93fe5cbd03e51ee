package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// TokenPrefix begins every API token, so that scanners for secrets find one that was
// published by mistake.
const TokenPrefix = "bw_"

// NewToken returns the text of a new API token: TokenPrefix and 260 random bits.
func NewToken() string { return TokenPrefix + NewSecret() }

// NewSecret returns a new secret of 260 random bits, such as the text of a session's cookie.
func NewSecret() string { return strings.ToLower(rand.Text() + rand.Text()) }

// Hash returns the SHA-256 of a secret in hexadecimal, which the database keeps instead of
// it. The secrets are random and long, so a slow hash would protect nothing more.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// ShownStart returns the start of a token that lists may show, so that people can tell tokens
// apart.
func ShownStart(token string) string { return token[:min(len(token), len(TokenPrefix)+6)] }
