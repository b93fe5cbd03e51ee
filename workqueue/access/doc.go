// Package access has what decides who may use the HTTP API and the pages: roles, API
// tokens, users and their sessions, and the contracts of the stores that keep them. Secrets
// are random and long; the stores see only their SHA-256, so that a copy of the database
// opens nothing.
package access
