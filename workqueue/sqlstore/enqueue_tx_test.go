package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/driver/postgres"
	gormsqlite "gorm.io/driver/sqlite"
	"gorm.io/driver/sqlserver"
	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// caller is a program with tables of its own in the database of a store.
type caller struct {
	*testing.T
	e     testdb.Engine
	store *sqlstore.Store
	db    *sql.DB
}

// eachCaller runs a test on each engine. The queue unique takes each natural key once.
func eachCaller(t *testing.T, test func(c *caller)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		c := &caller{T: t, e: e, store: e.Open(t, dsn)}
		if e.Driver == database.SQLite {
			// As another program opens it, without the settings of this one.
			db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(dsn)+"?_txlock=immediate&_pragma=busy_timeout(10000)")
			c.must(err)
			t.Cleanup(func() { _ = db.Close() })
			c.db = db
		} else {
			c.db = e.SQL(t, dsn)
		}
		_, err := c.db.ExecContext(t.Context(), `CREATE TABLE "Orders" ("Number" INTEGER NOT NULL PRIMARY KEY)`)
		c.must(err)
		_, err = c.store.DefineQueues(t.Context(), []workqueue.Queue{
			{Name: "unique", PriorityOffset: 7, QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}},
			{Name: "checked", QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type":"object","required":["amount"]}`}},
		}, "a test")
		c.must(err)
		test(c)
	})
}

func (c *caller) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *caller) begin() *sql.Tx {
	c.Helper()
	tx, err := c.db.BeginTx(c.Context(), nil)
	c.must(err)
	c.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

// order inserts a row of the caller.
func (c *caller) order(tx *sql.Tx, number string) {
	c.Helper()
	_, err := tx.ExecContext(c.Context(), `INSERT INTO "Orders" ("Number") VALUES (`+number+`)`)
	c.must(err)
}

// want checks the number of rows of the caller and of items.
func (c *caller) want(orders, items int64) {
	c.Helper()
	var got int64
	c.must(c.db.QueryRowContext(c.Context(), `SELECT COUNT(*) FROM "Orders"`).Scan(&got))
	n, err := c.store.CountItems(c.Context(), workqueue.ItemFilter{})
	c.must(err)
	if got != orders || n != items {
		c.Errorf("there are %d orders and %d items, want %d and %d", got, n, orders, items)
	}
}

func keyed(key string) workqueue.NewItem {
	return workqueue.NewItem{QueueName: "unique", IntegrationConfig: "p", NaturalKey: key}
}

func TestEnqueueTxEndsWithTheTransaction(t *testing.T) {
	eachCaller(t, func(c *caller) {
		tx := c.begin()
		c.order(tx, "1")
		_, err := c.store.EnqueueTx(c.Context(), tx, []workqueue.NewItem{keyed("a"), {IntegrationConfig: "p", Priority: 5}})
		c.must(err)
		c.must(tx.Rollback())
		c.want(0, 0)

		tx = c.begin()
		c.order(tx, "2")
		made, err := c.store.EnqueueTx(c.Context(), tx, []workqueue.NewItem{keyed("a"), {IntegrationConfig: "p", Priority: 5}, keyed("a")})
		c.must(err)
		again, err := c.store.EnqueueTx(c.Context(), tx, []workqueue.NewItem{keyed("a")})
		c.must(err)
		c.must(tx.Commit())
		c.want(1, 2)
		if !made[2].Existing || made[2].ID != made[0].ID || !again[0].Existing || again[0].ID != made[0].ID {
			c.Errorf("the key a gave %+v and then %+v, want one item", made, again)
		}
		it, err := c.store.Item(c.Context(), made[0].ID)
		c.must(err)
		if it.Priority != 7 || it.NaturalKey == nil || *it.NaturalKey != "a" {
			c.Errorf("the item is %+v, want the key a and the queue's offset 7", it)
		}
	})
}

// A refused item leaves the transaction usable, also on engines where a failed statement ends it.
func TestEnqueueTxRefusal(t *testing.T) {
	eachCaller(t, func(c *caller) {
		ctx := c.Context()
		held, err := c.store.Enqueue(ctx, []workqueue.NewItem{keyed("held")})
		c.must(err)
		tx := c.begin()
		c.order(tx, "1")
		for _, test := range []struct {
			item workqueue.NewItem
			want string
		}{
			{workqueue.NewItem{QueueName: "nowhere", IntegrationConfig: "p"}, `queue "nowhere" does not exist`},
			{workqueue.NewItem{QueueName: "checked", IntegrationConfig: "p", Payload: `{}`}, "amount"},
			{workqueue.NewItem{IntegrationConfig: "p", Deadline: time.Now().Add(-time.Hour)}, "deadline"},
			{workqueue.NewItem{IntegrationConfig: "p", In: time.Hour, Deadline: time.Now().Add(time.Minute)}, "deadline"},
			{workqueue.NewItem{QueueName: "unique", IntegrationConfig: "p", NaturalKey: "held", Conflict: workqueue.ConflictFail}, `natural key "held"`},
		} {
			_, err := c.store.EnqueueTx(ctx, tx, []workqueue.NewItem{{IntegrationConfig: "p"}, test.item})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				c.Errorf("EnqueueTx of %+v = %v, want an error with %q", test.item, err, test.want)
			}
		}
		existing, err := c.store.EnqueueTx(ctx, tx, []workqueue.NewItem{keyed("held"), keyed("new")})
		c.must(err)
		c.must(tx.Commit())
		c.want(1, 2)
		if !existing[0].Existing || existing[0].ID != held[0].ID || existing[1].Existing {
			c.Errorf("got %+v, want the existing item %d and a new one", existing, held[0].ID)
		}
	})
}

