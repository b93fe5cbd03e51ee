package workqueue

import (
	"fmt"
	"strings"
	"testing"
)

func jsonLine(n int) []byte { return fmt.Appendf(nil, `{"level":"info","message":"line %d"}`+"\n", n) }

func TestLogTailHasLinesAndTextsInTheirOrder(t *testing.T) {
	var tail logTail
	output := "begun"
	tail.add(jsonLine(1))
	tail.addText(func() string { return output })
	tail.add(jsonLine(2))
	output = "begun\ndone"
	if want := "INF line 1\nbegun\ndone\nINF line 2\n"; strings.ReplaceAll(tail.String(), "<nil> ", "") != want {
		t.Errorf("log = %q, want %q", tail.String(), want)
	}
}

func TestLogTailIsBounded(t *testing.T) {
	var tail logTail
	large := strings.Repeat("x\n", 64<<10)
	for i := range 25 {
		tail.addText(func() string { return fmt.Sprintf("text %d\n%send %d\n", i, large, i) })
		for j := range 20 {
			tail.add(jsonLine(i*20 + j))
		}
	}
	text := tail.String()
	if len(text) > MostKeepLog || !strings.HasPrefix(text, "…\nx\n") || !strings.Contains(text, "end 24\n") || !strings.HasSuffix(text, "line 499\n") {
		t.Errorf("log of %d bytes from %.20q to %q, want the last %d bytes", len(text), text, text[len(text)-20:], MostKeepLog)
	}
	if want := tailTexts + tailOldTexts; len(tail.parts) != tailLines+want || tail.lines != tailLines || tail.texts != want {
		t.Errorf("%d parts, %d lines, %d texts, want %d lines and %d texts", len(tail.parts), tail.lines, tail.texts, tailLines, want)
	}
	if old := tail.parts[0].text(); len(old) > tailOldText || !strings.HasSuffix(old, "end 5\n") {
		t.Errorf("the first text has %d bytes and ends %q, want the last %d bytes of text 5", len(old), old[len(old)-8:], tailOldText)
	}
}

func TestKeepEnd(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"a\nb\n", 4, "a\nb\n"}, {"aa\nbb\ncc\n", 8, "…\ncc\n"}, {"aaaaaaaaaa", 7, "…\naaa"}, {"aaaa\nbbbbbbbbbb\n", 8, "…\nbbb\n"}, {"ééééé", 7, "…\né"},
		{"abc", 0, ""}, {"abcdefgh", 4, ""},
	} {
		if got := keepEnd(c.text, c.limit); got != c.want || len(got) > c.limit {
			t.Errorf("keepEnd(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func TestSuccessKeepsTheLog(t *testing.T) {
	long := strings.Repeat("0123456789\n", 1000)
	for name, c := range map[string]struct {
		queue     Queue
		encrypted bool
		want      int
	}{
		"default":                        {Queue{}, false, DefaultKeepLog},
		"none":                           {Queue{QueueSizes: QueueSizes{KeepLog: new(int64(0))}}, false, 0},
		"less":                           {Queue{QueueSizes: QueueSizes{KeepLog: new(int64(100))}}, false, 100},
		"all":                            {Queue{QueueSizes: QueueSizes{KeepLog: new(int64(MostKeepLog))}}, false, len(long)},
		"an encrypted queue":             {Queue{Encrypted: true}, false, 0},
		"an encrypted item":              {Queue{}, true, 0},
		"an encrypted queue, on request": {Queue{Encrypted: true, QueueSizes: QueueSizes{KeepLog: new(int64(100))}}, false, 100},
	} {
		r := NewRun(&Item{Encrypted: c.encrypted})
		r.Queue = &c.queue
		r.tail.addText(func() string { return long })
		f := Outcome{Verdict: Succeeded}.ToFinish(r, 0, 0)
		if n := len(f.LogTail); n > c.want || n < c.want-11 || !strings.HasSuffix(long, strings.TrimPrefix(f.LogTail, "…\n")) {
			t.Errorf("%s: a log of %d bytes is kept, want the last %d", name, n, c.want)
		}
		if f = (Outcome{Verdict: Failed}).ToFinish(r, 0, 0); f.LogTail != long {
			t.Errorf("%s: a failure keeps %d bytes, want all %d", name, len(f.LogTail), len(long))
		}
	}
}

// The output of a program may have the data that the queue encrypts.
func TestEncryptedItemsKeepNoOutputOfPrograms(t *testing.T) {
	r := NewRun(&Item{Encrypted: true})
	r.Print(func() string { return "the payload" })()
	if note, changed := r.NewProgress(); changed || note.LogTail != "" {
		t.Errorf("log = %q, want none", note.LogTail)
	}
	r = NewRun(&Item{})
	changed := r.Print(func() string { return "output" })
	r.NewProgress()
	changed()
	if note, again := r.NewProgress(); !again || note.LogTail != "output\n" {
		t.Errorf("log = %q, %t, want the output after it has changed", note.LogTail, again)
	}
}
