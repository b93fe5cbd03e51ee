-- startable_items: what the worker may start now of what is assigned to it, with its expected work
-- and the bytes to read. A condition, an order and a limit follow.
-- In:  worker, instance, min_priority, max_priority, full_channels, now (NULL: the database clock)
SELECT c."Id", c."Priority", c."RunOrder", COALESCE(c."AssignedEstimateMs", 0) AS "WorkMs",
    COALESCE(octet_length(c."Payload"), 0) + octet_length(c."IntegrationConfig") AS "Bytes"
FROM "BotWorkQueueItems" c
WHERE c."State" = 5 AND c."WorkerId" = @worker AND c."Priority" BETWEEN @min_priority AND @max_priority
  -- include: may_start row=c.
  AND (CAST(@full_channels AS text) = '[]' OR c."Channel" IS NULL OR c."Channel" NOT IN (SELECT f.value FROM jsonb_array_elements_text(CAST(@full_channels AS jsonb)) f))
  AND EXISTS (SELECT 1 FROM "BotWorkers" w
      WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" = 'active')
