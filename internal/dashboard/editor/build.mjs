// Writes ../assets/codemirror.js.gz, or the file that is named: what entry.js exports, as one script, with
// the licences and the versions of its packages at its start.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const folder = dirname(fileURLToPath(import.meta.url));
const result = await build({
	absWorkingDir: folder, entryPoints: ["entry.js"], bundle: true, minify: true, format: "iife", globalName: "CodeMirror", target: "es2022",
	legalComments: "eof", charset: "utf8", metafile: true, write: false,
});
const names = new Set();
for (const file of Object.keys(result.metafile.inputs)) {
	const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
	if (match) names.add(match[1]);
}
const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
const licences = new Map(); // the names of packages by the text of their licence
const lines = [];
for (const name of [...names].sort()) {
	const at = "node_modules/" + name, text = readFileSync(join(folder, at, "LICENSE"), "utf8").trim();
	lines.push(`${name} ${lock.packages[at].version}`);
	licences.set(text, [...(licences.get(text) || []), name]);
}
let banner = "/*!\nMade by `make editor`. It has these packages:\n\n" + lines.join("\n") + "\n";
for (const [text, of] of licences) banner += `\nThe licence of ${of.join(", ")}:\n\n${text}\n`;
const script = banner.replaceAll("*/", "* /") + "*/\n" + result.outputFiles[0].text;
writeFileSync(process.argv[2] || join(folder, "../assets/codemirror.js.gz"), gzipSync(script, { level: 9 }));
