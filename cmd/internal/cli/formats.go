package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Formats of single commands, beside those of all.
const (
	FormatJUnit   Format = "junit"
	FormatMermaid Format = "mermaid"
	FormatSVG     Format = "svg"
)

// chosenFormat is the value of --output of a command that has formats of its own.
type chosenFormat struct {
	*Format
	words []string
}

// Set refuses what the command cannot write.
func (f chosenFormat) Set(text string) error {
	if !slices.Contains(f.words, text) {
		last := len(f.words) - 1
		return errors.New("want " + strings.Join(f.words[:last], ", ") + " or " + f.words[last])
	}
	*f.Format = Format(text)
	return nil
}

// OutputFlagOf gives cmd the flag --output with these formats, the first of which is
// the default, and returns where its value will be.
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
