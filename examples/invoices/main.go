// Invoices runs the invoices example once and shows the results:
//
//	go run ./examples/invoices
//
// It copies the folder project to a new folder, starts the service for exchange rates,
// and runs each system pipeline once.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"botwork/examples/internal/worker"
	"botwork/examples/invoices/rates"
)

func main() {
	dir := flag.String("dir", "", "`FOLDER` of the project: created if it does not exist, otherwise used unchanged (default: a new temporary folder)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *dir, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "invoices:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, out io.Writer) error {
	dir, err := prepare(dir)
	if err != nil {
		return err
	}
	stop, err := serveRates()
	if err != nil {
		return err
	}
	defer stop()
	file := filepath.Join(dir, "botwork.yaml")
	w, err := worker.New(ctx, worker.Options{Config: file, Environ: os.Environ(), Log: io.Discard})
	if err != nil {
		return err
	}
	started := time.Now()
	err = w.RunOnce(ctx)
	took := time.Since(started)
	if err == nil {
		err = summarize(ctx, out, file, w.Store)
	}
	if err := errors.Join(err, w.Stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nAll items were processed in %s. The reports are in\n%s\n", took.Round(time.Millisecond), filepath.Join(dir, "data", "reports"))
	return nil
}

// serveRates starts the service on a free port and sets the environment variable with its
// address, which invoice.yaml reads.
func serveRates() (stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: rates.Handler("let-me-in"), ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it ends when stop closes it
	return func() { _ = server.Close() }, os.Setenv("RATES_URL", "http://"+listener.Addr().String())
}
