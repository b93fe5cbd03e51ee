// The editor of pipelines: the text of the form in CodeMirror, with what the server finds in it, proposes
// and draws while it is typed. The buttons send the form like without scripts; their answers are shown in
// the page, so that the text, its history and the cursor stay.
"use strict";

(() => {
	const form = document.querySelector("#edit"), area = document.querySelector("#edit-text"), host = document.querySelector("#edit-code");
	const CM = globalThis.CodeMirror;
	if (!form || !CM) return;
	const pipeline = form.dataset.pipeline, part = (name) => document.querySelector("#edit-" + name);

	function make(name, attributes, ...children) {
		const el = Object.assign(document.createElement(name), attributes);
		el.append(...children);
		return el;
	}

	// The server.

	async function ask(operation, body, signal) {
		const got = await fetch("/api/v1/drafts/" + operation, {
			method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ pipeline, ...body }), signal, redirect: "manual",
		});
		if (!got.ok) throw Object.assign(new Error("the server has refused to answer"), { status: got.status });
		return got;
	}

	const textOf = (state) => state.doc.toString();

	function positionOf(state, offset) {
		const line = state.doc.lineAt(offset);
		return { line: line.number - 1, character: offset - line.from };
	}

	function offsetOf(state, at) {
		if (at.line >= state.doc.lines) return state.doc.length;
		const line = state.doc.line(at.line + 1);
		return Math.min(line.from + at.character, line.to);
	}

	// Descriptions are a small part of Markdown: paragraphs, lists, code and bold text.

	function inline(text) {
		return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
			if (piece.length > 2 && piece.startsWith("`")) return make("code", { textContent: piece.slice(1, -1) });
			if (piece.length > 4 && piece.startsWith("**")) return make("b", { textContent: piece.slice(2, -2) });
			return piece;
		});
	}

	function markdown(text) {
		const doc = make("div", { className: "cm-doc" });
		for (const block of text.split(/(```[\s\S]*?```)|\n\n+/)) {
			if (!block?.trim()) continue;
			if (block.startsWith("```")) {
				doc.append(make("pre", {}, make("code", { textContent: block.replace(/^```\w*\n?|\n?```$/g, "") })));
				continue;
			}
			let paragraph = [];
			const end = () => { if (paragraph.length) doc.append(make("p", {}, ...inline(paragraph.join(" ")))); paragraph = []; };
			let list = null;
			for (const line of block.split("\n")) {
				if (/^[-*] /.test(line)) {
					end();
					if (!list) doc.append(list = make("ul", {}));
					list.append(make("li", {}, ...inline(line.slice(2))));
				} else { list = null; paragraph.push(line); }
			}
			end();
		}
		return doc;
	}

	// Findings, and the graph of the text.

	// extent returns the part of the text that a finding is about. Columns count characters from 1.
	function extent(state, f) {
		const place = (number, column) => {
			const line = state.doc.line(Math.max(1, Math.min(number, state.doc.lines)));
			return line.from + [...line.text].slice(0, Math.max(0, column - 1)).join("").length;
		};
		const from = place(f.line, f.column), line = state.doc.lineAt(from);
		if (f.endLine) return [from, Math.max(from, place(f.endLine, f.endColumn))];
		if (!f.line) return [line.from, line.to];
		const word = /^(?:[\w-]+|"[^"]*"|'[^']*'|[^\s])/.exec(state.sliceDoc(from, line.to));
		return word ? [from, from + word[0].length] : [Math.max(line.from, from - 1), from];
	}

	let checks = 0, running = null, timer = 0;

	function check(view, wait) {
		clearTimeout(timer);
		timer = setTimeout(async () => {
			const mine = ++checks, state = view.state, text = textOf(state);
			running?.abort();
			running = new AbortController();
			const { signal } = running;
			try {
				const found = await (await ask("check", { text }, signal)).json();
				if (mine !== checks || view.state.doc !== state.doc) return;
				view.dispatch(CM.setDiagnostics(view.state, found.items.map((f) => {
					const [from, to] = extent(view.state, f);
					return { from, to, severity: f.severity === "error" ? "error" : "warning", source: f.code, message: f.message + (f.hint ? "; " + f.hint : "") };
				})));
				showFindings(view, found);
				if (!found.valid) return graphIsOld();
				const drawn = await (await ask("graph", { text }, signal)).text();
				if (mine === checks) showGraph(drawn);
			} catch (err) {
				if (err.name === "AbortError") return;
				part("count").textContent = err.status === 401 ? "signed out: copy your text before you sign in again" : "not checked: the server does not answer";
			}
		}, wait);
	}

	function showFindings(view, found) {
		const errors = found.items.filter((f) => f.severity === "error").length, warnings = found.items.length - errors;
		const counted = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
		part("count").textContent = errors ? counted(errors, "error") : warnings ? "no errors, " + counted(warnings, "warning") : "no errors";
		const list = make("ul", { className: "found" });
		for (const f of found.items.toSorted((a, b) => a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : a.line - b.line)) {
			const link = make("a", { href: "#edit-text", textContent: "line " + f.line });
			link.dataset.line = f.line;
			link.dataset.column = f.column;
			const text = make("span", {}, make("b", { textContent: f.severity }), " " + f.message);
			if (f.hint) text.append(" ", make("span", { className: "dim", textContent: f.hint }));
			list.append(make("li", { className: f.severity }, link, text));
		}
		part("findings").replaceChildren(found.items.length ? list : make("p", { className: "in dim", textContent: "The checker finds nothing." }));
	}

	function showGraph(svg) {
		const image = make("img", { src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg), alt: "graph of the steps in the text" });
		part("graph").replaceChildren(image);
		part("graph").classList.remove("old");
		part("graph-note").textContent = "";
	}

	function graphIsOld() {
		if (!part("graph").querySelector("img")) return;
		part("graph").classList.add("old");
		part("graph-note").textContent = "of the last text without errors";
	}

	// Proposals and descriptions.

	async function complete(context) {
		const word = context.matchBefore(/[\w-]*/);
		const before = context.state.sliceDoc(Math.max(0, word.from - 2), word.from);
		if (!context.explicit && word.from === word.to && !/[.[]$|: $|- $/.test(before)) return null;
		const abort = new AbortController();
		context.addEventListener("abort", () => abort.abort());
		let found;
		try {
			found = await (await ask("complete", { text: textOf(context.state), ...positionOf(context.state, context.pos) }, abort.signal)).json();
		} catch {
			return null;
		}
		const options = found.items.toSorted((a, b) => (a.sort || "") < (b.sort || "") ? -1 : 1).map((item, i) => ({
			label: item.label, detail: item.detail, boost: Math.max(-99, 99 - i), type: item.detail?.includes("(") ? "function" : "property",
			info: item.doc ? () => markdown(item.doc) : undefined,
			apply(view, _, from, to) {
				// More may have been typed after the request, and the word may go on after the cursor.
				const start = offsetOf(context.state, item.range.from), rest = Math.max(0, offsetOf(context.state, item.range.to) - context.pos);
				view.dispatch({
					changes: { from: start, to: to + rest, insert: item.text }, selection: { anchor: start + item.text.length }, scrollIntoView: true, userEvent: "input.complete",
				});
				if (/: $|:\n\s*(- )?$/.test(item.text)) CM.startCompletion(view);
			},
		}));
		return options.length ? { from: word.from, options, validFor: /^[\w-]*$/ } : null;
	}

	async function explain(view, pos) {
		try {
			const state = view.state, found = await (await ask("explain", { text: textOf(state), ...positionOf(state, pos) })).json();
			if (!found.text || view.state.doc !== state.doc) return null;
			return { pos: offsetOf(state, found.range.from), end: offsetOf(state, found.range.to), above: true, create: () => ({ dom: markdown(found.text) }) };
		} catch {
			return null;
		}
	}

	// The look.

	const t = CM.tags, look = CM.tagHighlighter([
		{ tag: [t.propertyName, t.definition(t.propertyName)], class: "tok-key" }, { tag: [t.string, t.special(t.string), t.content], class: "tok-text" },
		{ tag: [t.number, t.bool, t.null], class: "tok-number" }, { tag: [t.comment, t.lineComment, t.meta], class: "tok-comment" },
		{ tag: [t.punctuation, t.separator, t.squareBracket, t.brace], class: "tok-mark" },
	]);
	const expression = new CM.MatchDecorator({ regexp: /\$\{\{.*?\}\}/g, decoration: CM.Decoration.mark({ class: "tok-expression" }) });
	const expressions = CM.ViewPlugin.fromClass(class {
		constructor(view) { this.decorations = expression.createDeco(view); }
		update(update) { this.decorations = expression.updateDeco(update, this.decorations); }
	}, { decorations: (plugin) => plugin.decorations });

	const theme = CM.EditorView.theme({
		"&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "var(--text-m)", height: "clamp(320px, 62vh, 760px)" },
		"&.cm-focused": { outline: "none" },
		".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
		".cm-content": { caretColor: "var(--ink)" },
		".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
		".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", borderRight: "1px solid var(--line)" },
		".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--bg) 60%, transparent)" }, ".cm-activeLineGutter": { backgroundColor: "var(--bg)", color: "var(--ink)" },
		"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
		".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" }, ".cm-searchMatch": { backgroundColor: "var(--pending-soft)", outline: "1px solid var(--pending)" },
		"&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
		".cm-foldPlaceholder": { backgroundColor: "var(--bg)", color: "var(--ink-2)", borderColor: "var(--line-strong)" },
		".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "6px", boxShadow: "0 8px 24px rgb(8 12 18 / .18)", zIndex: "20" },
		".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--text-s)", maxHeight: "16em" },
		".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px", lineHeight: "1.4" },
		".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft) !important", color: "var(--ink) !important" },
		".cm-completionDetail": { color: "var(--ink-2)", fontStyle: "normal" }, ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)", fontWeight: "600" },
		".cm-completionInfo": { padding: "4px" },
		".cm-diagnostic": { padding: "6px 10px", fontSize: "var(--text-s)", maxWidth: "460px", overflowWrap: "anywhere" }, ".cm-diagnosticSource": { color: "var(--ink-3)", opacity: "1" },
		".cm-diagnostic-error": { borderLeftColor: "var(--failed)" }, ".cm-diagnostic-warning": { borderLeftColor: "var(--pending)" },
		".cm-lintRange-error, .cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--failed) 1px", textUnderlineOffset: "3px" },
		".cm-lintRange-warning": { textDecorationColor: "var(--pending)" },
		".cm-panels": { backgroundColor: "var(--bg)", color: "var(--ink)", borderColor: "var(--line)" }, ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
		".cm-textfield": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "6px" },
		".cm-button": { backgroundImage: "none", backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "6px" },
		".cm-panel.cm-search [name=close]": { color: "var(--ink)" },
	});

	// Unsaved changes.

	const opened = area.value, unsaved = "changed" in form.dataset; // the page came with a text that is not in the file
	let leaving = false;

	function showDirty() {
		part("dirty").hidden = !unsaved && textOf(view.state) === opened;
	}

	addEventListener("beforeunload", (event) => {
		if (!leaving && textOf(view.state) !== opened) event.preventDefault();
	});

	const view = new CM.EditorView({
		doc: area.value, parent: host,
		extensions: [
			CM.EditorView.cspNonce.of(host.nonce),
			CM.lineNumbers(), CM.lintGutter(), CM.foldGutter(), CM.highlightActiveLineGutter(), CM.highlightSpecialChars(), CM.history(), CM.drawSelection(), CM.indentOnInput(),
			CM.bracketMatching(), CM.closeBrackets(), CM.highlightActiveLine(), CM.highlightSelectionMatches(), CM.search({ top: true }), CM.indentUnit.of("  "),
			CM.yaml(), CM.syntaxHighlighting(look), expressions, theme,
			CM.autocompletion({ override: [complete], icons: false, maxRenderedOptions: 80 }), CM.hoverTooltip(explain, { hoverTime: 350 }),
			CM.EditorView.contentAttributes.of({ "aria-label": "Text of the pipeline " + pipeline, "aria-describedby": "edit-help", tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
			CM.keymap.of([
				{ key: "Mod-s", preventDefault: true, run: () => { form.requestSubmit(form.querySelector("[value=diff]")); return true; } },
				...CM.closeBracketsKeymap, ...CM.completionKeymap, ...CM.lintKeymap, ...CM.searchKeymap, ...CM.historyKeymap, ...CM.foldKeymap, ...CM.defaultKeymap, CM.indentWithTab,
			]),
			CM.EditorView.updateListener.of((update) => {
				if (!update.docChanged) return;
				showDirty();
				check(view, 350);
			}),
		],
	});
	form.classList.add("live");
	host.hidden = part("help").hidden = false;
	showDirty();
	check(view, 0);

	// A finding leads to its line.
	part("findings").addEventListener("click", (event) => {
		const link = event.target.closest("a[data-line]");
		if (!link) return;
		event.preventDefault();
		const [from] = extent(view.state, { line: Number(link.dataset.line), column: Number(link.dataset.column) });
		view.dispatch({ selection: { anchor: from }, effects: CM.EditorView.scrollIntoView(from, { y: "center" }) });
		view.focus();
	});

	// The buttons. A save that succeeds leads to another address; everything else stays in the page.
	let sending = false;
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		if (sending) return;
		sending = true;
		area.value = textOf(view.state);
		const sent = new FormData(form, event.submitter);
		form.setAttribute("aria-busy", "true");
		try {
			const got = await fetch(form.action, { method: "POST", body: new URLSearchParams(sent), headers: { "X-Renew": "1" } });
			const next = new DOMParser().parseFromString(await got.text(), "text/html"), results = next.querySelector("#edit-results");
			if (got.redirected) {
				if (got.ok && new URL(got.url).pathname !== "/sign-in") leaving = true;
				else throw new Error("You are signed out. Copy your text before you sign in again.");
				location.assign(got.url);
				return;
			}
			if (!results) throw new Error(next.querySelector("main")?.innerText || "The server does not answer.");
			part("results").replaceChildren(...results.childNodes);
			part("state").replaceChildren(...next.querySelector("#edit-state").childNodes);
		} catch (err) {
			part("results").replaceChildren(make("div", { className: "notice bad", role: "alert", textContent: err instanceof TypeError ? "The server does not answer. Your text is kept." : err.message }));
		} finally {
			sending = false;
			form.removeAttribute("aria-busy");
		}
		const heading = part("results").querySelector("h2, [role=alert]");
		heading?.scrollIntoView({ block: "center" });
		if (heading?.tabIndex === -1) heading.focus({ preventScroll: true });
	});
})();
