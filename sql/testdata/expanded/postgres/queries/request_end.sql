UPDATE "BotRunRequests" SET
    "State" = CAST(@state AS varchar),
    "RunId" = CAST(@run AS bigint)
WHERE "Id" = @request AND "State" = 'started' AND "RunId" IS NULL;
