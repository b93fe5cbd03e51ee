//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// selectText selects a text in the editor, as a person does with the keyboard or the mouse. The editor
// hears of its focus and of selections some time later, and puts its own selection back on becoming
// focused, so the text is selected until the editor says that it is.
func (p *tab) selectText(text string) {
	p.Helper()
	p.until(fmt.Sprintf(`(() => {
		const wanted = %q, content = document.querySelector(".cm-content"), { view } = content.cmTile;
		if (!view.hasFocus) { content.focus(); return false; }
		const { from, to } = view.state.selection.main;
		if (view.state.sliceDoc(from, to) === wanted && getSelection().toString() === wanted) return true;
		for (const line of document.querySelectorAll(".cm-line")) {
			const from = line.textContent.indexOf(wanted);
			if (from < 0) continue;
			// The colours divide a line into several texts.
			const end = (offset) => {
				const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
				for (let node; node = walker.nextNode(); offset -= node.data.length) if (offset <= node.data.length) return [node, offset];
			};
			getSelection().setBaseAndExtent(...end(from), ...end(from + wanted.length));
			return false;
		}
		throw new Error("the editor lacks the text");
	})()`, text))
}

// edited returns the text in the editor.
func (p *tab) edited() (text string) {
	p.Helper()
	p.run(chromedp.Evaluate(`[...document.querySelectorAll(".cm-line")].map((line) => line.innerText.replace(/\n$/, "")).join("\n")`, &text))
	return text
}

