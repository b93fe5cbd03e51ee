// Command dist creates the archives that users download: a zip file for Windows, a tar.gz
// file for each Linux platform, and SHA256SUMS. The same commit and the same version of
// Go always give the same bytes, on any machine and at any time.
//
// Run it in the module's folder: go run ./internal/dist.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// platforms are the platforms of the archives.
const platforms = "windows/amd64,linux/amd64,linux/arm64"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run runs one command line.
func run(ctx context.Context, args []string) error {
	var r release
	var list, date string
	flags := flag.NewFlagSet("dist", flag.ExitOnError)
	out := flags.String("out", "dist", "the `folder` that the archives are written to")
	flags.StringVar(&list, "platforms", platforms, "the platforms to build, as `os/arch,os/arch`")
	flags.StringVar(&r.version, "version", "", "the version (default: what git describe says)")
	flags.StringVar(&r.commit, "commit", "", "the commit (default: git's)")
	flags.StringVar(&date, "date", "", "the commit's date, RFC 3339 (default: git's)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("got the argument %q, want only flags", flags.Arg(0))
	}
	if date != "" {
		at, err := time.Parse(time.RFC3339, date)
		if err != nil {
			return fmt.Errorf("-date: got %q, want a time such as 2026-01-31T13:45:00Z", date)
		}
		r.date = at
	}
	if err := r.complete(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	var made []string
	for name := range strings.SplitSeq(list, ",") {
		p, err := parsePlatform(name)
		if err != nil {
			return err
		}
		archive, err := r.make(ctx, p, *out)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		made = append(made, archive)
	}
	return writeSums(filepath.Join(*out, "SHA256SUMS"), made)
}
