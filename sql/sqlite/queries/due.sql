-- due: items of a band that wait and are due, the most urgent first. Each part follows an
-- index of its own: those without a deadline, those with one, those that may go before
-- others of their priority (the first two give them, too), and those that were not due
-- when they were written and that promote has not put with the others: their index is by
-- time, so that what is due later costs nothing.
-- Robots take the items of their queues themselves.
-- In:  min_priority, max_priority, limit_rows (of each part), queues [name] and keys
--      [{Queue, Key}] that have no place left, pipelines [name] that no worker may be
--      given, now (NULL: the database clock)
-- Out: id, priority, deadline, estimate in ms, the beginning of the pipeline, queue, 1 if
--      it has limits, the key that they count by, since when it is due, labels,
--      selectors, whether it may go before others, task and natural key where there is
--      no estimate, whether it is of the last part; part after part.
-- include: due_part part=undated; condition=i.Scheduled = 0 AND i.DeadlineAt IS NULL; order=i.Priority DESC, i.Id
UNION ALL
-- include: due_part part=dated; condition=i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= {{now_once}}; order=i.Priority DESC, i.DeadlineAt, i.Id
UNION ALL
-- include: due_part part=expedited; condition=i.Scheduled = 0 AND i.Expedite = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now_once}}); order=i.Priority DESC, i.Id
UNION ALL
{{due_part part=later; condition=i.Scheduled = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now_once}}); order=i.Priority DESC, i.Expedite DESC, CASE WHEN i.DeadlineAt IS NULL THEN 1 ELSE 0 END, i.DeadlineAt, i.Id}};
