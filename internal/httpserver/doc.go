// Package httpserver serves a handler over HTTP or HTTPS, hardened for a network that is not
// trusted: timeouts for slow clients, a list of allowed Host headers, protection against
// requests of other sites, secure headers, bounds on bodies, on requests at a time in lanes that
// are apart, and on requests a second, request ids, and a shutdown that answers what waits.
package httpserver
