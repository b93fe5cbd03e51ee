-- escalation_half: waiting items on which the next step of a rule is due. state and scope are what WHERE takes.
-- In:  rule, after_ms, every_ms (0: the rule has one step), since (since when the condition of the rule holds; NULL: it
--      has none), cap (only items with a lower priority; NULL: all), selective (1: only items with selectors),
--      now (NULL: the database clock)
-- Parameters: state, scope
SELECT i."Id", i."State", i."Version", i."Priority", i."Selectors", i."AvailableAt", COALESCE(m."Step", 0) AS "Step"
FROM "BotWorkQueueItems" i
LEFT JOIN "BotItemEscalations" m ON m."ItemId" = i."Id" AND m."RuleId" = CAST(@rule AS bigint) AND m."DueAt" = i."AvailableAt"
WHERE {{state}} AND {{scope}} AND i."DeletedAt" IS NULL
  AND i."AvailableAt" <= {{now_minus ms=CAST(@after_ms AS bigint)}}
  AND (m."Step" IS NULL OR CAST(@every_ms AS bigint) > 0 AND i."AvailableAt" <= {{now_minus ms=(CAST(@after_ms AS bigint) + CAST(@every_ms AS bigint) * m."Step")}})
  AND (m."Step" IS NULL OR CAST(@since AS timestamptz) IS NULL OR CAST(@since AS timestamptz) <= {{now_minus ms=(CAST(@every_ms AS bigint) * m."Step")}})
  AND (CAST(@cap AS bigint) IS NULL OR i."Priority" < CAST(@cap AS bigint))
  AND (CAST(@selective AS bigint) = 0 OR i."Selectors" IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND q."Paused")
  -- include: not_held row=i.