// The store knows an old policy of the queue: another process has changed it.
func TestEnqueueTxUsesTheCurrentPolicy(t *testing.T) {
	eachCaller(t, func(c *caller) {
		_, err := c.store.Enqueue(c.Context(), []workqueue.NewItem{keyed("reads the policy")})
		c.must(err)
		_, err = c.db.ExecContext(c.Context(), `UPDATE "BotQueues" SET "PriorityOffset" = 9, "Revision" = "Revision" + 1 WHERE "Name" = 'unique'`)
		c.must(err)
		tx := c.begin()
		c.order(tx, "1")
		made, err := c.store.EnqueueTx(c.Context(), tx, []workqueue.NewItem{keyed("a")})
		c.must(err)
		c.must(tx.Commit())
		c.want(1, 2)
		if it, err := c.store.Item(c.Context(), made[0].ID); err != nil || it.Priority != 9 {
			c.Errorf("the item has the priority %d (%v), want the new offset 9", it.Priority, err)
		}
	})
}

// Of two transactions with one key the second waits for the first, and gets its item.
func TestEnqueueTxKeysOfOpenTransactions(t *testing.T) {
	eachCaller(t, func(c *caller) {
		if c.e.Driver == database.SQLite {
			c.Skip("SQLite has one writer: the second transaction cannot begin")
		}
		first, second := c.begin(), c.begin()
		c.order(second, "2")
		one, err := c.store.EnqueueTx(c.Context(), first, []workqueue.NewItem{keyed("a")})
		c.must(err)
		type result struct {
			made []workqueue.Enqueued
			err  error
		}
		done := make(chan result, 1)
		go func() {
			made, err := c.store.EnqueueTx(c.Context(), second, []workqueue.NewItem{keyed("a"), keyed("b")})
			done <- result{made, err}
		}()
		select {
		case r := <-done:
			c.Fatalf("the second transaction got %+v before the first ended", r)
		case <-time.After(200 * time.Millisecond): // it waits; if it has not begun to, it finds the item at once
		}
		c.must(first.Commit())
		r := <-done
		c.must(r.err)
		c.must(second.Commit())
		c.want(1, 2)
		if !r.made[0].Existing || r.made[0].ID != one[0].ID || r.made[1].Existing {
			c.Errorf("the second transaction got %+v, want the item %d of the first and a new one", r.made, one[0].ID)
		}
	})
}

