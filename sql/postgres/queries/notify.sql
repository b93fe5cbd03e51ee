-- notify: send a notice of items that are ready to the processes that listen, if there are any: a
-- notice without a listener would still wait for a lock that all sessions of the server share. It
-- is a separate statement after the commit: inside that transaction, the lock would be held until
-- the commit is written to disk.
-- In:  payload, own [id]: the sender's workers, which know already; at least one other worker must
--      be alive (NULL: none need be)
-- Out: a row if a process listens.
SELECT pg_notify('botwork_' || md5(current_schema()), CAST(@payload AS text))
FROM "BotAssignmentMarks" m
WHERE m."Name" = 'listening' AND m."Value" >= CAST(EXTRACT(EPOCH FROM statement_timestamp()) AS bigint)
  AND (CAST(@own AS text) IS NULL OR EXISTS (
      SELECT 1 FROM "BotWorkers" w
      WHERE w."State" = 'active' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= statement_timestamp())
        AND w."Id" NOT IN (SELECT CAST(o."Id" AS bigint) FROM json_array_elements_text(CAST(@own AS json)) AS o("Id"))));
