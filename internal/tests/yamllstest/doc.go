// Package yamllstest tests the JSON Schemas with the YAML language server that VS Code,
// Neovim and other editors use. package-lock.json pins its version. `npm ci` in this
// folder installs it; without it, or without node, the tests are skipped. With
// BOTWORK_TEST_YAMLLS=required, they fail instead.
package yamllstest
