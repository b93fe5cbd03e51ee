-- due_queue: due items of one queue, as due returns them. It uses the indexes of checkout, which need the condition on
-- Fence; no fence is below 0. Items that run together are found by the index of batches, those that were scheduled for
-- later and not promoted yet by their time.
-- In:  queue, and the parameters of due
-- Out: the columns of due; part after part.
WITH leaders AS (
    SELECT g.Id
    FROM (
        -- include: batch_groups scope=i.BatchKey IS NOT NULL AND i.QueueName = @queue
        ) g
    WHERE {{batch_leads}})
-- include: due_part part=undated; condition=i.QueueName = @queue AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NULL; order=i.Priority DESC, i.Id
UNION ALL
{{due_part part=dated; condition=i.QueueName = @queue AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= {{now_once}}; order=i.Priority DESC, i.DeadlineAt, i.Id}}
UNION ALL
{{due_part part=later; condition=i.QueueName = @queue AND i.BatchKey IS NULL AND i.Scheduled = 1 AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now_once}}); order=i.Priority DESC, i.Expedite DESC, CASE WHEN i.DeadlineAt IS NULL THEN 1 ELSE 0 END, i.DeadlineAt, i.Id}}
UNION ALL
{{due_part part=batched; condition=i.BatchKey IS NOT NULL AND (i.DeadlineAt IS NULL OR i.DeadlineAt >= {{now_once}}) AND i.Id IN (SELECT l.Id FROM leaders l); order=i.Priority DESC, i.Id}};
