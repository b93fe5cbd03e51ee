// Package api is the HTTP API of Botwork: operations on items, queues, workers and the rest
// under /api/v1, for robots, operators and programs. It describes itself as OpenAPI 3.1.
//
// Each operation is one method of the stores or of a package below; this package checks who
// may call it, reads the parameters, and writes the answer in the words of the command line.
// Errors are problems as RFC 9457 describes them, with a code that programs can act on.
package api
