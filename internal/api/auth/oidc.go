package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"botwork/workqueue/access"
)

// OIDCOptions configure the sign-in by an OpenID provider.
type OIDCOptions struct {
	Issuer       string
	ClientID     string
	ClientSecret string // "" for a public client
	RedirectURL  string // of this server
	Scopes       []string
	Claim        string                   // whose values Roles maps
	Roles        map[access.Role][]string // of people
}

// OIDCValid is how long a person may take at the provider.
const OIDCValid = 10 * time.Minute

// OIDCCallback is the path to which the provider sends browsers back.
const OIDCCallback = "/auth/oidc/callback"

// providerTimeout bounds each request to the provider.
const providerTimeout = 10 * time.Second

// The errors of OIDC.
var (
	// ErrOIDCState is returned for an answer of the provider that does not belong to a sign-in
	// that this browser has begun, or that comes too late.
	ErrOIDCState = errors.New("the sign-in was not begun in this browser, or took too long")

	// ErrNoRole is returned for a user who signed in at the provider and has no role here.
	ErrNoRole = errors.New("the OpenID provider gives the user no role of Botwork")

	// ErrOIDCDisabled is returned for a user who signed in at the provider and is disabled here.
	ErrOIDCDisabled = errors.New("the user is disabled")
)

// ProviderError is returned if the provider does not answer, refuses the sign-in, or answers with
// something that is not valid.
type ProviderError struct{ Err error }

func (e *ProviderError) Error() string { return "OpenID provider: " + e.Err.Error() }

func (e *ProviderError) Unwrap() error { return e.Err }

// OIDC signs users in by an OpenID provider: the authorization code flow with PKCE. It is safe for
// concurrent use.
type OIDC struct {
	options OIDCOptions
	client  *http.Client
	key     [sha256.Size]byte // signs cookies

	mu       sync.Mutex
	provider *oidc.Provider // nil until the provider has answered
}

// NewOIDC returns a client of a provider. The provider is called when it is first needed, so that
// this server starts without it.
func NewOIDC(o OIDCOptions) *OIDC {
	c := &OIDC{options: o, client: &http.Client{Timeout: providerTimeout, Transport: http.DefaultTransport.(*http.Transport).Clone()}}
	if o.ClientSecret == "" {
		_, _ = rand.Read(c.key[:]) // never fails
		return c
	}
	// Servers with the same settings accept the cookies of each other.
	c.key = sha256.Sum256([]byte("botwork oidc cookie\x00" + o.Issuer + "\x00" + o.ClientID + "\x00" + o.ClientSecret))
	return c
}

// Close closes idle connections.
func (c *OIDC) Close() { c.client.CloseIdleConnections() }

// pending is a sign-in that has begun: the content of a cookie.
type pending struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"`
	Until    time.Time `json:"u"`
}

// Begin returns the address at the provider to which the browser goes, and the text of a cookie
// that it keeps until then.
func (c *OIDC) Begin(ctx context.Context) (address, cookie string, err error) {
	config, _, err := c.config(ctx)
	if err != nil {
		return "", "", err
	}
	p := pending{State: access.NewSecret(), Nonce: access.NewSecret(), Verifier: oauth2.GenerateVerifier(), Until: time.Now().Add(OIDCValid)}
	if cookie, err = c.seal(p); err != nil {
		return "", "", err
	}
	return config.AuthCodeURL(p.State, oidc.Nonce(p.Nonce), oauth2.S256ChallengeOption(p.Verifier)), cookie, nil
}

// Identity is a user as the provider describes it.
type Identity struct {
	Subject string // see access.User.Subject
	Names   []string
	Role    access.Role // "" if none
}

// Finish checks the provider's answer, the query of the callback, against the cookie of Begin.
func (c *OIDC) Finish(ctx context.Context, cookie string, query url.Values) (Identity, error) {
	p, err := c.unseal(cookie, time.Now())
	if err != nil || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(p.State)) != 1 {
		return Identity{}, ErrOIDCState
	}
	if code := query.Get("error"); code != "" {
		return Identity{}, &ProviderError{fmt.Errorf("the sign-in was refused: %.60q: %.200q", code, query.Get("error_description"))}
	}
	config, provider, err := c.config(ctx)
	if err != nil {
		return Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, c.client)
	token, err := config.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(p.Verifier))
	if err != nil {
		return Identity{}, &ProviderError{withoutBody(err)}
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: c.options.ClientID}).Verify(ctx, raw)
	if err != nil {
		return Identity{}, &ProviderError{err}
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(p.Nonce)) != 1 {
		return Identity{}, &ProviderError{errors.New("the ID token has another nonce")}
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return Identity{}, &ProviderError{err}
	}
	if azp, given := claims["azp"]; given && azp != c.options.ClientID {
		return Identity{}, &ProviderError{errors.New("the ID token was issued for another client")}
	}
	if claimOf(claims, c.options.Claim) == nil && provider.UserInfoEndpoint() != "" {
		if err := c.addUserInfo(ctx, provider, token, id.Subject, claims); err != nil {
			return Identity{}, &ProviderError{err}
		}
	}
	return Identity{Subject: id.Issuer + "\n" + id.Subject, Names: namesOf(claims, id.Subject), Role: c.roleOf(claims)}, nil
}

