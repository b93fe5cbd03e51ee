// Package docstest checks the documents of docs/ and README.md against the program.
// It contains only tests:
//
//   - docs/handlers.md and the commands in docs/cli.md and docs/cli are generated; run
//     `go test ./internal/tests/docstest -update` after a change
//   - every YAML fragment is checked like pipelines or settings, and a fragment that
//     is wrong on purpose (```yaml wrong NAME) must have exactly the findings in the
//     text block after it
//   - a fragment below a comment <!-- from: PATH --> is that file of the module, and one
//     below <!-- part of: PATH --> some lines of it
//   - every command line has existing commands and flags
//   - tables of facts are compared with the code, or executed row by row
//   - every relative link has a target, and every page is linked from another page
package docstest
