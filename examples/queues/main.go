// Queues demonstrates the policies of queues and the life cycle of items. It runs
// commands as a user would and shows their output:
//
//	go run ./examples/queues
package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"botwork/cmd"
)

//go:embed project
var project embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "queues:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "botwork-queues-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, err := fs.Sub(project, "project")
	if err == nil {
		err = os.CopyFS(dir, files)
	}
	if err != nil {
		return fmt.Errorf("copy the project: %w", err)
	}
	return playStory(ctx, &session{dir: dir, out: out, environ: os.Environ()})
}

// session runs commands and shows their output.
type session struct {
	dir     string // the folder of the project
	out     io.Writer
	environ []string
}

// say writes a line of the story.
func (s *session) say(text string) { fmt.Fprintf(s.out, "\n# %s\n", text) }

// do runs a command and shows it; the command must end with the given exit code. The
// words of a command are separated by spaces; a word that contains spaces is quoted with
// ' '.
func (s *session) do(ctx context.Context, exit int, command string) error {
	var said bytes.Buffer
	args := append([]string{"--config", filepath.Join(s.dir, "botwork.yaml")}, words(command)...)
	for i, arg := range args {
		if strings.HasSuffix(arg, "keyset.json") {
			args[i] = filepath.Join(s.dir, arg)
		}
	}
	code := cmd.Run(ctx, args, strings.NewReader(""), &said, &said, s.environ)
	text := strings.ReplaceAll(said.String(), s.dir+string(filepath.Separator), "")
	fmt.Fprintf(s.out, "\n$ botwork %s\n%s", command, text)
	if code != exit {
		return fmt.Errorf("botwork %s: exit code %d, want %d", command, code, exit)
	}
	return nil
}

// words splits a command into words.
func words(command string) []string {
	var all []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}
