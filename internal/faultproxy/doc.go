// Package faultproxy stands between a program and its database server, for
// tests, and spoils their connections the way networks do: it refuses them, ends
// them, slows them down, swallows what they carry, or cuts an answer short.
package faultproxy
