// Package auth finds out who sends a request to the HTTP API: the owner of an API token or the
// user of a session. Nothing is answered to a caller that is unknown, on the loopback neither.
package auth
