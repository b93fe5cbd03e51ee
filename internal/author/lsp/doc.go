// Package lsp is a language server for the files of a project: pipelines and
// settings. It implements LSP 3.17 over one connection, usually the standard input
// and output of `botwork lsp`.
//
// It publishes the findings of the project's checker in open documents and in the
// other files of the project, completes and explains keys, parameters and
// expressions, finds definitions, and renames steps.
//
// One goroutine handles messages in order and maintains the documents. Requests run
// concurrently on the documents as they were when the request arrived. Checks run in
// another goroutine, shortly after the last change.
//
// The text of a document can be invalid YAML at any moment. Diagnostics come from the
// strict parser and the checker; all other features use a sketch of the text (package
// sketch), which can represent any text.
package lsp