// addUserInfo adds the claims of the provider's endpoint for them: many providers have them only
// there.
func (c *OIDC) addUserInfo(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, subject string, claims map[string]any) error {
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	if info.Subject != subject {
		return errors.New("the claims belong to another user")
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return err
	}
	for name, value := range more {
		if _, given := claims[name]; !given {
			claims[name] = value
		}
	}
	return nil
}

// withoutBody drops the body of an answer of the provider, which may have secrets.
func withoutBody(err error) error {
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := ""
		if e.Response != nil {
			status = e.Response.Status
		}
		return fmt.Errorf("got the answer %s %.60q to the code", status, e.ErrorCode)
	}
	return err
}

// config returns the client of the provider, whose addresses are read once.
func (c *OIDC) config(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	c.mu.Lock()
	provider := c.provider
	c.mu.Unlock()
	if provider == nil {
		// The provider keeps this context's client for reading its keys later.
		var err error
		if provider, err = oidc.NewProvider(oidc.ClientContext(ctx, c.client), c.options.Issuer); err != nil {
			return nil, nil, &ProviderError{err}
		}
		c.mu.Lock()
		c.provider = provider
		c.mu.Unlock()
	}
	return &oauth2.Config{
		ClientID: c.options.ClientID, ClientSecret: c.options.ClientSecret, Endpoint: provider.Endpoint(), RedirectURL: c.options.RedirectURL, Scopes: c.options.Scopes,
	}, provider, nil
}

// claimOf returns a claim: by its name, or else by a path such as realm_access.roles.
func claimOf(claims map[string]any, name string) any {
	if value, ok := claims[name]; ok {
		return value
	}
	first, rest, found := strings.Cut(name, ".")
	inner, ok := claims[first].(map[string]any)
	if !found || !ok {
		return nil
	}
	return claimOf(inner, rest)
}

// roleOf returns the highest role that the claims give; "" if none.
func (c *OIDC) roleOf(claims map[string]any) access.Role {
	var values []string
	switch v := claimOf(claims, c.options.Claim).(type) {
	case string:
		values = []string{v}
	case []any:
		for _, value := range v {
			if text, ok := value.(string); ok {
				values = append(values, text)
			}
		}
	}
	for _, role := range []access.Role{access.Admin, access.Editor, access.Operator, access.Viewer} {
		if slices.ContainsFunc(c.options.Roles[role], func(want string) bool { return want != "" && slices.Contains(values, want) }) {
			return role
		}
	}
	return ""
}

// namesOf returns names for a new user, the best first. The last one is always free.
func namesOf(claims map[string]any, subject string) []string {
	var names []string
	suffix := access.Hash(fmt.Sprint(claims["iss"], "\n", subject))[:8]
	for _, claim := range []string{"preferred_username", "email", "name"} {
		name, _ := claims[claim].(string)
		if verified, given := claims["email_verified"]; claim == "email" && given && verified != true {
			continue
		}
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if _, err := (access.UserParams{Name: name, Role: access.Viewer}).Normal(); err == nil {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		names = append(names, clipRunes(names[0], access.MaxName-len(suffix)-1)+"-"+suffix)
	}
	return append(names, "user-"+suffix)
}

func clipRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// seal writes a sign-in that has begun, signed: another person's browser cannot be given a sign-in
// that this server has not begun.
func (c *OIDC) seal(p pending) (string, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + c.sign(text), nil
}

func (c *OIDC) unseal(cookie string, now time.Time) (pending, error) {
	text, signature, _ := strings.Cut(cookie, ".")
	if !hmac.Equal([]byte(signature), []byte(c.sign(text))) {
		return pending{}, ErrOIDCState
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return pending{}, err
	}
	var p pending
	if err := json.Unmarshal(data, &p); err != nil || p.State == "" || now.After(p.Until) {
		return pending{}, ErrOIDCState
	}
	return p, nil
}

func (c *OIDC) sign(text string) string {
	mac := hmac.New(sha256.New, c.key[:])
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
