// Package yamllstest tests the JSON Schemas with the YAML language server that VS Code,
// Neovim and other editors use. package-lock.json pins its version. `npm ci` in this
// folder installs it. The tests run with BOTWORK_TEST_GROUPS=npm.
package yamllstest
