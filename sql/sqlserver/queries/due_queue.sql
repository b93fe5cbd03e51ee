-- due_queue: due items of one queue, as due returns them, without those that were scheduled for later
-- and not promoted yet, and without items that run together. It uses the indexes of checkout, which need
-- the condition on Fence; no fence is below 0.
-- In:  queue, and the parameters of due
-- Out: the columns of due; part after part.
-- include: due_part part=undated; condition=i.QueueName = CAST(@queue AS NVARCHAR(450)) AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NULL; order=i.Priority DESC, i.Id
UNION ALL
{{due_part part=dated; condition=i.QueueName = CAST(@queue AS NVARCHAR(450)) AND i.Fence >= 0 AND i.BatchKey IS NULL AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= {{now}}; order=i.Priority DESC, i.DeadlineAt, i.Id}};
