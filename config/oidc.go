package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
)

// OIDC has the settings of the sign-in by an OpenID provider. Without an issuer there is none.
type OIDC struct {
	// Issuer is the URL of the provider, without /.well-known/openid-configuration.
	Issuer string `yaml:"issuer" env:"ISSUER"`

	ClientID string `yaml:"clientId" env:"CLIENTID"`

	// ClientSecret is missing for a client that the provider knows as a public one.
	ClientSecret Text `yaml:"clientSecret" env:"CLIENTSECRET"`

	// Scopes are asked for; openid is one of them.
	Scopes []string `yaml:"scopes" env:"SCOPES"`

	// Claim is the claim whose values Roles maps: a text or a list of texts.
	Claim string `yaml:"claim" env:"CLAIM"`

	Roles OIDCRoles `yaml:"roles" envPrefix:"ROLES_"`
}

// OIDCRoles are the values of the claim that give a role. If several match, the highest role
// counts; without any, the user may not sign in.
type OIDCRoles struct {
	Admin    []string `yaml:"admin" env:"ADMIN"`
	Editor   []string `yaml:"editor" env:"EDITOR"`
	Operator []string `yaml:"operator" env:"OPERATOR"`
	Viewer   []string `yaml:"viewer" env:"VIEWER"`
}

const pathClientSecret = "http.oidc.clientSecret"

// oidc checks the settings of the OpenID provider.
func (k *checker) oidc() {
	o := &k.HTTP.OIDC
	roles := len(o.Roles.Admin) + len(o.Roles.Editor) + len(o.Roles.Operator) + len(o.Roles.Viewer)
	if o.Issuer == "" {
		if o.ClientID != "" || roles > 0 || !o.ClientSecret.absent() {
			k.add("http.oidc.issuer", "no-value", "got none, want the URL of the provider", "")
		}
		return
	}
	u, err := url.Parse(o.Issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !IsLoopback(u.Hostname())) {
		k.add("http.oidc.issuer", "invalid-value", fmt.Sprintf("got %.80q, want an https URL, such as https://login.example.com/realms/main", o.Issuer), "")
	}
	if o.ClientID == "" {
		k.add("http.oidc.clientId", "no-value", "got none, want the id that the provider gave to this client", "")
	}
	switch {
	case o.ClientSecret.problem != "":
		k.add(pathClientSecret, "no-value", o.ClientSecret.problem, "")
	case !o.ClientSecret.absent() && !o.ClientSecret.pending() && !k.broken[pathClientSecret] && o.ClientSecret.Reveal() == "":
		k.add(pathClientSecret, "invalid-value", "got an empty text", "")
	}
	if !slices.Contains(o.Scopes, "openid") {
		k.add("http.oidc.scopes", "invalid-value", fmt.Sprintf("got %q, want openid among them", o.Scopes), "")
	}
	if o.Claim == "" {
		k.add("http.oidc.claim", "no-value", "got none, want a claim such as groups", "")
	}
	if roles == 0 {
		k.add("http.oidc.roles", "no-value", "got none, want values of the claim "+o.Claim+" for at least one role", "such as roles: {viewer: [staff]}")
	}
	if host, _, err := net.SplitHostPort(k.HTTP.Listen); err == nil && !IsLoopback(host) && k.HTTP.PublicURL == "" {
		k.add("http.publicUrl", "no-value", "got none, want the address to which the OpenID provider sends browsers back", "")
	}
}
