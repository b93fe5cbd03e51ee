package config_test

import (
	"strings"
	"testing"

	"botwork/config"
)

func TestHTTP(t *testing.T) {
	for _, c := range []struct {
		name, text, want string // want is a part of the findings, "" for none
	}{
		{"the default", "", ""},
		{"off", "http: off\n", ""},
		{"off by a key", "http: {off: true, listen: \"0.0.0.0:80\"}\n", ""},
		{"on", "http: on\n", `http: got "on", want off or keys such as listen`},
		{"any address", "http: {listen: \"0.0.0.0:8321\"}\n", "clear text"},
		{"every address", "http: {listen: \":8321\"}\n", "clear text"},
		{"a name", "http: {listen: \"botwork.example.com:8321\"}\n", "clear text"},
		{"another loopback", "http: {listen: \"127.9.9.9:0\"}\n", ""},
		{"IPv6", "http: {listen: \"[::1]:8321\"}\n", ""},
		{"a loopback by IPv6", "http: {listen: \"[::ffff:127.0.0.1]:8321\"}\n", ""},
		{"localhost", "http: {listen: \"localhost:8321\"}\n", ""},
		{"a proxy", "http: {listen: \"0.0.0.0:8321\", insecure: true}\n", ""},
		{"TLS", "http: {listen: \"0.0.0.0:8321\", tls: {cert: c.pem, key: k.pem}}\n", ""},
		{"half of TLS", "http: {tls: {cert: c.pem}}\n", "got cert without key"},
		{"no port", "http: {listen: localhost}\n", "want a host and a port"},
		{"a large port", "http: {listen: \"localhost:65536\"}\n", "want a host and a port"},
		{"an URL with a path", "http: {publicUrl: \"https://example.com/botwork\"}\n", "want a scheme and a host"},
		{"an URL", "http: {publicUrl: \"https://example.com/\"}\n", ""},
		{"a proxy by name", "http: {trustedProxies: [proxy]}\n", "want an address or a network"},
		{"OpenID Connect", "http: {oidc: {issuer: \"https://login.example.com/realms/main\", clientId: botwork, clientSecret: hunter2, roles: {viewer: [staff]}}}\n", ""},
		{"a public client", "http: {oidc: {issuer: \"http://127.0.0.1:9000\", clientId: botwork, roles: {admin: [staff]}}}\n", ""},
		{"a provider without TLS", "http: {oidc: {issuer: \"http://login.example.com\", clientId: botwork, roles: {viewer: [staff]}}}\n", "want an https URL"},
		{"no issuer", "http: {oidc: {clientId: botwork}}\n", "http.oidc.issuer: got none"},
		{"no client", "http: {oidc: {issuer: \"https://login.example.com\", roles: {viewer: [staff]}}}\n", "http.oidc.clientId: got none"},
		{"no roles", "http: {oidc: {issuer: \"https://login.example.com\", clientId: botwork}}\n", "http.oidc.roles: got none"},
		{"no openid", "http: {oidc: {issuer: \"https://login.example.com\", clientId: botwork, scopes: [email], roles: {viewer: [staff]}}}\n", "want openid among them"},
		{"no address for the provider", "http: {listen: \"0.0.0.0:1\", insecure: true, oidc: {issuer: \"https://login.example.com\", clientId: botwork, roles: {viewer: [staff]}}}\n", "http.publicUrl: got none"},
		{"no requests", "http: {limits: {requests: 0}}\n", "got 0, want 1 to 100000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, findings := config.Parse("botwork.yaml", []byte(c.text))
			if got := findings.Err(); c.want == "" && got != nil || c.want != "" && (got == nil || !strings.Contains(got.Error(), c.want)) {
				t.Errorf("got %v, want %q", got, c.want)
			}
		})
	}
}

func TestHTTPOff(t *testing.T) {
	c, findings := config.Parse("botwork.yaml", []byte("http: off\n"))
	if len(findings) > 0 || !c.HTTP.Off || c.HTTP.Listen != config.Default().HTTP.Listen {
		t.Errorf("got %+v, %v", c.HTTP, findings)
	}
	c, err := config.Load("", []string{"BOTWORK_HTTP_OFF=true", "BOTWORK_HTTP_LISTEN=127.0.0.1:0"})
	if err != nil || !c.HTTP.Off || c.HTTP.Listen != "127.0.0.1:0" {
		t.Errorf("got %+v, %v", c.HTTP, err)
	}
}
