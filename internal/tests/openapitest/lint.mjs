// Prints what Redocly's linter finds in an OpenAPI document, by the rules of redocly.yaml beside this file. It exits with
// 1 if that is anything, also a warning.
import { formatProblems, getTotals, lint, loadConfig } from "@redocly/openapi-core";
import { fileURLToPath } from "node:url";

const config = await loadConfig({ configPath: fileURLToPath(new URL("redocly.yaml", import.meta.url)) });
const problems = await lint({ ref: process.argv[2], config });
const totals = getTotals(problems);
formatProblems(problems, { format: "stylish", totals, version: "" });
process.exitCode = totals.errors + totals.warnings > 0 ? 1 : 0;
