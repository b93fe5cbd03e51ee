package workqueue

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// RowHolder is a session of the database that holds the row of an item in an open transaction,
// most often a person's who has changed it and not committed. Workers pass over such an item.
type RowHolder struct {
	ItemID  int64  `json:"item"`
	Session int64  `json:"session"` // the server's number
	Host    string `json:"host"`    // "": a program on the server's own machine
	Program string `json:"program"`
	Login   string `json:"login"`

	// Open is how long its transaction has been open; 0: this login may not see it.
	Open time.Duration `json:"-"`

	// Transaction is the server's name of the transaction; only of OpenSessions.
	Transaction string `json:"-"`

	// Statement is its latest statement on one line, without the texts in it; "" if this
	// login may not see it.
	Statement string `json:"statement,omitempty"`

	// End is the statement that ends the session.
	End string `json:"end"`
}

// String describes the session, without how to end it.
func (h RowHolder) String() string {
	where := "on the server's machine"
	if h.Host != "" {
		where = "on " + h.Host
	}
	what := "it"
	if h.ItemID == 0 {
		what = "rows of items"
	}
	text := fmt.Sprintf("session %d (%s %s, login %s) holds %s in an open transaction",
		h.Session, cmp.Or(h.Program, "a program without a name"), where, h.Login, what)
	if h.Open > 0 {
		text = fmt.Sprintf("%s, for %s now", text, h.Open.Round(time.Second))
	}
	if h.Statement != "" {
		text += "; its latest statement: " + h.Statement
	}
	return text
}

// sqlText matches a comment to the end of its line, or a text with its quotes.
var sqlText = regexp.MustCompile(`--[^\n]*|'(?:[^']|'')*'?`)

// PlainStatement returns a statement for a message: on one line, cut to 200 characters, without
// comments at the ends of lines, and without its texts, which may be secrets.
func PlainStatement(statement string) string {
	shown := sqlText.ReplaceAllStringFunc(statement, func(found string) string {
		if strings.HasPrefix(found, "--") {
			return ""
		}
		return "'…'"
	})
	text := strings.Join(strings.Fields(shown), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}
