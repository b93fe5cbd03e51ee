// Package faultproxy is a proxy between a program and its database server for tests. It disturbs
// their connections like a network: it refuses, closes or delays them, drops their bytes, or
// cuts an answer short.
package faultproxy
