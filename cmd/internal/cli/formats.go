package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Additional formats of single commands.
const (
	FormatJUnit   Format = "junit"
	FormatMermaid Format = "mermaid"
	FormatSVG     Format = "svg"
)

// chosenFormat is the value of --output of a command with additional formats.
type chosenFormat struct {
	*Format
	words []string
}

// Set rejects formats that the command does not support.
func (f chosenFormat) Set(text string) error {
	if !slices.Contains(f.words, text) {
		last := len(f.words) - 1
		return errors.New("want " + strings.Join(f.words[:last], ", ") + " or " + f.words[last])
	}
	*f.Format = Format(text)
	return nil
}

// OutputFlagOf adds the flag --output with these formats to cmd and returns a pointer to its
// value. The first format is the default.
func OutputFlagOf(cmd *cobra.Command, words ...Format) *Format {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	chosen := words[0]
	last := len(texts) - 1
	cmd.Flags().VarP(chosenFormat{&chosen, texts}, "output", "o", "print the result as "+strings.Join(texts[:last], ", ")+" or "+texts[last])
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(texts, cobra.ShellCompDirectiveNoFileComp))
	return &chosen
}
