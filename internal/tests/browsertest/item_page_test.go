//go:build unix

package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserItemPage reads the page of an item that has failed: its life, the steps of the attempt, the
// text that ran beside the present one, and the payload. What the reader has opened outlives news.
func TestBrowserItemPage(t *testing.T) {
	x := newProject(t)
	x.worker("bot-1")
	id := x.enqueue(`{"pipeline": "send-letter", "queue": "mail", "key": "L-1", "payload": {"to": "ada", "printer": "jammed", "address": {"street": "Rua Augusta", "rooms": [{"floor": 2}, {"floor": 3}]}}}`,
		`{"pipeline": "send-letter", "queue": "mail", "key": "L-1", "in": "2h", "payload": {"to": "bob"}}`)[0]
	at := fmt.Sprintf("/items/%d", id)
	p := x.browser().as("admin")
	p.open(at)
	p.until(`document.querySelector("main .head .chip").innerText.includes("Retry")`)
	p.see("Backoff after attempt 1", "Attempt 1: failed", "the printer is jammed", "so far")
	p.until(`[...document.querySelectorAll(".step")].map((e) => e.querySelector(".name").innerText + " " + e.querySelector(".chip").innerText).join() === "print Failed,send Not reached"`)
	p.until(`document.querySelector("svg.life[role=img]").ariaLabel.includes("Backoff after attempt 1")`)
	p.lacks("The text of the pipeline has changed")

	// The text changes: the page shows both.
	x.write("pipelines/send-letter.yaml", "name: send-letter"+strings.Replace(projectFiles["send-letter"], `message: "sent to`, `message: "posted to`, 1))
	p.open(at)
	p.see("The text of the pipeline has changed since this attempt")
	p.until(`document.querySelector(".diff .removed").innerText.includes("sent to") && document.querySelector(".diff .added").innerText.includes("posted to")`)

	// The raw text stays open when the item changes.
	tree, raw := `document.querySelector("[data-document=payload] .tree").checkVisibility()`, `document.querySelector("[data-document=payload] .raw pre").checkVisibility()`
	p.until(tree + " && !" + raw)
	p.clickIn("[data-document=payload]", "Raw")
	p.until(raw + " && !" + tree)
	p.run(chromedp.Evaluate(`window.sameDocument = true`, nil))
	x.must("items", "update", fmt.Sprint(id), "--priority", "1777", "--reason", "in a hurry")
	p.see("1777", "in a hurry")
	p.until(`window.sameDocument && ` + raw + " && !" + tree)
	p.clickIn("[data-document=payload]", "Raw")
	p.until(tree + " && !" + raw)

	// A search opens what it finds, and hides the rest.
	p.fill("[data-document=payload] [data-search]", "FLOOR")
	p.see("2 matches")
	p.until(`[...document.querySelectorAll("[data-document=payload] .tree .k")].filter((e) => e.checkVisibility()).map((e) => e.innerText).join() === "address,rooms,0,floor,1,floor"`)
	p.fill("[data-document=payload] [data-search]", "nothing like this")
	p.see("0 matches")
	p.fill("[data-document=payload] [data-search]", "augusta")
	p.see("1 match")
	p.clickIn("[data-document=payload]", "Copy")
	p.until(`/Copied|Select and copy/.test(document.querySelector("[data-copy]").innerText)`)

	p.open(at)
	dir := artefacts(t)
	p.picture(dir, "item-failed")
	p.run(chromedp.Evaluate(`document.querySelector("#run").scrollIntoView()`, nil))
	p.until(`document.querySelector("#run .graph img").complete && document.querySelector("#run .graph img").naturalHeight > 100`)
	p.picture(dir, "item-failed-graph")
	p.run(chromedp.Evaluate(`document.querySelector("#audit").scrollIntoView()`, nil))
	p.picture(dir, "item-failed-related")
}
