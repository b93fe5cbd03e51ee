package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// Rows written by hand cannot have a queue that does not exist, on any engine, whatever
// constraint it uses.
func TestItemsAlwaysHaveTheirQueue(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store, hand := e.Open(t, dsn), e.SQL(t, dsn)
		refused := func(what, statement string) {
			t.Helper()
			if _, err := hand.ExecContext(t.Context(), statement); err == nil {
				t.Errorf("%s is not refused", what)
			}
		}
		do := func(statement string) {
			t.Helper()
			if _, err := hand.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		do(`INSERT INTO "BotQueues" ("Name") VALUES ('full'), ('empty')`)
		do(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName") VALUES ('p', 'full'), ('p', 'default')`)
		refused("an item of an unknown queue", `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName") VALUES ('p', 'nowhere')`)
		refused("one of several items", `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName") VALUES ('p', 'full'), ('p', 'nowhere')`)
		refused("moving an item to an unknown queue", `UPDATE "BotWorkQueueItems" SET "QueueName" = 'nowhere' WHERE "QueueName" = 'full'`)
		refused("deleting a queue with items", `DELETE FROM "BotQueues" WHERE "Name" = 'full'`)
		refused("renaming a queue with items", `UPDATE "BotQueues" SET "Name" = 'other' WHERE "Name" = 'full'`)
		if e.Driver == database.Postgres {
			refused("emptying the table of queues", `TRUNCATE "BotQueues" CASCADE`)
		}
		full := (*workqueue.QueueNotEmptyError)(nil)
		if err := store.DeleteQueue(t.Context(), "full"); !errors.As(err, &full) || full.Items != 1 {
			t.Errorf("DeleteQueue = %v, want a *QueueNotEmptyError with 1 item", err)
		}
		unknown := (*workqueue.UnknownQueueError)(nil)
		if _, err := store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: "nowhere", IntegrationConfig: "p"}}); !errors.As(err, &unknown) {
			t.Errorf("Enqueue = %v, want an *UnknownQueueError", err)
		}
		do(`UPDATE "BotQueues" SET "Name" = 'renamed' WHERE "Name" = 'empty'`)
		do(`UPDATE "BotWorkQueueItems" SET "QueueName" = 'renamed' WHERE "QueueName" = 'full'`)
		do(`DELETE FROM "BotQueues" WHERE "Name" = 'full'`)
		do(`UPDATE "BotQueues" SET "Description" = 'still there' WHERE "Name" = 'renamed'`)
	})
}

// An item is inserted while its queue is deleted: the second statement waits for the first, and
// sees its result.
func TestDeleteQueueDuringEnqueue(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("foreign keys of the engine itself hold items and queues together")
		}
		dsn := e.DSN(t)
		store, hand := e.Open(t, dsn), e.SQL(t, dsn)
		const del = `DELETE FROM "BotQueues" WHERE "Name" = 'q'`
		enqueue := func() error {
			_, err := store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: "q", IntegrationConfig: "p"}})
			return err
		}
		byHand := func() error {
			_, err := hand.ExecContext(t.Context(), `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName") VALUES ('p', 'q')`)
			return err
		}
		for name, insert := range map[string]func() error{"the program": enqueue, "SQL by hand": byHand} {
			if _, err := hand.ExecContext(t.Context(), `INSERT INTO "BotQueues" ("Name") VALUES ('q') ON CONFLICT DO NOTHING`); err != nil {
				t.Fatal(err)
			}
			if err := insert(); err != nil { // from now on the store has the policy cached
				t.Fatal(err)
			}
			if _, err := hand.ExecContext(t.Context(), `DELETE FROM "BotWorkQueueItems"`); err != nil {
				t.Fatal(err)
			}
			if err := whileOpen(t, hand, del, insert); err == nil {
				t.Errorf("%s inserted an item into a deleted queue", name)
			}
			if _, err := hand.ExecContext(t.Context(), `INSERT INTO "BotQueues" ("Name") VALUES ('q')`); err != nil {
				t.Fatal(err)
			}
		}
		err := whileOpen(t, hand, `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "QueueName") VALUES ('p', 'q')`, func() error {
			_, err := hand.ExecContext(t.Context(), del)
			return err
		})
		if err == nil {
			t.Error("a queue was deleted while an item was inserted")
		}
		for _, level := range []sql.IsolationLevel{sql.LevelRepeatableRead, sql.LevelSerializable} {
			tx, err := hand.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.ExecContext(t.Context(), `DELETE FROM "BotQueues" WHERE "Name" = 'q'`); err == nil {
				t.Errorf("%v: a transaction that cannot see new items deleted a queue", level)
			}
			if err := tx.Rollback(); err != nil {
				t.Error(err)
			}
		}
	})
}

// whileOpen runs a statement in a transaction, waits until another statement waits for it, and
// commits. It returns the error of the other statement.
func whileOpen(t *testing.T, db *sql.DB, statement string, other func() error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var pid int
	if err := tx.QueryRowContext(ctx, `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, statement); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- other() }()
	for waits := 0; waits == 0; {
		if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`, pid).Scan(&waits); err != nil {
			t.Fatalf("no session waits: %v", err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	return <-over
}
