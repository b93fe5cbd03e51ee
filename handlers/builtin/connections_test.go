package builtin

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// testConnections knows the SQLite database "shop" with a few tables.
func testConnections(t *testing.T) *Connections {
	t.Helper()
	c, err := NewConnections(map[string]Connection{"shop": {Driver: "sqlite", DSN: filepath.Join(t.TempDir(), "shop.db")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	db, _, err := c.open("shop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`
		CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
		INSERT INTO customers VALUES (1, 'Ana', 'PT'), (2, 'Rui', 'PT'), (3, 'Eva', 'DE');
		CREATE TABLE mailings (customer_id INTEGER, campaign TEXT, PRIMARY KEY (customer_id, campaign));
		CREATE TABLE samples (id INTEGER PRIMARY KEY, at DATETIME, amount REAL, data BLOB, flag BOOLEAN, doc TEXT);`); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConnectionsOpenOnce(t *testing.T) {
	c := testConnections(t)
	first, _, err := c.open("shop")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if db, _, err := c.open("shop"); err != nil || db != first {
				t.Errorf("open = %p, %v, want the same pool %p", db, err, first)
			}
		})
	}
	group.Wait()
}

func TestConnectionsMistakes(t *testing.T) {
	_, err := NewConnections(map[string]Connection{"a": {Driver: "oracle"}, "b": {Driver: ""}})
	for _, word := range []string{`connection "a": database driver "oracle"`, `connection "b"`} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("err = %v, want it to say %s", err, word)
		}
	}
	c := testConnections(t)
	_, _, err = c.open("shpo")
	wantError(t, err, "permanent", `did you mean "shop"?`)
	_, _, err = c.open("warehouse")
	wantError(t, err, "permanent", "the configuration names shop")
	_, _, err = (*Connections)(nil).open("shop")
	wantError(t, err, "permanent", "none are configured", "connections")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err = c.open("shop")
	wantError(t, err, "error", "closed")
	if err := (*Connections)(nil).Close(); err != nil {
		t.Error(err)
	}
}
