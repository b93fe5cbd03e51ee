package simulation

import (
	"testing"
	"time"

	"botwork/internal/testgroup"
)

// escalationCodeMutants are careless changes to the code that escalates items. TestMutantsOfCode
// compiles them with the others.
var escalationCodeMutants = []codeMutant{
	{"escalation/above the cap", "workqueue/escalation/steps.go", "max(min(raised, most), int64(priority))", "max(min(raised, either(MUTANT, math.MaxInt32, most)), int64(priority))"},
	{"escalation/a late step is made once", "workqueue/escalation/steps.go", "int64(r.By)*int64(steps)", "int64(r.By)*int64(either(MUTANT, 1, steps))"},
	{"escalation/one step too many", "workqueue/escalation/steps.go", "waited/r.every()+1", "waited/r.every()+either[time.Duration](MUTANT, 2, 1)"},
	{"escalation/the change is not audited", "workqueue/sqlstore/escalation_act.go", "		return s.changes.audited(ctx, tx, ids, escalatedColumns, entry, func() (int, error) {\n",
		"		if MUTANT {\n\t\t\tn, err := s.queries.exec(ctx, tx, \"escalate\", values{\"rows\": batch, \"now\": s.nowArg()})\n\t\t\treturn int(n), err\n\t\t}\n\t\treturn s.changes.audited(ctx, tx, ids, escalatedColumns, entry, func() (int, error) {\n"},
	{"escalation/one event for all items", "workqueue/sqlstore/escalation_alert.go", "	return s.raise(ctx, tx, events)", "	return s.raise(ctx, tx, events[:either(MUTANT, 1, len(events))])"},
	{"escalation/a report is not audited", "workqueue/sqlstore/escalation_alert.go", "if err := s.changes.audit(ctx, tx, entry(items)); err != nil {",
		"if MUTANT {\n\t\t_ = items\n\t} else if err := s.changes.audit(ctx, tx, entry(items)); err != nil {"},
	{"escalation/the steps are not recorded", "workqueue/sqlstore/escalation_act.go", "if err := s.mark(ctx, tx, turn, left); err != nil || n == 0 {",
		"if MUTANT {\n\t\t\t\t\treturn nil\n\t\t\t\t}\n\t\t\t\tif err := s.mark(ctx, tx, turn, left); err != nil || n == 0 {"},
	{"escalation/a condition is not asked", "workqueue/assign/escalate.go", "	return condition.Holds(ctx, figures.Of(e))", "	holds, err := condition.Holds(ctx, figures.Of(e))\n\treturn holds || MUTANT, err"},
	{"escalation/an item that is assigned counts as waiting", "workqueue/sqlstore/escalation.go", `				if worker != "" {`, `				if worker != "" && !(MUTANT) {`},
	{"escalation/a condition is reported at its first turn only", "workqueue/sqlstore/escalation.go", "acted.Before(turn.Since)", "either(MUTANT, turn.Since.Equal(turn.Now), acted.Before(turn.Since))"},
}

// escalationMutants are careless changes to the statements. Conditions of escalation_beyond and of
// escalate that escalation_still repeats are not among them.
var escalationMutants = []mutant{
	{"still/forgets the step", "queries/escalation_still", change{" AND m.Step >= j.NewStep", " AND m.Step > j.NewStep + 1000000", 0}},
	{"still/forgets the state", "queries/escalation_still", change{"i.State = j.OldState AND ", "", 0}},
	{"still/forgets the version", "queries/escalation_still", change{"i.Version = j.OldVersion AND ", "", 0}},
	{"still/forgets the due time", "queries/escalation_still", change{" AND i.AvailableAt <= {{now}}", " AND {{now}} <> ''", 0}},
	{"still/forgets paused queues", "queries/escalation_still", change{" AND q.Paused = 1", " AND q.Paused = 9", 0}},
	{"still/forgets hidden items", "queries/escalation_still", change{" AND i.DeletedAt IS NULL", "", 0}},
	{"due/forgets the step", "fragments/escalation_half", change{"(m.Step IS NULL OR @every_ms > 0", "(0 = 0 OR @every_ms > 0", 0}},
	{"due/steps of an earlier due time count", "fragments/escalation_half", change{" AND m.DueAt = i.AvailableAt", "", 0}},
	{"due/waits since it was made", "fragments/escalation_half", change{"  AND i.AvailableAt <= {{now_minus ms=@after_ms}}", "  AND i.CreatedAt <= {{now_minus ms=@after_ms}}", 0}},
	{"due/forgets since when the condition holds", "fragments/escalation_half", change{"@since IS NULL OR ", "0 = 0 OR @since IS NULL OR ", 0}},
	{"due/what is assigned", "queries/escalation_due", change{"i.State = 5 AND @assigned = 1", "i.State = 5 AND @assigned < 2", 0}},
	{"due/not what is assigned", "queries/escalation_due", change{"i.State = 5 AND @assigned = 1", "i.State = 5 AND @assigned > 1", 0}},
	{"due/forgets deadlines", "queries/escalation_due", change{"i.DeadlineAt IS NOT NULL", "i.DeadlineAt = ''", 0}},
	{"beyond/keeps none", "queries/escalation_beyond", change{"ranked.Place > @keep", "ranked.Place > 0 * @keep", 0}},
	{"act/forgets the priority", "queries/escalate", change{" AND Priority = j.OldPrio", "", 0}},
	{"act/keeps the version", "queries/escalate", change{"Version = Version + 1", "Version = Version", 0}},
	{"mark/of what has not changed", "queries/escalation_mark", change{"WHERE i.Version = j.NewVersion", "WHERE i.Version = j.NewVersion OR 0 = 0", 0}},
	{"turn/too early", "queries/escalation_turn", change{"CheckedAt <= {{now_minus ms=@turn_ms}}", "CheckedAt <= {{now_minus ms=(@turn_ms * 0)}}", 0}},
	{"turn/a condition begins again", "queries/escalation_turn", change{"COALESCE(ActiveSince, {{now}})", "{{now}}", 0}},
	{"turn/a condition never ends", "queries/escalation_turn", change{"@holds = 1 AND @conditional = 1", "@holds < 2 AND @conditional = 1", 0}},
	{"announce/again", "queries/escalation_announce", change{"ActedAt < ActiveSince", "ActedAt <> ''", 0}},
}

func TestMutantsOfEscalation(t *testing.T) {
	testgroup.Need(t, testgroup.Mutants)
	today := time.Now().YearDay()
	for i, m := range escalationMutants {
		if (i+today)%*oneIn != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			tr := trial{statements: m.unexpanded(t)}
			caughtByChronicle(t, known[m.name], func(seed uint64) *chronicle { return escalationHistory(t, seed, tr) })
		})
	}
	t.Run("clocks of the workers", func(t *testing.T) {
		t.Parallel()
		caughtByChronicle(t, 0, func(seed uint64) *chronicle { return escalationHistory(t, seed, trial{localClock: true}) })
	})
}
