package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxName is the longest name of a token or a user, in characters.
const MaxName = 100

// TokenAge is how long a token that was revoked or has expired is still listed.
const TokenAge = 90 * 24 * time.Hour

// Token is an API token: a row of BotTokens. JSON field names are part of the contract of the
// command line and the API.
type Token struct {
	ID   int64  `json:"id"`
	Name string `json:"name"` // unique in any case among the tokens that are not revoked

	// Start is the beginning of the token's text: see ShownStart.
	Start string `json:"start"`

	Role Role `json:"role"`

	// Queues are the queues that the token is bound to, in ascending order; none: all. A
	// robot's token has at least one.
	Queues []string `json:"queues"`

	CreatedAt time.Time  `json:"createdAt"`
	CreatedBy string     `json:"createdBy"`
	ExpiresAt *time.Time `json:"expiresAt"` // nil: never
	RevokedAt *time.Time `json:"revokedAt"`
	RevokedBy *string    `json:"revokedBy"`

	// LastUsedAt is correct to about a minute.
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

// Works reports whether the token is valid at this time.
func (t *Token) Works(now time.Time) bool {
	return t.RevokedAt == nil && (t.ExpiresAt == nil || now.Before(*t.ExpiresAt))
}

// Principal returns who calls with the token.
func (t *Token) Principal() Principal {
	return Principal{Name: t.Name, Kind: ByToken, TokenID: t.ID, Role: t.Role, Queues: t.Queues}
}

// NewTokenParams describe a token to be created.
type NewTokenParams struct {
	Name   string
	Start  string // see ShownStart
	Hash   string // see Hash
	Role   Role
	Queues []string
	By     string

	// ExpiresIn is how long the token is valid, by the database's clock; 0: for ever.
	ExpiresIn time.Duration
}

// Normal checks the parameters and returns them with the queues in order. It returns all
// faults at once.
func (p NewTokenParams) Normal() (NewTokenParams, error) {
	errs := []error{checkName("token", p.Name)}
	role, err := ParseRole(string(p.Role))
	if err != nil {
		errs = append(errs, err)
	}
	p.Role = role
	p.Queues = slices.Clone(p.Queues)
	slices.Sort(p.Queues)
	p.Queues = slices.Compact(p.Queues)
	if p.Role == Robot && len(p.Queues) == 0 {
		errs = append(errs, errors.New("queues: got none, want the queues that the robot works on"))
	}
	if slices.Contains(p.Queues, "") {
		errs = append(errs, errors.New(`queues: got "", want names of queues`))
	}
	if p.ExpiresIn < 0 {
		errs = append(errs, fmt.Errorf("expires: got %v, want a time to come", p.ExpiresIn))
	}
	return p, errors.Join(errs...)
}

// checkName checks the name of a token or a user.
func checkName(what, name string) error {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return fmt.Errorf("name: got none, want the name of the %s", what)
	case n > MaxName:
		return fmt.Errorf("name: got %d characters, want at most %d", n, MaxName)
	case strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("name: got %q, want no spaces around it and no control characters", name)
	}
	return nil
}
