// Package yamllstest tests what editors make of the JSON Schemas: it drives the
// YAML language server that VS Code, Neovim and others use, of the version that
// package-lock.json pins. `npm ci` in this folder installs it; without it, or
// without node, the tests are skipped. A machine that has to have it sets
// BOTWORK_TEST_YAMLLS=required.
package yamllstest
