-- escalation_due_pipeline: the same as escalation_due for the items of a pipeline in all queues. It reads all waiting rows.
-- In:  pipeline, the parameters of escalation_half, assigned (1: also assigned items), limit_rows
-- Out: id, state, version, priority, selectors, due time and latest step (0: none) of candidates for escalation_still, in any
--      order.
SELECT c.Id, c.State, c.Version, c.Priority, c.Selectors, c.AvailableAt, c.Step
FROM (
    -- include: escalation_half state=i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL; scope={{pipeline_of config=i.IntegrationConfig}} = @pipeline
    UNION ALL
    -- include: escalation_half state=i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL; scope={{pipeline_of config=i.IntegrationConfig}} = @pipeline
    UNION ALL
    -- include: escalation_half state=i.State = 5 AND @assigned = 1; scope={{pipeline_of config=i.IntegrationConfig}} = @pipeline
) c
LIMIT CAST(@limit_rows AS INTEGER);
