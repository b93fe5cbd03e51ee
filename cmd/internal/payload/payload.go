// Package payload reads the payload of an item from flags, files and standard input.
package payload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/handlers"
	"botwork/workqueue"
)

// Flags are the two ways to give a payload.
type Flags struct {
	text, file string
	flags      *pflag.FlagSet
}

func (p *Flags) Register(cmd *cobra.Command) {
	p.flags = cmd.Flags()
	cmd.Flags().StringVar(&p.text, "payload", "", "the payload as `JSON`")
	cmd.Flags().StringVar(&p.file, "payload-file", "", "`FILE` that holds the payload as JSON; - reads standard input")
}

func (p *Flags) Given() bool {
	return p.flags.Changed("payload") || p.flags.Changed("payload-file")
}

// Read returns the payload, "" when none was given. What is not JSON is wrong
// usage, and so is what is larger than limit says. It is asked only for a payload that is
// larger than the default; nil is no limit.
func (p *Flags) Read(stdin io.Reader, limit func() (int64, error)) (workqueue.JSONText, error) {
	if !p.Given() {
		return "", nil
	}
	if p.flags.Changed("payload") && p.flags.Changed("payload-file") {
		return "", cli.Usagef("got --payload and --payload-file, want one of them")
	}
	name, data := "--payload", []byte(p.text)
	if p.flags.Changed("payload-file") {
		var err error
		if p.file == "-" {
			name = "standard input"
			data, err = readUpTo(stdin, limit)
		} else {
			name = p.file
			data, err = readFileUpTo(p.file, limit)
		}
		if size, ok := errors.AsType[*workqueue.SizeError](err); ok {
			return "", &cli.UsageError{Message: fmt.Sprintf("%s: %v", name, size)}
		}
		if _, ok := errors.AsType[*limitError](err); ok {
			return "", err
		}
		if err != nil {
			return "", cli.Usagef("--payload-file: %v", err)
		}
	}
	text, err := Text(data)
	if err != nil {
		wrong := &cli.UsageError{Message: fmt.Sprintf("%s is not JSON: %v", name, err)}
		if name == "--payload" {
			wrong.Hint = "a shell may have taken the quotes away; --payload-file reads a file instead"
		}
		return "", wrong
	}
	return text, nil
}

// Text checks that data is one JSON value in UTF-8 and returns it
// without blanks around it.
func Text(data []byte) (workqueue.JSONText, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) == 0 {
		return "", errors.New("it is empty")
	}
	if !utf8.Valid(data) {
		return "", errors.New("it is not UTF-8")
	}
	if _, err := handlers.DecodeJSON(data); err != nil {
		return "", err
	}
	return workqueue.JSONText(data), nil
}
