// Package openapitest checks the OpenAPI document with Redocly's linter, which many who publish such documents use.
// package-lock.json pins its version, redocly.yaml its rules. `npm ci` in this folder installs it; without it, or
// without node, the test is skipped. With BOTWORK_TEST_OPENAPI=required, it fails instead.
package openapitest
