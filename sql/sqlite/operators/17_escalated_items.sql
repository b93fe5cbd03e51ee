-- Items that escalation rules acted on in the last 200 entries of the audit log, the latest first,
-- with their values before and after as JSON, and where they are now. An item that no longer exists
-- has no StateNow.
SELECT l.At, l.Actor AS RuleName, c.ItemId, i.QueueName, c.Before, c.After,
    CASE i.State WHEN 0 THEN 'Ready' WHEN 1 THEN 'Blocked' WHEN 2 THEN 'Processed'
                 WHEN 3 THEN 'Cancelled' WHEN 4 THEN 'Pending' WHEN 5 THEN 'Assigned' END AS StateNow, i.Priority AS PriorityNow
FROM (SELECT e.Id, e.At, e.Actor FROM BotAuditLog e WHERE e.Action = 'items.escalate' ORDER BY e.Id DESC LIMIT 200) l
JOIN BotAuditItems c ON c.AuditId = l.Id
LEFT JOIN BotWorkQueueItems i ON i.Id = c.ItemId
ORDER BY l.Id DESC, c.Id;
