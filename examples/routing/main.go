// Routing runs three workers with different labels on one queue. It shows which worker
// ran each item, and why one item was not run:
//
//	go run ./examples/routing
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
)

//go:embed project
var project embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "routing:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "botwork-routing-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := copyProject(dir); err != nil {
		return err
	}
	o, err := open(ctx, filepath.Join(dir, "botwork.yaml"), os.Environ(), io.Discard)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close(context.WithoutCancel(ctx))) }()
	if err := o.work(ctx); err != nil {
		return err
	}
	return o.report(ctx, out)
}

func copyProject(dir string) error {
	files, err := fs.Sub(project, "project")
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if err != nil {
		return fmt.Errorf("copy the project: %w", err)
	}
	return nil
}
