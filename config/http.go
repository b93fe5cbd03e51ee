package config

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
)

// HTTP has the settings of the HTTP API. In the file, the word off in place of the keys switches
// it off.
type HTTP struct {
	// Off is true if this process serves no HTTP.
	Off bool `yaml:"off" env:"OFF"`

	// Listen is the host and the port, such as 127.0.0.1:8321. Other hosts than those of the
	// loopback need TLS, or Insecure.
	Listen string `yaml:"listen" env:"LISTEN"`

	TLS TLS `yaml:"tls" envPrefix:"TLS_"`

	// Insecure allows a host that is not the loopback without TLS, because a proxy in front
	// terminates it.
	Insecure bool `yaml:"insecure" env:"INSECURE"`

	// PublicURL is the address by which people and robots reach the server, such as
	// https://botwork.example.com; "" means the address of Listen.
	PublicURL string `yaml:"publicUrl" env:"PUBLICURL"`

	// TrustedProxies are addresses and networks whose X-Forwarded-For and X-Forwarded-Proto
	// headers are believed.
	TrustedProxies []string `yaml:"trustedProxies" env:"TRUSTEDPROXIES"`

	// Edit lets editors change the pipelines in the pipelines folder of this machine on the pages
	// and by the API. Who writes a pipeline can run programs with the rights of the worker.
	Edit bool `yaml:"edit" env:"EDIT"`

	// Inline lets editors who are not bound to queues send, over HTTP, what runs with the rights of
	// the workers: items with a whole pipeline in place of a name, and scorings by a service.
	Inline bool `yaml:"inline" env:"INLINE"`

	// ReadOnly lets nothing be changed over HTTP: all people are viewers, and robots and webhooks are refused.
	ReadOnly bool `yaml:"readOnly" env:"READONLY"`

	OIDC OIDC `yaml:"oidc" envPrefix:"OIDC_"`

	Limits HTTPLimits `yaml:"limits" envPrefix:"LIMITS_"`

	// Hooks make items of signed requests to /hooks/ and their name.
	Hooks map[string]Hook `yaml:"hooks"`
}

// Hook makes an item of each signed request.
type Hook struct {
	// Signature is the form of the signature, one of HookSignatures. Secret is the name of the
	// secret that both sides know, and Tolerance how old a signature may be.
	Signature string        `yaml:"signature,required"`
	Secret    string        `yaml:"secret,required"`
	Tolerance time.Duration `yaml:"tolerance"`

	Queue    string   `yaml:"queue"`
	Pipeline string   `yaml:"pipeline"`
	Priority *int     `yaml:"priority"`
	Tags     []string `yaml:"tags"`

	// When and Payload are expressions over body, headers and query. A request for which When is false
	// makes no item; "": each makes one. Payload "": the body.
	When    string `yaml:"when"`
	Payload string `yaml:"payload"`

	// Key is the header that has the natural key of the item, or an expression for it; "": it has none.
	Key string `yaml:"key"`
}

// HookSignatures are the forms of signatures, and HookTolerance the standard tolerance.
var HookSignatures = []string{"github", "stripe"}

// HookTolerance is how old a signature may be unless the hook says otherwise. A signature may also be that
// far from the future, and is remembered for a day: with a larger tolerance than MaxHookTolerance it could be
// used again after that.
const (
	HookTolerance    = 5 * time.Minute
	MaxHookTolerance = 12 * time.Hour
)

// HookNode returns a hook as written in the file; nil if the environment defines it.
func (c *Config) HookNode(hook string) *strictyaml.Node {
	return c.node.Get("http").Get("hooks").Get(hook)
}

// TLS names the files of the certificate, in PEM. Both or none are set. Changed files are used
// without a restart.
type TLS struct {
	Cert string `yaml:"cert" env:"CERT"`
	Key  string `yaml:"key" env:"KEY"`
}

// HTTPLimits bound what callers can use up.
type HTTPLimits struct {
	// BodyMB is the largest body of a request in megabytes (1048576 bytes); streams of lines
	// have a bound per line instead.
	BodyMB int `yaml:"bodyMB" env:"BODYMB"`

	// Requests is how many requests of each kind are processed at the same time, without those that wait.
	// Waiting is how many may wait for an item, and how many may read events, at the same time.
	Requests int `yaml:"requests" env:"REQUESTS"`
	Waiting  int `yaml:"waiting" env:"WAITING"`

	// PerSecond is how many requests a token, a session or, without either, an address may make
	// a second on average.
	PerSecond int `yaml:"perSecond" env:"PERSECOND"`
}

