package docstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/keyring"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// sealedBefore is the first part of sealed texts in internal/keyring; the query in
// the document searches for the key after it.
func sealedBefore(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "internal", "keyring", "testdata", "sealed.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestItemsThatNeedAKey runs the query of docs/encryption.md on each engine. It must
// find the items that were sealed with the key, in any column, and no
// others.
func TestItemsThatNeedAKey(t *testing.T) {
	var query string
	for _, b := range read(t, "docs/encryption.md").blocks {
		if b.is("sql") {
			query = strings.TrimSuffix(strings.TrimSpace(b.text), ";")
		}
	}
	other, err := keyring.New()
	if err != nil {
		t.Fatal(err)
	}
	sealed := sealedBefore(t)
	foreign, err := other.Seal(`{"name": "Ada"}`, "elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		for _, columns := range [][2]string{
			{"Payload", sealed}, {"Output", sealed}, {"Metadata", sealed},
			{"Payload", foreign}, {"Payload", `{"note": "` + sealed + `"}`},
		} {
			if _, err := db.ExecContext(t.Context(),
				`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "`+columns[0]+`") VALUES ('Contract', '`+columns[1]+`')`); err != nil {
				t.Fatal(err)
			}
		}
		var items int
		if err := db.QueryRowContext(t.Context(), query).Scan(&items); err != nil || items != 3 {
			t.Errorf("the query counts %d items, %v; want 3\n%s", items, err, query)
		}
	})
}

// TestEncryptionFigures compares the sizes in the document with those of sealed texts.
func TestEncryptionFigures(t *testing.T) {
	text := strings.Join(strings.Fields(read(t, "docs/encryption.md").text), " ")
	k, err := keyring.New()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := k.Seal(strings.Repeat("x", 3000), "place")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(sealed) - 4000; got != 61 {
		t.Errorf("3000 bytes are sealed in 4000 characters and %d, documented 61", got)
	}
	broken := (&workqueue.BrokenSealError{}).Error()
	unknown, _, _ := strings.Cut((&workqueue.UnknownKeyError{KeyID: 2762510280}).Error(), ";")
	for _, phrase := range []string{"begins with `" + workqueue.SealedPrefix + "`", "a third longer than the text, and 61 characters", "`" + broken + "`", "`" + unknown + "`"} {
		if !strings.Contains(text, phrase) {
			t.Errorf("docs/encryption.md lacks %s", phrase)
		}
	}
}
