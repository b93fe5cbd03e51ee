// Package docstest holds the documents of docs/ and README.md to the program.
// It has no code, only tests:
//
//   - docs/handlers.md and the commands in docs/cli.md and docs/cli are generated; run
//     `go test ./internal/tests/docstest -update` after a change
//   - every YAML fragment goes through the checker of pipelines or settings, and
//     a fragment that is wrong on purpose (```yaml wrong NAME) must bring exactly
//     the findings in the text block behind it
//   - a fragment below a comment <!-- from: PATH --> is that file of the module
//   - every command line names commands and flags that exist
//   - tables that state facts are compared with the code, or executed row by row
//   - every relative link leads to something, and some page links to every page
package docstest
