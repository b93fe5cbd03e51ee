// Nightly runs sixty jobs in three priority bands on two workers that share one database,
// and shows which worker ran which jobs:
//
//	go run ./examples/nightly
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
	"time"
)

//go:embed project
var project embed.FS

// The pipelines that run the items, in the order of this example. In production they run
// each minute and every three hours.
var systemPipelines = []string{"ExecuteWorkQueue", "ExecuteLowPriorityWorkQueue"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "nightly:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "botwork-nightly-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := copyProject(dir); err != nil {
		return err
	}
	n, err := begin(ctx, filepath.Join(dir, "botwork.yaml"), os.Environ(), io.Discard)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.end(context.WithoutCancel(ctx))) }()
	for _, pipeline := range systemPipelines {
		started := time.Now()
		if err := n.runOnAll(ctx, pipeline); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s took %s\n", pipeline, time.Since(started).Round(time.Millisecond))
	}
	return n.report(ctx, out)
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