// DecodeNode implements strictyaml.NodeDecoder: it accepts off, or the keys.
func (h *HTTP) DecodeNode(n *strictyaml.Node) strictyaml.Findings {
	if n.Kind == strictyaml.Scalar {
		if n.Text == "off" {
			h.Off = true
			return nil
		}
		return strictyaml.Findings{n.Finding("invalid-value", fmt.Sprintf("%s: got %.40q, want off or keys such as listen", n.Path, n.Text), "")}
	}
	type plain HTTP
	return n.Decode((*plain)(h))
}

func (k *checker) http() {
	h := &k.HTTP
	k.listen()
	if (h.TLS.Cert == "") != (h.TLS.Key == "") {
		missing, present := "cert", "key"
		if h.TLS.Cert != "" {
			missing, present = present, missing
		}
		k.add("http.tls", "invalid-pair", fmt.Sprintf("got %s without %s, want both files or none", present, missing), "")
	}
	k.publicURL()
	k.oidc()
	for i, proxy := range h.TrustedProxies {
		if _, err := ParseNetwork(proxy); err != nil {
			k.add(fmt.Sprintf("http.trustedProxies[%d]", i), "invalid-value", err.Error(), "")
		}
	}
	k.hooks()
	k.between("http.limits.bodyMB", h.Limits.BodyMB, 1, 1000)
	k.between("http.limits.requests", h.Limits.Requests, 1, 100_000)
	k.between("http.limits.waiting", h.Limits.Waiting, 1, 100_000)
	k.between("http.limits.perSecond", h.Limits.PerSecond, 1, 1_000_000)
}

// hooks checks the hooks, except what a project must be known for.
func (k *checker) hooks() {
	for _, name := range slices.Sorted(maps.Keys(k.HTTP.Hooks)) {
		h, path := k.HTTP.Hooks[name], "http.hooks."+name
		k.name("http.hooks", name)
		if k.present(path, "signature", h.Signature != "") {
			k.choice(path+".signature", h.Signature, HookSignatures)
		}
		if k.present(path, "secret", h.Secret != "") {
			if _, known := k.Secrets[h.Secret]; !known {
				k.add(path+".secret", "unknown-secret", fmt.Sprintf("there is no secret %q", h.Secret), strictyaml.Suggest(h.Secret, slices.Sorted(maps.Keys(k.Secrets))))
			}
		}
		if h.Queue != "" {
			k.queueName(path+".queue", h.Queue)
		}
		if k.atLeast(path+".tolerance", h.Tolerance, 0); h.Tolerance > MaxHookTolerance {
			k.add(path+".tolerance", "out-of-range", fmt.Sprintf("got %s, want at most %s", h.Tolerance, brief(MaxHookTolerance)), "signatures are remembered for a day")
		}
	}
}

// listen checks the address, and that it is safe.
func (k *checker) listen() {
	h := &k.HTTP
	host, port, err := net.SplitHostPort(h.Listen)
	if n, portErr := strconv.Atoi(port); err != nil || portErr != nil || n < 0 || n > 65535 {
		k.add("http.listen", "invalid-value", fmt.Sprintf("got %.60q, want a host and a port", h.Listen), "the default is "+Default().HTTP.Listen)
		return
	}
	if h.Off || h.Insecure || h.TLS.Cert != "" || IsLoopback(host) {
		return
	}
	k.add("http.listen", "insecure-address", fmt.Sprintf("got %s without TLS; tokens and payloads would cross the network in clear text", h.Listen),
		"set http.tls, or http.insecure: true if a proxy terminates TLS, or listen on 127.0.0.1")
}

func (k *checker) publicURL() {
	text := k.HTTP.PublicURL
	if text == "" {
		return
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		k.add("http.publicUrl", "invalid-value", fmt.Sprintf("got %.80q, want a scheme and a host, such as https://botwork.example.com", text), "")
	}
}

// IsLoopback reports whether a host is an address of the loopback, or localhost.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// ParseNetwork parses an address or a network, such as 10.0.0.0/8.
func ParseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("got %.60q, want an address or a network such as 10.0.0.0/8", text)
	}
	return network.Masked(), nil
}
