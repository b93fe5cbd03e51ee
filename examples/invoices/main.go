// Invoices runs the invoices example once and shows what came of it:
//
//	go run ./examples/invoices
//
// It copies the folder project to a new place, starts the service that knows
// what currencies are worth, and runs all system pipelines one time.
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
	dir := flag.String("dir", "", "`FOLDER` of the project: filled when it is not there, used as it stands when it is (default: a new temporary one)")
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
	fmt.Fprintf(out, "\nAll that was there was done in %s. The reports are in\n%s\n", took.Round(time.Millisecond), filepath.Join(dir, "data", "reports"))
	return nil
}

// serveRates starts the service on a free port and tells the pipelines by the
// variable that invoice.yaml reads.
func serveRates() (stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: rates.Handler("let-me-in"), ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it ends when stop closes it
	return func() { _ = server.Close() }, os.Setenv("RATES_URL", "http://"+listener.Addr().String())
}
