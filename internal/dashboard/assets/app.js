// What the pages do beyond links and forms: times of the reader, keys, and news of the server.
"use strict";

(() => {
	const store = {
		get: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
		set: (name, value) => { try { localStorage.setItem(name, value); } catch { /* private mode */ } },
	};

	// Theme: what the reader chose, else what the system says.
	const themes = ["system", "light", "dark"];

	function chosenTheme() {
		return themes.includes(store.get("theme")) ? store.get("theme") : "system";
	}

	function showTheme() {
		const theme = chosenTheme();
		if (theme === "system") delete document.documentElement.dataset.theme;
		else document.documentElement.dataset.theme = theme;
		for (const pick of document.querySelectorAll("[data-theme-pick]")) pick.textContent = "Theme: " + theme;
	}

	// What does nothing without scripts is hidden until here.
	showTheme();
	for (const el of document.querySelectorAll("[data-scripted]")) el.hidden = false;

	const units = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
	const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

	function ago(at) {
		const seconds = (at - Date.now()) / 1000;
		for (const [size, name] of units) {
			if (Math.abs(seconds) >= size || size === 1) return relative.format(Math.round(seconds / size), name);
		}
		return "now";
	}

	function exact(at, utc) {
		const zone = utc ? { timeZone: "UTC" } : {};
		return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", ...zone }).format(at) + (utc ? " UTC" : "");
	}

	// times writes each time in the zone of the reader, with the exact time as a hint.
	function times(root) {
		const utc = store.get("zone") === "utc";
		for (const el of root.querySelectorAll("time[datetime]")) {
			const at = new Date(el.dateTime);
			if (isNaN(at)) continue;
			el.title = exact(at, utc) + (utc ? "" : " · " + exact(at, true));
			el.dataset.exact = exact(at, utc); // for paper
			if (el.dataset.show === "ago") el.textContent = ago(at);
			else if (el.dataset.show === "clock") el.textContent = exact(at, utc).slice(11, 19);
			else el.textContent = exact(at, utc);
		}
		for (const el of document.querySelectorAll("[data-zone]")) el.classList.toggle("on", (el.dataset.zone === "utc") === utc);
	}

	// What the server draws for the days of a zone needs its name: the cookie has it.
	function drawnZone() {
		let name = "UTC";
		if (store.get("zone") !== "utc") try { name = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC"; } catch { /* UTC */ }
		const present = `botwork-zone=${name}`, drawn = document.querySelector("[data-drawn-in]");
		if (document.cookie.split("; ").includes(present)) return;
		document.cookie = present + "; path=/; max-age=31536000; samesite=lax" + (location.protocol === "https:" ? "; secure" : "");
		// Once: a browser without cookies keeps the drawing as it is.
		if (drawn && drawn.dataset.drawnIn !== name && drawn.dataset.chosen === undefined && document.cookie.split("; ").includes(present)) location.reload();
	}

	function setZone(zone) {
		store.set("zone", zone);
		drawnZone();
		const drawn = document.querySelector("[data-drawn-in]");
		if (drawn?.dataset.chosen !== undefined) {
			const at = new URL(location.href);
			at.searchParams.delete("zone");
			location.assign(at);
		}
		times(document);
	}

	document.addEventListener("click", (event) => {
		const zone = event.target.closest("[data-zone]");
		if (zone) {
			event.preventDefault();
			setZone(zone.dataset.zone);
		}
		const pick = event.target.closest("[data-theme-pick]");
		if (pick) {
			event.preventDefault();
			store.set("theme", themes[(themes.indexOf(chosenTheme()) + 1) % themes.length]);
			showTheme();
		}
		for (const open of document.querySelectorAll("details.act[open]")) {
			if (!open.contains(event.target)) open.open = false;
		}
	});

	// Keys: / searches, g and the letter of a link in the navigation goes to its page, j and k walk the
	// rows of a list, each of which has one link that opens it, and the days of a month. A link that leads to a
	// change opens nothing.
	const walked = "main table:not(.month) tbody tr, main .month td, main .attention li";

	function rows() {
		const seen = (link) => link.checkVisibility();
		const all = [...document.querySelectorAll(walked)].map((row) => {
			const own = row.querySelector("a[data-row]");
			return own && seen(own) ? own : [...row.querySelectorAll("a[href]:not(.do, .button)")].find(seen);
		});
		return all.filter(Boolean);
	}

	function walk(down) {
		const links = rows();
		if (links.length === 0) return;
		// The focus may be on another control of a row.
		const row = document.activeElement.closest(walked);
		const at = links.findIndex((link) => row && row.contains(link));
		links[Math.max(0, Math.min(links.length - 1, down ? at + 1 : at < 0 ? 0 : at - 1))].focus();
	}

	let going = false;
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, [contenteditable=true]")) {
			if (event.key === "Escape" && !event.target.closest("dialog, [contenteditable=true]")) event.target.blur();
			return;
		}
		if (event.key === "Escape") for (const open of document.querySelectorAll("details[open].act")) open.open = false;
		if (going) {
			going = false;
			document.querySelector(`.side a[data-key="${CSS.escape(event.key)}"]`)?.click();
			return;
		}
		switch (event.key) {
		case "/":
			event.preventDefault();
			for (const open of document.querySelectorAll("dialog[open]")) open.close();
			document.querySelector("#find")?.focus();
			break;
		case "g":
			going = true;
			setTimeout(() => { going = false; }, 1500);
			break;
		case "?": {
			const keys = document.querySelector("#keys");
			if (keys?.open === false) keys.showModal();
			break;
		}
		case "j":
		case "k":
			if (!document.querySelector("dialog[open]")) walk(event.key === "j");
			break;
		}
	});

	// The list of keys has those of the navigation.
	function make(name, text) {
		return Object.assign(document.createElement(name), { textContent: text });
	}
	for (const link of document.querySelectorAll(".side a[data-key]")) {
		const keys = document.createElement("dt");
		keys.append(make("kbd", "g"), " ", make("kbd", link.dataset.key));
		document.querySelector("[data-keys]")?.append(keys, make("dd", link.querySelector("span").textContent));
	}

	// The title and the icon show what is failing, also while the page is in the background. The answer is
	// one that all pages share. A page that nobody looks at stops asking, so that its session can end.
	const icon = document.querySelector("#icon"), asksFor = 2 * 3600 * 1000;
	let hiddenSince = 0, asked = Date.now();

	function mark(failing, broken) {
		const sign = broken ? "(!) " : failing > 0 ? `(${failing}) ` : "";
		document.title = sign + document.title.replace(/^\((\d+|!)\) /, "");
		icon.href = failing > 0 || broken ? icon.dataset.failing : icon.dataset.ok;
		const badge = document.querySelector("[data-badge]");
		if (badge && !broken) badge.textContent = failing > 0 ? failing + " failing" : "";
	}

	async function standing() {
		if (document.hidden && Date.now() - hiddenSince > asksFor) return;
		asked = Date.now();
		try {
			const got = await fetch("/standing", { redirect: "manual" });
			if (got.ok) mark((await got.json()).failing, false);
			else if (got.status >= 500) mark(0, true);
		} catch {
			mark(0, true);
		}
	}

	if (document.querySelector(".side")) {
		document.addEventListener("visibilitychange", () => {
			hiddenSince = Date.now();
			if (!document.hidden && Date.now() - asked > 10000) standing();
		});
		setInterval(standing, 20000);
	}

	// News: after an event of its topics the page asks for itself again, and exchanges what has changed. The
	// server says how often: many open pages share what it can do. Pages also share its answers, and one may
	// be from before the event, so the page looks twice more when the events are over. It waits while the
	// reader types, selects or has a sheet open, and while the page is hidden.
	const page = document.querySelector("main[data-live]"), tab = crypto.getRandomValues(new Uint32Array(2)).join("-");
	let wanted = false, soon = false, last = 0, timer = 0, looks = [], looking = 0;
	const pace = () => Number(soon ? page.dataset.own : page.dataset.pace);
	const missing = 700; // until the page asks again for what the server does not know yet

	// announce leaves a new text of the page to screen readers, and not one that they have read before.
	let announced = new Set();
	function announce(root) {
		const texts = new Set();
		for (const el of root.querySelectorAll(".notice[role]")) {
			const text = el.textContent.trim();
			texts.add(text);
			if (announced.has(text)) el.removeAttribute("role");
		}
		announced = texts;
	}

	function busy() {
		const active = document.activeElement;
		return document.hidden || document.querySelector("main details[open]:not([data-keep]), dialog[open], main input[name=id]:checked") !== null || (active && active.closest("main input, main select, main textarea")) || String(getSelection()) !== "";
	}

	async function renew() {
		timer = 0;
		if (!wanted) return;
		if (busy()) { timer = setTimeout(renew, 2000); return; }
		const headers = { "X-Renew": tab };
		if (soon) headers["X-News"] = "item";
		wanted = soon = false;
		last = Date.now();
		try {
			const got = await fetch(location.href, { headers, redirect: "manual" });
			if (!got.ok) {
				const out = got.status === 0 || got.status === 401;
				live(out ? "signed out" : "failing");
				if (!out && page.hasAttribute("data-again")) want();
				return;
			}
			const all = new DOMParser().parseFromString(await got.text(), "text/html"), next = all.querySelector("main");
			if (next) for (const name of ["pace", "own", "old"]) page.dataset[name] = next.dataset[name];
			page.toggleAttribute("data-again", next !== null && next.hasAttribute("data-again"));
			mark(Number(/^\((\d+)\) /.exec(all.title)?.[1] || 0), false);
			asked = Date.now();
			// A page may bring the news in by itself, such as a list that does not jump.
			if (next && !document.dispatchEvent(new CustomEvent("renewing", { cancelable: true, detail: next }))) times(page);
			else if (next && !busy()) {
				const focus = document.activeElement?.getAttribute?.("href");
				// The server says what a change has done once.
				const said = page.querySelector("[data-said]");
				if (said) next.querySelector(".printed").after(said);
				announce(next);
				page.replaceChildren(...next.childNodes);
				times(page);
				document.dispatchEvent(new Event("renewed"));
				if (focus) page.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
			}
			live("live");
		} catch {
			live("offline");
		}
		if (page.hasAttribute("data-again")) again();
		else if (looks.length > 0) looking = setTimeout(want, looks.shift());
	}

	function want() {
		clearTimeout(looking);
		wanted = true;
		clearTimeout(timer);
		timer = setTimeout(renew, Math.max(0, pace() - (Date.now() - last)));
	}

	function again() {
		wanted = true;
		clearTimeout(timer);
		timer = setTimeout(renew, missing);
	}

	function news(event) {
		soon ||= event?.type === "item";
		looks = [pace(), Number(page.dataset.old) + 1000];
		want();
	}

	function live(state) {
		const el = document.querySelector(".live");
		if (!el || el.dataset.state === state) return;
		el.dataset.state = state;
		el.hidden = false;
		el.lastChild.textContent = { live: "Live", offline: "Reconnecting…", failing: "Server failing", "signed out": "Signed out" }[state];
		el.firstChild.className = "dot " + (state === "live" ? "" : "bad");
		if (state === "offline" || state === "failing") mark(0, true);
	}

	for (const el of page?.querySelectorAll(".notice[role]") || []) announced.add(el.textContent.trim());
	if (page?.hasAttribute("data-again")) again();
	if (page && page.dataset.live !== "") {
		let address = "/api/v1/events?topic=" + encodeURIComponent(page.dataset.live);
		if (page.dataset.follow) address += "&item=" + encodeURIComponent(page.dataset.follow);
		const source = new EventSource(address);
		document.querySelector(".live").hidden = false;
		for (const topic of page.dataset.live.split(",").concat("item", "reset")) source.addEventListener(topic, news);
		// The server reads each topic every few seconds and sends what has changed since its last look.
		// The first one may come after a change that this page does not show yet, so look once more then.
		let first;
		source.addEventListener("open", () => {
			live("live");
			clearTimeout(first);
			first = setTimeout(news, 12000);
		});
		source.addEventListener("error", () => live("offline"));
		addEventListener("pagehide", () => source.close());
		document.addEventListener("visibilitychange", () => { if (!document.hidden && wanted) want(); });
	}

	// A change of many items goes on by itself.
	setTimeout(() => document.querySelector("form[data-send]")?.submit(), 300);

	drawnZone();
	times(document);
	setInterval(() => times(document), 10000);
})();