// TestBrowserEditor changes a pipeline on its page: the checker marks a mistake, a completion corrects it, the
// graph follows, the changes are shown and saved, and a worker runs them. A file that was changed by
// another program meanwhile is not overwritten unseen.
func TestBrowserEditor(t *testing.T) {
	x := newProject(t, "BOTWORK_HTTP_EDIT=true")
	x.worker("bot-1")
	b := x.browser()
	p := b.as("editor")
	dir := artefacts(t)
	file := filepath.Join(x.dir, "pipelines", "book-invoice.yaml")
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}

	p.open("/pipelines/book-invoice")
	p.click("Edit…")
	p.until(`document.querySelector(".cm-content")`)
	p.see("no errors", "Writes", "pipelines/book-invoice.yaml")
	p.until(`document.querySelector("#edit-graph img")?.complete`)
	p.picture(dir, "opened")
	p.size(1440, "light")

	// A mistake is marked at its line.
	p.selectText("message: \"booked")
	p.run(input.InsertText("mesage: \"booked"))
	p.until(`document.querySelector(".cm-lintRange-error") && document.querySelector("#edit-findings .error")`)
	p.see("2 errors", "did you mean \"message\"?")
	p.until(`document.querySelector("#edit-dirty").checkVisibility()`)
	p.picture(dir, "mistake")
	p.size(1440, "light")
	p.click("Show changes…")
	p.see("It cannot be saved")

	// A completion corrects it.
	p.selectText("mesage")
	p.run(input.InsertText("me"))
	propose := func() {
		t.Helper()
		p.run(chromedp.Evaluate(`document.querySelector(".cm-content").focus()`, nil), chromedp.KeyEvent(" ", chromedp.KeyModifiers(input.ModifierCtrl)))
		p.until(`document.querySelector(".cm-tooltip-autocomplete li[aria-selected]")?.innerText.includes("message")`)
	}
	propose()
	p.picture(dir, "completion")
	p.size(1440, "light")
	propose()                                     // the sizes of the pictures may have closed it
	p.run(chromedp.Sleep(300 * time.Millisecond)) // a proposal is accepted only after it was to be seen
	// chromedp.KeyEvent would also type a line break, which a browser does not if the key is handled.
	enter := func(kind input.KeyType) chromedp.Action {
		return input.DispatchKeyEvent(kind).WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13)
	}
	p.run(enter(input.KeyRawDown), enter(input.KeyUp))
	p.until(`!document.querySelector(".cm-lintRange-error") && document.querySelector("#edit-count").innerText.startsWith("no errors")`)
	if text := p.edited(); !strings.Contains(text, `message: "booked`) {
		t.Errorf("the completion has made %s", text)
	}

	// The graph has a new name at once.
	var before string
	p.run(chromedp.Evaluate(`document.querySelector("#edit-graph img").src`, &before))
	p.selectText("name: report")
	p.run(input.InsertText("name: announce"))
	p.until(`decodeURIComponent(document.querySelector("#edit-graph img").src).includes("announce")`)

	// Help at the mouse.
	var at struct{ X, Y float64 }
	p.run(chromedp.Evaluate(`(() => {
		const key = [...document.querySelectorAll(".cm-line .tok-key")].find((e) => e.innerText === "handler");
		key.scrollIntoView({ block: "center" });
		const box = key.getBoundingClientRect();
		return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
	})()`, &at))
	p.run(input.DispatchMouseEvent(input.MouseMoved, at.X-40, at.Y), input.DispatchMouseEvent(input.MouseMoved, at.X, at.Y))
	p.until(`document.querySelector(".cm-tooltip-hover .cm-doc")?.innerText.includes("handler")`)
	var help []byte
	p.run(chromedp.CaptureScreenshot(&help)) // other sizes would close it
	if err := os.WriteFile(filepath.Join(dir, "hover.png"), help, 0o644); err != nil {
		t.Fatal(err)
	}

	// A run of the text that is not saved.
	p.fill("textarea[name=payload]", `{"invoice": "INV-1", "amount": 5}`)
	p.click("Show what a run would do")
	p.see("The run would succeed", "announce")

	// The keyboard leaves the editor.
	p.run(chromedp.Evaluate(`document.querySelector(".cm-content").focus()`, nil), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Tab))
	p.until(`!document.querySelector("#edit-code").contains(document.activeElement)`)

	// The changes, then the save.
	p.click("Show changes…")
	p.see("name: announce", "Workers that use this folder load it")
	p.until(`document.querySelector("pre.diff .added")`)
	p.picture(dir, "changes")
	p.size(1440, "light")
	if strings.Contains(read(), "announce") {
		t.Fatal("the file was written before the save")
	}
	p.fill("#edit-results input[name=reason]", "a better name")
	p.click("Save")
	p.see("Saved book-invoice.yaml in")
	if !strings.Contains(read(), "name: announce") {
		t.Errorf("the file has %s", read())
	}
	if entries := x.must("audit", "list", "--action", "pipelines.save", "--output", "json"); !strings.Contains(entries, "a better name") || !strings.Contains(entries, "book-invoice.yaml") {
		t.Errorf("the audit log has %s", entries)
	}
	// The worker runs the new text.
	for late := time.Now().Add(patience); ; {
		id := x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "payload": {"invoice": "INV-1", "amount": 1}}`)[0]
		p.open("/items/" + strconv.FormatInt(id, 10))
		p.until(`document.querySelector("main .head .chip").innerText.includes("Succeeded")`)
		if strings.Contains(p.text(), "announce") {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("the worker does not run the new text:\n%s", p.text())
		}
	}

	// Another program changes the file meanwhile.
	p.open("/pipelines/book-invoice/edit")
	p.until(`document.querySelector(".cm-content")`)
	p.selectText("Book one invoice")
	p.run(input.InsertText("Book an invoice"))
	x.write("pipelines/book-invoice.yaml", strings.Replace(read(), "is negative", "is below zero", 1))
	p.click("Show changes…")
	p.see("Changes")
	p.until(`document.querySelector("#edit-results button[value=save]")`)
	// The server reads the folder again after two seconds. If it still has the file as it was, the
	// save is refused; otherwise the comparison is with the new file already.
	p.run(chromedp.Evaluate(`{ const save = document.querySelector("#edit-results button[value=save]"); if (save.innerText === "Save") save.click(); }`, nil))
	p.see("was changed after you opened it", "is below zero", "Save over the new file")
	if text := p.edited(); !strings.Contains(text, "Book an invoice") {
		t.Errorf("the text of the person is lost: %s", text)
	}
	if !strings.Contains(read(), "is below zero") || strings.Contains(read(), "Book an invoice") {
		t.Errorf("the file was overwritten: %s", read())
	}
	p.picture(dir, "conflict")

	// Those who may not edit are offered nothing, and refused.
	v := b.as("viewer")
	v.open("/pipelines/book-invoice")
	v.see("Graph")
	v.lacks("Edit…")
	v.open("/pipelines/book-invoice/edit")
	v.see("may not call")
}
