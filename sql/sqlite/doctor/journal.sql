-- journal: how the file keeps its journal. Asking changes nothing.
-- Out: the mode.
SELECT journal_mode FROM pragma_journal_mode;
