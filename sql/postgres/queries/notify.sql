-- notify: tell the processes that listen of items that can be worked on, if there are
-- any: a notice that nobody hears would still stand in line for a lock that all
-- sessions of the server share. As a statement of its own, after the commit of what it
-- tells of: inside of that, the lock would be held until the disk has it.
-- In:  payload, own [id]: the sender's workers, which know; there has to be another one
--      that is alive (NULL: there need not be)
-- Out: a row when somebody listens.
SELECT pg_notify('botwork_' || md5(current_schema()), CAST(@payload AS text))
FROM "BotAssignmentMarks" m
WHERE m."Name" = 'listening' AND m."Value" >= CAST(EXTRACT(EPOCH FROM statement_timestamp()) AS bigint)
  AND (CAST(@own AS text) IS NULL OR EXISTS (
      SELECT 1 FROM "BotWorkers" w
      WHERE w."State" = 'active' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= statement_timestamp())
        AND w."Id" NOT IN (SELECT CAST(o."Id" AS bigint) FROM json_array_elements_text(CAST(@own AS json)) AS o("Id"))));
