package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxPasswordInput bounds what is read as a password from standard input, in bytes.
const maxPasswordInput = 4096

// CanPrompt reports whether a person can type an answer: standard input and standard error are
// terminals.
func (s *Streams) CanPrompt() bool {
	in, ok := s.Stdin.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && IsTerminal(s.Stderr)
}

// PromptPassword asks for a password twice, without showing it. It returns "" for an empty first
// answer.
func (s *Streams) PromptPassword(ctx context.Context, prompt string) (string, error) {
	in, ok := s.Stdin.(*os.File)
	if !ok {
		return "", errors.New("standard input is not a terminal")
	}
	first, err := s.ask(ctx, in, prompt)
	if err != nil || first == "" {
		return "", err
	}
	second, err := s.ask(ctx, in, "The same again: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", &UsageError{Message: "the two passwords differ"}
	}
	return first, nil
}

// PromptPresent asks for the present password once, without showing it.
func (s *Streams) PromptPresent(ctx context.Context, prompt string) (string, error) {
	in, ok := s.Stdin.(*os.File)
	if !ok {
		return "", errors.New("standard input is not a terminal")
	}
	return s.ask(ctx, in, prompt)
}

func (s *Streams) ask(ctx context.Context, in *os.File, prompt string) (string, error) {
	fmt.Fprint(s.Stderr, prompt)
	text, err := readHidden(ctx, int(in.Fd()))
	fmt.Fprintln(s.Stderr)
	return text, err
}

// readHidden reads a line of a terminal without showing it. When ctx ends, such as by Ctrl-C, the
// terminal shows what is typed again; the read itself ends with the process.
func readHidden(ctx context.Context, terminal int) (string, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := term.ReadPassword(terminal)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return string(l.text), l.err
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(terminal, before))
	}
}

// ReadPassword reads a password from standard input, without the line ending.
func (s *Streams) ReadPassword() (string, error) {
	data, err := io.ReadAll(io.LimitReader(s.Stdin, maxPasswordInput+1))
	if err != nil {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	if len(data) > maxPasswordInput {
		return "", Usagef("standard input has more than %d bytes, want a password", maxPasswordInput)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if text == "" {
		return "", Usagef("standard input is empty, want a password")
	}
	return text, nil
}
