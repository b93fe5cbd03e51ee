package config

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Tracing has the settings of traces. Without an endpoint nothing is traced.
type Tracing struct {
	OTLP OTLP `yaml:"otlp" envPrefix:"OTLP_"`

	// Sample is the share of new traces that are sent; 0: all.
	Sample Percent `yaml:"sample" env:"SAMPLE"`
}

// OTLP is the collector that receives spans over HTTP, as protobuf.
type OTLP struct {
	// Endpoint is an http or https address, such as http://127.0.0.1:4318. Without a path,
	// /v1/traces is added.
	Endpoint string `yaml:"endpoint" env:"ENDPOINT"`

	// Headers are sent along, such as Authorization.
	Headers map[string]Text `yaml:"headers"`

	// Insecure allows an http address that is not the loopback.
	Insecure bool `yaml:"insecure" env:"INSECURE"`
}

// URL returns the whole address; "" without an endpoint.
func (o OTLP) URL() string {
	u, err := url.Parse(o.Endpoint)
	if err != nil || o.Endpoint == "" {
		return ""
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	return u.String()
}

// HeaderValues returns headers with their secrets.
func HeaderValues(headers map[string]Text) map[string]string {
	values := make(map[string]string, len(headers))
	for name, text := range headers {
		values[name] = text.Reveal()
	}
	return values
}

func (k *checker) tracing() {
	const path = "tracing.otlp.endpoint"
	o := k.Tracing.OTLP
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		switch text := o.Headers[name]; {
		case name == "" || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c >= 127 || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c) }):
			k.add("tracing.otlp.headers", "invalid-value", "got the name "+name+", want that of an HTTP header", "")
		case text.problem != "":
			k.add("tracing.otlp.headers."+name, "no-value", text.problem, "")
		}
	}
	if o.Endpoint == "" {
		if len(o.Headers) > 0 || o.Insecure || k.Tracing.Sample != 0 {
			k.add("tracing.otlp", "missing-key", "without endpoint nothing is traced", "endpoint: http://127.0.0.1:4318")
		}
		return
	}
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		k.add(path, "invalid-value", "want an http or https address of a collector", "http://127.0.0.1:4318")
	case u.User != nil:
		k.add(path, "invalid-value", "the address has a user or a password", "put it into headers: {Authorization: {file: …}}")
	case u.Scheme == "http" && !o.Insecure && !IsLoopback(u.Hostname()):
		k.add(path, "invalid-value", "http sends spans and headers unencrypted to "+u.Hostname(), "use https, or set tracing.otlp.insecure")
	}
}