// The store's own writers wait for the caller's transaction; the caller does not wait for them.
func TestEnqueueTxBesideWaitingWriters(t *testing.T) {
	eachCaller(t, func(c *caller) {
		tx := c.begin()
		c.order(tx, "1")
		wrote := make(chan error, 1)
		go func() {
			_, err := c.store.Enqueue(c.Context(), []workqueue.NewItem{{IntegrationConfig: "p"}})
			wrote <- err
		}()
		if c.e.Driver == database.SQLite {
			select {
			case err := <-wrote:
				c.Fatalf("Enqueue = %v while another process held the lock", err)
			case <-time.After(100 * time.Millisecond):
			}
		}
		ctx, cancel := context.WithTimeout(c.Context(), 5*time.Second)
		defer cancel()
		// Both times can only be compared by the database's clock.
		_, err := c.store.EnqueueTx(ctx, tx, []workqueue.NewItem{{IntegrationConfig: "p", In: time.Minute, Deadline: time.Now().Add(time.Hour)}})
		c.must(err)
		c.must(tx.Commit())
		c.must(<-wrote)
		c.want(1, 2)
	})
}

func TestEnqueueTxEncrypts(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		ctx, dsn := t.Context(), e.DSN(t)
		e.Open(t, dsn)
		store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(e.Driver), DSN: dsn, Cipher: placeCipher{}})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		c := &caller{T: t, e: e, store: store, db: e.SQL(t, dsn)}
		_, err = store.DefineQueues(ctx, []workqueue.Queue{{Name: "forms", Encrypted: true}}, "a test")
		c.must(err)
		tx := c.begin()
		made, err := store.EnqueueTx(ctx, tx, []workqueue.NewItem{{QueueName: "forms", IntegrationConfig: "p", Payload: `{"customer":4711}`}})
		c.must(err)
		c.must(tx.Commit())
		var raw string
		c.must(c.db.QueryRowContext(ctx, `SELECT "Payload" FROM "BotWorkQueueItems"`).Scan(&raw))
		it, err := store.Item(ctx, made[0].ID)
		c.must(err)
		if !workqueue.Sealed(raw) || strings.Contains(raw, "4711") || it.Payload != `{"customer":4711}` {
			t.Errorf("the row has %q and the item %q, want the payload sealed in the row only", raw, it.Payload)
		}
	})
}

func TestEnqueueGorm(t *testing.T) {
	eachCaller(t, func(c *caller) {
		dialector := map[database.Driver]gorm.Dialector{
			database.SQLite:    gormsqlite.Dialector{Conn: c.db},
			database.Postgres:  postgres.New(postgres.Config{Conn: c.db}),
			database.SQLServer: sqlserver.New(sqlserver.Config{Conn: c.db}),
		}[c.e.Driver]
		for _, prepare := range []bool{false, true} {
			db, err := gorm.Open(dialector, &gorm.Config{PrepareStmt: prepare})
			c.must(err)
			if _, err := c.store.EnqueueGorm(c.Context(), db, []workqueue.NewItem{keyed("outside")}); err == nil || !strings.Contains(err.Error(), "outside a transaction") {
				c.Errorf("EnqueueGorm outside a transaction = %v, want an error", err)
			}
			rollback := errors.New("the caller rolls back")
			err = db.Transaction(func(tx *gorm.DB) error {
				if _, err := c.store.EnqueueGorm(c.Context(), tx, []workqueue.NewItem{keyed("gone")}); err != nil {
					return err
				}
				return rollback
			})
			if !errors.Is(err, rollback) {
				c.Fatal(err)
			}
			c.must(db.Transaction(func(tx *gorm.DB) error {
				if err := tx.Exec(`INSERT INTO "Orders" ("Number") VALUES (?)`, map[bool]int{false: 1, true: 2}[prepare]).Error; err != nil {
					return err
				}
				_, err := c.store.EnqueueGorm(c.Context(), tx, []workqueue.NewItem{{IntegrationConfig: "p"}})
				return err
			}))
		}
		c.want(2, 2)
	})
}

// The workers of this process and of others learn of the items when the transaction commits.
func TestEnqueueTxNotifies(t *testing.T) {
	onPostgres(t, func(t *testing.T, e testdb.Engine, dsn string) {
		store := e.Open(t, dsn)
		h := listenTo(t, store)
		c := &caller{T: t, e: e, store: store, db: e.SQL(t, dsn)}
		h.await("items of a caller's transaction", 1234, func() {
			tx := c.begin()
			_, err := store.EnqueueTx(t.Context(), tx, []workqueue.NewItem{{IntegrationConfig: "p", Priority: 1234}})
			c.must(err)
			c.must(tx.Commit())
		})
	})
}
