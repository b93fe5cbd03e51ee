//go:build unix

package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBrowserOperatorBeginsAtAStep repeats an item that has failed, from the step that failed.
func TestBrowserOperatorBeginsAtAStep(t *testing.T) {
	x := newProject(t)
	x.write("pipelines/order.yaml", "resume: true\nsteps:\n  - {name: load, handler: Log, with: {message: loaded}}\n  - {name: post, handler: Fail, with: {message: closed, kind: business}}\n")
	x.worker("bot-1")
	id := x.enqueue(`{"pipeline": "order"}`)[0]
	b := x.browser()
	p := b.as("operator")
	p.open(fmt.Sprintf("/items/%d", id))
	p.until(`document.querySelector("main .head .chip").innerText.includes("Business error")`)
	p.click("Repeat…")
	p.see("Begin at", "the first step")
	p.run(chromedp.SetValue("details[open] select[name=from]", "post"))
	p.click("Repeat")
	p.see(fmt.Sprintf("Item %d runs again", id))
	p.until(`[...document.querySelectorAll("#attempts summary")].filter((s) => s.innerText.includes("Attempt 1")).length == 2`)
	shown := x.must("items", "show", fmt.Sprint(id))
	if n := strings.Count(shown, "step=load"); n != 1 {
		t.Errorf("the step before the one that failed ran %d times, want once:\n%s", n, shown)
	}
}
