//go:build unix

package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"botwork/workqueue"
)

// TestBrowserOperator does what an operator does in the morning.
func TestBrowserOperator(t *testing.T) {
	x := newProject(t)
	x.worker("bot-1")
	var lines []string
	for i := range 5 {
		lines = append(lines, fmt.Sprintf(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-%d", "payload": {"invoice": "INV-%d", "amount": %d, "ledger": "down"}}`, i, i, 10*i))
	}
	lines = append(lines,
		`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-9", "payload": {"invoice": "INV-9", "amount": -1}}`,
		`{"pipeline": "send-letter", "queue": "mail", "payload": {"to": "ada", "printer": "jammed"}}`,
	)
	ids := x.enqueue(lines...)
	business, letter := ids[5], ids[6]
	b := x.browser()
	p := b.as("operator")

	// What failed last night?
	p.until(`document.querySelector("main").innerText.includes("5 items of book-invoice failed")`)
	p.click("Failures")
	p.see("HTTP 503 from ledger.example", "the amount of INV-<n> is negative")

	// Retry the group: the preview says how many items of which status are concerned.
	p.run(chromedp.Evaluate(`[...document.querySelectorAll("main tbody tr")].find((row) => row.innerText.includes("HTTP 503")).querySelector("a[href^='/items/actions/repeat']").click()`, nil))
	p.see("Repeat 5 items")
	p.fill("form.confirm input[name=reason]", "the ledger is back")
	p.click("Repeat 5 items")
	p.see("5 items run again.")
	if entries := x.must("audit", "list", "--output", "json"); !strings.Contains(entries, "the ledger is back") {
		t.Errorf("the audit log lacks the reason: %s", entries)
	}

	// Correct the payload of an item that waits for its next attempt, and run it now.
	p.open(fmt.Sprintf("/items/%d", letter))
	p.see("Retry")
	p.click("Change…")
	p.fill("textarea[name=payload]", `{"to": "ada"}`)
	p.click("Change the item")
	p.see("was changed")
	p.click("Run now…")
	p.click("Run now")
	p.until(`document.querySelector("main .head .chip").innerText.includes("Succeeded")`)

	// An item that has ended is corrected as a new one.
	p.open(fmt.Sprintf("/items/%d", business))
	p.see("Business error", "the amount of INV-9 is negative")
	p.click("Clone and edit…")
	p.fill("input[name='input.amount']", "1")
	p.click("Enqueue")
	p.see("The item was enqueued")
	p.until(`document.querySelector("main .head .chip").innerText.includes("Succeeded")`)

	// Pause a queue with a reason, and open it again.
	p.open("/queues/mail")
	p.click("Pause…")
	p.fill("details[open] input[name=reason]", "no paper")
	p.click("Pause")
	p.see("Queue mail is paused")
	p.open("/")
	p.see("Queue mail is paused")
	p.click("Show the queue")
	p.click("Resume…")
	p.click("Resume")
	p.see("Queue mail is open again")

	// Drain a worker.
	p.open("/workers")
	p.click("Drain…")
	p.click("Drain")
	p.see("Worker bot-1 finishes its running items", "Draining")
	p.click("Resume…")
	p.click("Resume")
	p.see("Worker bot-1 takes items again")
}

// TestBrowserFollowsAnItem looks at one item until it has ended. The page is not loaded again: the server
// sends what happens.
func TestBrowserFollowsAnItem(t *testing.T) {
	x := newProject(t)
	id, letGo := x.hold()
	p := x.browser().as("viewer")
	p.open(fmt.Sprintf("/items/%d", id))
	status := func(text string) {
		t.Helper()
		p.until(fmt.Sprintf(`document.querySelector("main .head .chip").innerText.includes(%q)`, text))
	}
	status("Pending")
	p.run(chromedp.Evaluate(`window.sameDocument = true`, nil))
	x.worker("bot-1")
	status("Running")
	letGo()
	status("Succeeded")
	p.until(`window.sameDocument`)
	p.see("Live")
}

// TestBrowserSignInLink uses a link that works once.
func TestBrowserSignInLink(t *testing.T) {
	x := newProject(t)
	b := x.browser()
	link := x.link("operator")
	p := b.tab()
	p.open("/queues")
	p.see("Sign in to Botwork")
	p.run(chromedp.Navigate(link))
	p.click("Sign in")
	p.see("Overview", "operator")
	again := b.tab()
	again.run(chromedp.Navigate(link))
	again.click("Sign in")
	again.see("used")
	again.open("/items")
	again.see("Sign in to Botwork")
	p.click("Sign out")
	p.see("Sign in to Botwork")
	p.open("/items")
	p.see("Sign in to Botwork")
}

// TestBrowserViewerIsRefused offers nothing to a viewer, and refuses what is sent anyway.
func TestBrowserViewerIsRefused(t *testing.T) {
	x := newProject(t)
	id := x.enqueue(`{"pipeline": "book-invoice", "payload": {"invoice": "INV-1", "amount": 1}}`)[0]
	p := x.browser().as("viewer")
	for _, path := range []string{fmt.Sprintf("/items/%d", id), "/queues/default", "/items", "/workers"} {
		p.open(path)
		for _, text := range []string{"Cancel", "Pause…", "Drain…", "Change…", "Change all…", "Enqueue…"} {
			p.lacks(text)
		}
	}
	p.open(fmt.Sprintf("/items/%d", id))
	p.run(chromedp.Evaluate(fmt.Sprintf(`{ const form = document.createElement("form"); form.method = "post"; form.action = "/items/%d/cancel"; document.body.append(form); form.submit(); }`, id), nil))
	p.see("the role viewer may not call")
	it, err := x.store.Item(t.Context(), id)
	if err != nil || it.State != workqueue.Pending {
		t.Errorf("item %d: %+v, %v; want it unchanged", id, it, err)
	}
}
