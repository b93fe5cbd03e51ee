// What the page of one item does beyond links and forms. The page shows everything without it.
"use strict";

(() => {
	// Documents: a search through keys and values, a copy, and the raw text in place of the tree.
	function search(box) {
		const wanted = box.querySelector("[data-search]").value.trim().toLowerCase(), tree = box.querySelector(".tree"), found = box.querySelector("[data-found]");
		let count = 0;
		for (const el of box.querySelectorAll(".tree li")) el.hidden = false;
		for (const el of box.querySelectorAll(".hit")) el.classList.remove("hit");
		found.textContent = "";
		if (wanted === "" || !tree) return;
		for (const el of tree.querySelectorAll("li")) el.hidden = true;
		for (const el of tree.querySelectorAll(".k, .v")) {
			if (!el.textContent.toLowerCase().includes(wanted)) continue;
			count++;
			el.classList.add("hit");
			const own = el.closest("li");
			if (own) for (const inner of own.querySelectorAll("li")) inner.hidden = false;
			for (let at = el.parentElement; at !== tree; at = at.parentElement) {
				if (at.matches("li")) at.hidden = false;
				if (at.matches("details") && !el.closest("summary")?.parentElement.isSameNode(at)) at.open = true;
			}
		}
		found.textContent = count === 1 ? "1 match" : count + " matches";
	}

	// The field that is searched in may be replaced by news, so the handlers are those of the document.
	document.addEventListener("input", (event) => { if (event.target.matches("[data-search]")) search(event.target.closest(".document")); });
	document.addEventListener("click", async (event) => {
		const box = event.target.closest(".document");
		if (event.target.closest("[data-raw]")) {
			const raw = box.querySelector(".raw");
			raw.open = !raw.open;
			show(box);
		}
		const copy = event.target.closest("[data-copy]");
		if (copy) {
			copy.textContent = await copied(box.querySelector(".raw pre")) ? "Copied" : "Select and copy";
			setTimeout(() => { copy.textContent = "Copy"; }, 2000);
		}
	});

	// copied copies the text of an element. Without a clipboard, as over plain HTTP, it selects the text.
	async function copied(el) {
		try {
			await navigator.clipboard.writeText(el.textContent);
			return true;
		} catch {
			el.parentElement.open = true;
			show(el.closest(".document"));
			getSelection().selectAllChildren(el);
			return false;
		}
	}

	function show(box) {
		const raw = box.querySelector(".raw"), tree = box.querySelector(".tree");
		if (!tree) return;
		tree.hidden = raw.open;
		box.querySelector("[data-raw]").setAttribute("aria-pressed", String(raw.open));
		box.querySelector("[data-search]").disabled = raw.open;
	}

	function prepare() {
		for (const box of document.querySelectorAll(".document")) {
			if (!box.querySelector(".tree")) continue;
			box.classList.add("scripted");
			box.querySelector(".tools").hidden = false;
			show(box);
			search(box);
		}
	}

	// News replace the page: what the reader has opened, closed or searched for stays as it is.
	document.addEventListener("renewing", (event) => {
		const open = new Map([...document.querySelectorAll("main details[data-keep]")].map((el) => [el.dataset.keep, el.open]));
		for (const el of event.detail.querySelectorAll("details[data-keep]")) {
			if (open.has(el.dataset.keep)) el.open = open.get(el.dataset.keep);
		}
		for (const box of document.querySelectorAll(".document")) {
			const next = event.detail.querySelector(`.document[data-document="${CSS.escape(box.dataset.document)}"] [data-search]`);
			if (next) next.value = box.querySelector("[data-search]").value;
		}
	});

	prepare();
	document.addEventListener("renewed", prepare);
})();
