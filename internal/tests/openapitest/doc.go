// Package openapitest checks the OpenAPI document with Redocly's linter, which many who publish such documents use.
// package-lock.json pins its version, redocly.yaml its rules. `npm ci` in this folder installs it. The
// test runs with BOTWORK_TEST_GROUPS=npm.
package openapitest
