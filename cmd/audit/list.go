package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) auditListCommand() *cobra.Command {
	var f workqueue.AuditFilter
	var target string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the entries of the audit log, the newest first",
		Long: `Lists the entries of the audit log, the newest first. Filters are combined with AND.
With --item, before and after are the values of that item.

An action is a noun and a verb, such as items.cancel; --action items selects all
actions on items. A target is a kind and a name, such as queue:mail, or only a kind:
` + strings.Join(workqueue.AuditTargets(), ", ") + `.

` + cli.TimeForms + `

For the next page, give the last id of this page to --before. JSON and YAML are a list
of entries with all their fields.`,
		Example: `  botwork audit list --since yesterday
  botwork audit list --actor ann --action items.cancel
  botwork audit list --target queue:invoices
  botwork audit list --item 17 --output json`,
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Actor, "actor", "", "only changes by this `NAME` of a person, robot, worker or rule")
	flags.StringVar(&f.Action, "action", "", "only this `ACTION`, such as items.cancel, or items for all of them")
	flags.StringVar(&target, "target", "", "only this `TARGET`, such as queue:mail or worker")
	flags.Int64Var(&f.ItemID, "item", 0, "only changes of the item `ID`")
	flags.Int64Var(&f.BeforeID, "before", 0, "only entries with a smaller `ID`: the next page")
	flags.IntVar(&f.Limit, "limit", 50, "list at most `N` entries")
	flags.Lookup("item").DefValue, flags.Lookup("before").DefValue = "0", "0"
	since := cli.TimeFlag(cmd, &a.Streams, "since", "only from this `TIME` on")
	until := cli.TimeFlag(cmd, &a.Streams, "until", "only before this `TIME`")
	_ = cmd.RegisterFlagCompletionFunc("action", cobra.FixedCompletions(actionWords(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("target", cobra.FixedCompletions(workqueue.AuditTargets(), cobra.ShellCompDirectiveNoFileComp))
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		for _, name := range []string{"actor", "action", "target", "item", "before"} {
			if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
				return cli.Usagef("--%s: got an empty text; omit the flag to match any", name)
			}
			if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "0" {
				return cli.Usagef("--%s: got 0, want an id; omit the flag to match any", name)
			}
		}
		if f.Since, err = since(); err != nil {
			return err
		}
		if f.Until, err = until(); err != nil {
			return err
		}
		if err := check(&f, target); err != nil {
			return err
		}
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			entries, err := store.AuditEntries(cmd.Context(), f)
			if err != nil {
				return err
			}
			for i := range entries {
				entries[i].MapTexts(a.Redactor().Redact)
			}
			return a.Print(*output, entries, func() { a.table(entries) })
		})
	}
	return cmd
}

// actionWords are what --action accepts: the actions, and their nouns.
func actionWords() []string {
	words := workqueue.AuditActions()
	for _, action := range workqueue.AuditActions() {
		if noun, _, _ := strings.Cut(action, "."); !slices.Contains(words, noun) {
			words = append(words, noun)
		}
	}
	return words
}

// check checks the filter, and adds the target to it.
func check(f *workqueue.AuditFilter, target string) error {
	if f.Limit < 1 {
		return cli.Usagef("--limit: got %d, want 1 or more", f.Limit)
	}
	if f.ItemID < 0 || f.BeforeID < 0 {
		return cli.Usagef("got a negative id, want a whole number from 1 on")
	}
	if !f.Since.IsZero() && !f.Until.IsZero() && !f.Since.Before(f.Until) {
		return cli.Usagef("got --since %s and --until %s, want an earlier --since", f.Since.Format(time.RFC3339), f.Until.Format(time.RFC3339))
	}
	if words := actionWords(); f.Action != "" && !slices.Contains(words, f.Action) {
		return cli.NotOneOf("action", f.Action, words)
	}
	if target == "" {
		return nil
	}
	kind, name, named := strings.Cut(target, ":")
	if kinds := workqueue.AuditTargets(); !slices.Contains(kinds, kind) {
		return cli.NotOneOf("target", kind, kinds)
	}
	if named && name == "" {
		return cli.Usagef("--target: got %q, want a name after the colon, or only the kind", target)
	}
	if kind != workqueue.TargetItem || !named {
		f.TargetKind, f.Target = kind, name
		return nil
	}
	// An entry about several items names none of them as its target.
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil || id < 1 || f.ItemID != 0 && f.ItemID != id {
		return cli.Usagef("--target: got %q, want an item's id after the colon, the same as that of --item", target)
	}
	f.ItemID = id
	return nil
}

func (a *command) table(entries []workqueue.AuditEntry) {
	if len(entries) == 0 {
		fmt.Fprintln(a.Stdout, "no entries")
		return
	}
	g := cli.NewGrid("id", "time", "by", "host", "action", "target", "reason").DropWhenNarrow("host", "reason")
	for i := range entries {
		e := &entries[i]
		g.Add(fmt.Sprint(e.ID), a.Instant(&e.At), e.By(), cli.OrNone(e.Host), e.Action, targetText(e), cli.OrNone(cli.Shorten(e.Reason, 80)))
	}
	g.Print(a.Stdout)
}
