// Package payload reads the payload of an item from flags, files and standard input.
package payload

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

// Flags are the two flags for a payload.
type Flags struct {
	text, file string
	flags      *pflag.FlagSet
}

func (p *Flags) Register(cmd *cobra.Command) {
	p.flags = cmd.Flags()
	cmd.Flags().StringVar(&p.text, "payload", "", "the payload as `JSON`")
	cmd.Flags().StringVar(&p.file, "payload-file", "", "`FILE` that holds the payload as JSON; - reads standard input")
}

func (p *Flags) IsSet() bool {
	return p.flags.Changed("payload") || p.flags.Changed("payload-file")
}

// Read returns the payload, or "" if none was given. Invalid JSON and a payload above the
// limit are usage errors. limit is called only for a payload that is larger than the default;
// nil means no limit.
func (p *Flags) Read(stdin io.Reader, limit func() (int64, error)) (workqueue.JSONText, error) {
	if !p.IsSet() {
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
	text, err := newitems.JSON(data)
	if err != nil {
		wrong := &cli.UsageError{Message: fmt.Sprintf("%s is not JSON: %v", name, err)}
		if name == "--payload" {
			wrong.Hint = "the shell may have removed the quotes; --payload-file reads a file instead"
		}
		return "", wrong
	}
	return text, nil
}
