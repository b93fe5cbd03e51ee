SELECT pg_notify('botwork_' || md5(current_schema()), CAST(@payload AS text))
FROM "BotAssignmentMarks" m
WHERE m."Name" = 'listening' AND m."Value" >= CAST(EXTRACT(EPOCH FROM statement_timestamp()) AS bigint)
  AND (CAST(@own AS text) IS NULL OR EXISTS (
      SELECT 1 FROM "BotWorkers" w
      WHERE w."State" = 'active' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= statement_timestamp())
        AND w."Id" NOT IN (SELECT CAST(o."Id" AS bigint) FROM json_array_elements_text(CAST(@own AS json)) AS o("Id"))));
