-- seal: write the texts of encrypted items, after their ids were assigned.
-- In:  rows [{ItemId, Body, Meta}]
UPDATE "BotWorkQueueItems" SET
    "Payload" = j."Body",
    "Metadata" = j."Meta",
    "LockKey" = NULL
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "Body" text, "Meta" text)
WHERE "Id" = j."ItemId" AND "Encrypted";
