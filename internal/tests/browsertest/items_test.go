//go:build unix

package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserItems works with the list: it does not jump when items come, remembers a view, and changes
// selected items.
func TestBrowserItems(t *testing.T) {
	x := newProject(t)
	line := `{"pipeline": "book-invoice", "queue": "orders", "in": "1h", "payload": {"invoice": "INV-1", "amount": 1}}`
	x.enqueue(line, line, line)
	p := x.browser().as("operator")
	p.open("/items?queue=orders")
	p.see("3 items")
	rows := `[...document.querySelectorAll("tr[data-id]")].map((row) => row.dataset.id).join()`
	p.until(rows + ` === "3,2,1"`)

	// New rows say that they are there, and wait.
	x.enqueue(line, line)
	p.see("2 new items", "5 items")
	p.until(rows + ` === "3,2,1"`)

	// A list that the server does not have in time does not take this one away; one without items does.
	keeps := func(attribute string) string {
		return `(() => { const next = document.createElement("main"); next.toggleAttribute("data-again", ` + attribute + `);
			return !document.dispatchEvent(new CustomEvent("renewing", {cancelable: true, detail: next})) && ` + rows + ` === "3,2,1" })()`
	}
	p.until(keeps("true"))
	p.until("!" + keeps("false"))

	// More of them change the number, but screen readers hear of the first ones only.
	p.until(`(() => {
		const told = () => document.querySelector("[data-told][role=status]").textContent, before = told(), next = document.querySelector("main").cloneNode(true), body = next.querySelector("table[data-rows]").tBodies[0];
		for (const id of ["97", "98", "99"]) {
			const row = body.rows[0].cloneNode(true);
			row.dataset.id = id;
			body.prepend(row);
		}
		document.dispatchEvent(new CustomEvent("renewing", {cancelable: true, detail: next}));
		return before !== "" && told() === before && document.querySelector("[data-new]").textContent === "3 new items" && !document.querySelector("[data-new]").closest("[role=status]");
	})()`)
	p.click("3 new items")
	p.until(rows + ` === "5,4,3,2,1"`)

	// A view that was saved is there on another visit.
	p.click("Views…")
	p.fill("[data-views] input", "late orders")
	p.click("Save")
	p.open("/items")
	p.click("Views…")
	p.click("late orders")
	p.until(`location.search === "?queue=orders"`)

	// Two of the items are cancelled, and brought back.
	p.run(chromedp.Click(`input[name=id][value="4"]`, chromedp.ByQuery), chromedp.Click(`input[name=id][value="2"]`, chromedp.ByQuery))
	p.see("2 selected")
	p.clickIn(".selection", "Cancel…")
	p.see("Cancel 2 items?")
	p.click("Cancel 2 items")
	p.see("2 items were cancelled")
	p.click("Undo: let them run again")
	p.see("2 items run again")
	p.click("Back to the list")

	// Columns are chosen once.
	p.open("/items")
	p.click("Columns…")
	p.run(chromedp.Click(`input[name=columns][value=tags]`, chromedp.ByQuery))
	p.clickIn("details[open]", "Show")
	p.until(`[...document.querySelectorAll("th")].some((th) => th.innerText === "Tags")`)
	p.open("/items?queue=orders")
	p.until(`[...document.querySelectorAll("th")].some((th) => th.innerText === "Tags")`)
	p.until(fmt.Sprintf(`document.querySelectorAll("tr[data-id]").length === %d`, 5))
}
