// Package lsp is a language server for the files of a project: pipelines and
// settings. It speaks LSP 3.17 over one connection, usually standard input and
// output of `botwork lsp`.
//
// It marks what the project's checker finds in open documents and in the files
// beside them, completes and explains keys, parameters and expressions, leads to
// what a name names, and renames steps.
//
// One goroutine takes messages in their order and keeps the documents; a request
// works on the documents as they were when it came, beside others. Checks run in
// a goroutine of their own a moment after the last change.
//
// The text of a document may be broken at any moment. What is marked comes from
// the strict reader and the checker; everything else works on a sketch of the
// text (package sketch), which always has an answer.
package lsp
