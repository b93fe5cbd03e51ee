// What people who watch the queue all day need beyond app.js. The pages show everything without it.
"use strict";

(() => {
	const store = {
		get: (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
		set: (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* private mode */ } },
	};
	const main = document.querySelector("main");

	function make(name, properties, ...children) {
		const el = Object.assign(document.createElement(name), properties);
		el.append(...children);
		return el;
	}

	// A box that scrolls takes the focus, so that the keyboard can scroll it.
	function reachable() {
		for (const box of document.querySelectorAll(".scroll, .card, pre")) {
			if (box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible") box.tabIndex = 0;
			else if (box.tabIndex === 0) box.removeAttribute("tabindex");
		}
	}

	// A form of filters leaves out what is empty, so that addresses stay short.
	document.addEventListener("submit", (event) => {
		if (!event.target.matches("form[data-tidy]")) return;
		const empty = [...event.target.elements].filter((el) => el.name && el.value === "");
		for (const el of empty) el.disabled = true;
		setTimeout(() => { for (const el of empty) el.disabled = false; });
	});

	// Selected rows: the bar with what can be done appears with the first one.
	function selection() {
		const bar = document.querySelector("[data-selection] .selection");
		if (!bar) return;
		const boxes = [...document.querySelectorAll("main input[name=id]")], chosen = boxes.filter((el) => el.checked).length;
		bar.hidden = chosen === 0;
		bar.querySelector("[data-chosen]").textContent = chosen + " selected";
		const all = document.querySelector("[data-all]");
		all.hidden = false;
		all.checked = chosen === boxes.length;
		all.indeterminate = chosen > 0 && chosen < boxes.length;
	}
	document.addEventListener("change", (event) => {
		if (event.target.matches("[data-all]")) for (const el of document.querySelectorAll("main input[name=id]")) el.checked = event.target.checked;
		if (event.target.matches("[data-all], main input[name=id]")) selection();
	});

	// Saved views are addresses of the list, kept in this browser.
	function views() {
		const menu = document.querySelector("[data-views]");
		if (!menu) return;
		menu.hidden = false;
		const sheet = menu.querySelector(".sheet"), saved = store.get("views") || [];
		const name = make("input", { name: "view", maxLength: 60, required: true });
		name.setAttribute("aria-label", "Name of the view");
		const form = make("form", { className: "line" }, name, make("button", { className: "button primary", textContent: "Save" }));
		form.addEventListener("submit", (event) => {
			event.preventDefault();
			store.set("views", saved.filter((v) => v.name !== name.value).concat({ name: name.value, at: location.search }).sort((a, b) => a.name.localeCompare(b.name)));
			views();
		});
		sheet.replaceChildren(...saved.map((v) => {
			const remove = make("button", { className: "link", type: "button", textContent: "×" });
			remove.setAttribute("aria-label", "Remove the view " + v.name);
			remove.addEventListener("click", () => { store.set("views", saved.filter((other) => other !== v)); views(); });
			return make("span", { className: "line" }, make("a", { href: "/items" + v.at, textContent: v.name }), remove);
		}), make("p", { textContent: "Save this filter and order in this browser:" }), form);
	}

	// A list does not jump: rows change where they are, and new ones wait until the reader asks.
	document.addEventListener("renewing", (event) => {
		const table = document.querySelector("table[data-rows]"), next = event.detail.querySelector("table[data-rows]");
		// A list that the server does not have in time is no reason to take this one away.
		if (table && !next && event.detail.hasAttribute("data-again")) event.preventDefault();
		if (!table || !next) return;
		event.preventDefault();
		const rows = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.id, row]));
		let fresh = 0;
		for (const row of next.tBodies[0].rows) {
			const old = rows.get(row.dataset.id);
			rows.delete(row.dataset.id);
			if (!old) {
				if (Number(row.dataset.id) > Number(table.tBodies[0].rows[0].dataset.id) || location.search.includes("sort=")) fresh++;
				continue;
			}
			const focus = old.contains(document.activeElement) && document.activeElement.getAttribute("href");
			old.replaceChildren(...[...row.cells].map((cell) => cell.cloneNode(true)));
			old.classList.remove("left");
			if (focus) old.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
		}
		// What the filter does not select any more stays in its place until the next page.
		for (const row of rows.values()) row.classList.add("left");
		for (const name of ["[data-count]"]) document.querySelector(name).replaceWith(event.detail.querySelector(name));
		// Screen readers read the region when the first new item is there, and not for each one.
		const news = document.querySelector("[data-new]"), told = document.querySelector("[data-told]");
		if (fresh === 0) { news.replaceChildren(); told.textContent = ""; return; }
		const text = fresh === 1 ? "1 new item" : fresh + " new items";
		if (told.textContent === "") told.textContent = text;
		if (news.firstChild) { news.firstChild.textContent = text; return; }
		const show = make("button", { className: "button", type: "button", textContent: text });
		show.addEventListener("click", () => { location.reload(); });
		news.replaceChildren(show);
	});

	// A number field with data-slider="LEAST MOST STEP" gets a slider beside it. The slider of an empty field shows the
	// present, which is the placeholder; back there it empties the field.
	function sliders() {
		for (const field of document.querySelectorAll("input[data-slider]")) {
			if (field.nextElementSibling?.type === "range") continue;
			const [min, max, step] = field.dataset.slider.split(" ");
			const slider = make("input", { type: "range", min, max, step });
			slider.setAttribute("aria-label", field.dataset.says);
			const follow = () => { slider.value = field.value || field.placeholder; };
			follow();
			slider.addEventListener("input", () => { field.value = slider.value === field.placeholder ? "" : slider.value; });
			field.addEventListener("input", follow);
			field.after(slider);
		}
	}

	function prepare() {
		sliders();
		reachable();
		selection();
		views();
	}

	prepare();
	addEventListener("resize", reachable);
	document.addEventListener("renewed", prepare);
})();
