// Package faultproxy is a proxy between a program and its database server for tests. It disturbs
// their connections as networks do: it refuses them, ends them, slows them down, swallows what
// they carry, or cuts an answer short.
package faultproxy
