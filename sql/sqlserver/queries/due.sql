-- due: waiting items of a band that are due, the most urgent first. Each part uses its own index:
-- items without a deadline, items with one, items that may overtake others of their priority (also
-- in the first two parts), and items that were scheduled for later and that promote has not moved
-- yet. The index of the last part is by time, so that items that are due later cost nothing.
-- Of items that run together, the last part returns only those that lead a batch that is due.
-- Robots take the items of their queues themselves.
-- In:  min_priority, max_priority, limit_rows (of each part), queues [name] and keys
--      [{Queue, Key}] that have reached their limits, pipelines [name] that no worker may
--      get, now (NULL: the database clock)
-- Out: id, priority, deadline, estimate in ms, the beginning of the pipeline, queue, 1 if
--      it has limits, the key that they count by, since when it is due, labels,
--      selectors, whether it may overtake others, task and natural key if there is
--      no estimate, whether it is in the last part, 1 if it was inserted by hand and the policies of its
--      queue were not applied; part after part.
WITH leaders AS (
    SELECT g.Id
    FROM (
        -- include: batch_groups scope=i.BatchKey IS NOT NULL
        ) g
    WHERE {{batch_leads}})
-- include: due_part part=undated; condition=i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NULL; order=i.Priority DESC, i.Id
UNION ALL
-- include: due_part part=dated; condition=i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= {{now}}; order=i.Priority DESC, i.DeadlineAt, i.Id
UNION ALL
-- include: due_part part=expedited; condition=i.BatchKey IS NULL AND i.Scheduled = 0 AND i.Expedite = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now}}); order=i.Priority DESC, i.Id
UNION ALL
{{due_part part=later; condition=i.BatchKey IS NULL AND i.Scheduled = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now}}); order=i.Priority DESC, i.Expedite DESC, CASE WHEN i.DeadlineAt IS NULL THEN 1 ELSE 0 END, i.DeadlineAt, i.Id}}
UNION ALL
{{due_part part=batched; condition=i.BatchKey IS NOT NULL AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now}}) AND i.Id IN (SELECT l.Id FROM leaders l); order=i.Priority DESC, i.Id}};
