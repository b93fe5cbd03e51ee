-- escalation_due_pipeline: the same as escalation_due for the items of a pipeline in all queues. It reads
-- all entries of the indexes of waiting items, and the rows of this pipeline.
-- In:  pipeline, the parameters of escalation_half, assigned (1: also assigned items), limit_rows
-- Out: id, state, version, priority, selectors, due time and latest step (0: none) of candidates for escalation_still, in any
--      order.
SELECT TOP (@limit_rows) c.Id, c.State, c.Version, c.Priority, c.Selectors, c.AvailableAt, c.Step
FROM (
    -- include: escalation_half state=i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL; scope=i.PipelineName = CAST(@pipeline AS NVARCHAR(450))
    UNION ALL
    -- include: escalation_half state=i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL; scope=i.PipelineName = CAST(@pipeline AS NVARCHAR(450))
    UNION ALL
    -- include: escalation_half state=i.State = 5 AND @assigned = 1; scope=i.PipelineName = CAST(@pipeline AS NVARCHAR(450))
) c;
