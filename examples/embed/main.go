// Embed is a program with Botwork inside: it takes orders, and a worker in the same process sends
// their invoices. An order and the item for its invoice are written in one transaction.
//
//	go run . -orders 3
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"botwork"

	_ "modernc.org/sqlite" // the driver of this program's own connection
)

// sendInvoice is the name of the function, and so of the items' pipeline.
const sendInvoice = "send-invoice"

// Invoice is the payload of an item.
type Invoice struct {
	Order int64   `json:"order"`
	Total float64 `json:"total"`
}

// Receipt is the output of an item.
type Receipt struct {
	Number string `json:"number"`
}

func main() {
	path := flag.String("db", "orders.db", "the SQLite file of the orders and of the queue")
	orders := flag.Int("orders", 3, "how many orders to take")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *path, *orders); err != nil {
		log.Fatal(err)
	}
}

// run takes orders, and returns when their invoices are sent.
func run(ctx context.Context, path string, orders int) error {
	store, err := botwork.Open(ctx, "sqlite", path)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS Orders (Number INTEGER PRIMARY KEY, Total REAL NOT NULL)`); err != nil {
		return err
	}
	for i := range orders {
		if err := takeOrder(ctx, db, store, float64(i+1)*9.5); err != nil {
			return err
		}
	}
	if err := takeOrder(ctx, db, store, -1); err == nil {
		return errors.New("an order with a negative total was accepted")
	}

	ctx, done := context.WithTimeout(ctx, time.Minute)
	defer done()
	var sent atomic.Int64
	worker := botwork.NewWorker(store, botwork.WorkerOptions{Name: "invoices", Capacity: 2})
	botwork.Handle(worker, sendInvoice, func(_ context.Context, job *botwork.Job, in Invoice) (Receipt, error) {
		receipt := Receipt{Number: fmt.Sprintf("R-%04d", in.Order)}
		fmt.Printf("order %d, total %.2f: sent invoice %s (item %d, attempt %d)\n", in.Order, in.Total, receipt.Number, job.ItemID, job.Attempt)
		if sent.Add(1) == int64(orders) {
			done() // the worker drains: this run ends and is recorded
		}
		return receipt, nil
	})
	return worker.Run(ctx)
}

// takeOrder writes an order and the item for its invoice, both or none.
func takeOrder(ctx context.Context, db *sql.DB, store *botwork.Store, total float64) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	result, err := tx.ExecContext(ctx, `INSERT INTO Orders (Total) VALUES (?)`, total)
	if err != nil {
		return err
	}
	order, err := result.LastInsertId()
	if err != nil {
		return err
	}
	_, err = store.EnqueueTx(ctx, tx, botwork.NewItem{
		IntegrationConfig: sendInvoice, Priority: 1500, NaturalKey: fmt.Sprint("order-", order),
		Payload: botwork.Payload(Invoice{Order: order, Total: total}), Attempts: 5,
	})
	if err != nil {
		return err
	}
	if total < 0 {
		return fmt.Errorf("order %d: got the total %v, want 0 or more", order, total) // the item goes with the order
	}
	return tx.Commit()
}
