// The command palette: pages, what this page offers, and what the server finds for a text.
"use strict";

(() => {
	const dialog = document.querySelector("#palette");
	if (!dialog || !dialog.showModal) return;
	const input = dialog.querySelector("input"), list = dialog.querySelector("[role=listbox]"), status = dialog.querySelector("[role=status]");
	const opener = document.querySelector("[data-palette-open]");
	opener.hidden = false;

	const most = 12; // entries that the page itself finds, for a text
	let entries = [], at = -1, request = null, timer = 0, entering = false;

	// places are the pages of the navigation.
	function places() {
		return [...document.querySelectorAll(".side a[data-key]")].map((link) => ({
			kind: "page", text: link.querySelector("span").textContent, detail: "g " + link.dataset.key, run: () => { location.href = link.href; },
		}));
	}

	// about returns what an action of the page is about: its row, or its card.
	function about(el) {
		const row = el.closest("tr");
		if (row) return row.querySelector("b, a")?.textContent.trim() || "";
		return el.closest(".card")?.querySelector("h2, b")?.textContent.trim() || "";
	}

	// actions are what the page offers beyond links to other pages.
	function actions() {
		const found = [...document.querySelectorAll("main details.act > summary, main a.button, main button, main [data-views] summary")];
		return found.filter((el) => el.checkVisibility() && !el.disabled && !el.closest(".sheet, dialog") && el.textContent.trim().length > 1).map((el) => ({
			kind: "action", text: el.textContent.trim(), detail: about(el), run: () => act(el),
		}));
	}

	function act(el) {
		el.scrollIntoView({ block: "nearest" });
		if (el.matches("summary")) {
			el.parentElement.open = true;
			(el.parentElement.querySelector("input:not([type=hidden]), select, textarea, button") || el).focus();
		} else el.click();
	}

	function always() {
		const all = [{ kind: "action", text: "Print this page", run: () => print() }];
		for (const [selector, text, detail] of [["[data-theme-pick]", "", "system, light or dark"], ["[data-zone=local]", "Times in local time"], ["[data-zone=utc]", "Times in UTC"], ["form[action='/sign-out'] button", "Sign out"]]) {
			const el = document.querySelector(selector);
			if (el) all.push({ kind: "action", text: text || el.textContent, detail, run: () => el.click() });
		}
		all.push({ kind: "action", text: "Keys", detail: "?", run: () => document.querySelector("#keys").showModal() });
		return all;
	}

	// rank orders by where the words of a text are found; negative: not all are found.
	function rank(entry, words) {
		const text = entry.text.toLowerCase(), detail = (entry.detail || "").toLowerCase();
		let sum = 0;
		for (const word of words) {
			const i = text.indexOf(word);
			if (i === 0) sum += 3;
			else if (i > 0) sum += text[i - 1] === " " ? 2 : 1;
			else if (!detail.includes(word) && entry.kind !== word) return -1;
		}
		return sum;
	}

	function local(text) {
		const words = text.toLowerCase().split(/\s+/).filter(Boolean), all = [...actions(), ...places(), ...always()];
		if (words.length === 0) return all;
		return all.map((entry) => ({ entry, rank: rank(entry, words) })).filter((one) => one.rank >= 0)
			.sort((a, b) => b.rank - a.rank).slice(0, most).map((one) => one.entry);
	}

	function find(text) {
		return { kind: "search", text: "Find items with “" + text + "” in their key", run: () => { location.href = "/items?keyPart=" + encodeURIComponent(text); } };
	}

	function show(all) {
		entries = all;
		list.replaceChildren(...all.map((entry, i) => {
			const option = document.createElement("div"), name = document.createElement("span"), detail = document.createElement("span"), kind = document.createElement("span");
			option.id = "palette-" + i;
			option.setAttribute("role", "option");
			name.textContent = entry.text;
			detail.textContent = entry.detail || "";
			detail.className = "dim";
			kind.textContent = entry.kind;
			kind.className = "kind";
			option.append(name, detail, kind);
			option.addEventListener("mousemove", () => { if (at !== i) select(i); });
			option.addEventListener("click", () => { select(i); choose(); });
			return option;
		}));
		status.textContent = all.length === 1 ? "1 result" : all.length + " results";
		select(all.length > 0 ? 0 : -1);
	}

	function select(i) {
		list.children[at]?.removeAttribute("aria-selected");
		at = i;
		const option = list.children[at];
		if (!option) { input.removeAttribute("aria-activedescendant"); return; }
		option.setAttribute("aria-selected", "true");
		option.scrollIntoView({ block: "nearest" });
		input.setAttribute("aria-activedescendant", option.id);
	}

	function choose() {
		const entry = entries[at];
		if (!entry) return;
		dialog.close();
		entry.run();
	}

	// ask shows what the page itself finds at once, and asks the server when the person pauses.
	function ask() {
		clearTimeout(timer);
		request?.abort();
		const text = input.value.trim(), own = local(text);
		if (text === "") { show(own); return; }
		show([...own, find(text)]);
		timer = setTimeout(async () => {
			const asked = request = new AbortController();
			try {
				const got = await fetch("/suggestions?q=" + encodeURIComponent(text), { signal: asked.signal, redirect: "manual" });
				if (!got.ok) { status.textContent = "The server has no suggestions: " + (got.status === 401 ? "signed out" : "error " + got.status); return; }
				const found = (await got.json()).map((one) => ({ ...one, run: () => { location.href = one.link; } }));
				const chosen = at > 0 ? entries[at] : null; // what the person has moved to stays selected
				show([...found.filter((one) => one.kind === "item"), ...own, ...found.filter((one) => one.kind !== "item"), find(text)]);
				const again = chosen ? entries.findIndex((one) => one.kind === chosen.kind && one.text === chosen.text && one.detail === chosen.detail) : 0;
				if (again > 0) select(again);
			} catch (error) {
				if (error.name !== "AbortError") status.textContent = "The server does not answer";
			}
		}, 150);
	}

	function open() {
		for (const other of document.querySelectorAll("dialog[open]")) other.close();
		input.value = "";
		entering = false;
		ask();
		dialog.showModal();
		input.focus();
	}

	input.addEventListener("input", ask);
	input.addEventListener("keydown", (event) => {
		if (event.isComposing) return;
		const last = entries.length - 1, page = 8;
		const to = { ArrowDown: at >= last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1, PageDown: Math.min(last, at + page), PageUp: Math.max(0, at - page) }[event.key];
		if (to !== undefined) { event.preventDefault(); if (last >= 0) select(to); }
		if (event.key === "Enter") { event.preventDefault(); entering = entering || !event.repeat; }
	});
	// The choice waits until the key is released. A form that the action opens would otherwise get the rest
	// of the key, or its repetitions, and be sent at once.
	input.addEventListener("keyup", (event) => {
		if (event.key !== "Enter" || !entering) return;
		entering = false;
		choose();
	});
	dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
	dialog.addEventListener("close", () => { clearTimeout(timer); request?.abort(); });
	opener.addEventListener("click", open);
	document.addEventListener("keydown", (event) => {
		if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
		event.preventDefault();
		if (dialog.open) dialog.close();
		else open();
	});
})();
