UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Metadata" = CASE WHEN CAST(@sets_metadata AS bigint) = 1 THEN CAST(@metadata AS text) ELSE "Metadata" END,
    "Tags" = CASE WHEN CAST(@sets_tags AS bigint) = 1 THEN CAST(@tags AS text) ELSE "Tags" END,
    "Priority" = COALESCE(CAST(@priority AS int), "Priority"),
    "NaturalKey" = CASE WHEN CAST(@sets_key AS bigint) = 1 THEN CAST(@natural_key AS text) ELSE "NaturalKey" END,
    "UniqueKey" = CASE WHEN CAST(@sets_key AS bigint) = 1 THEN CAST(@unique_key AS text) ELSE "UniqueKey" END
WHERE "Id" = @id AND "Fence" = @fence AND "State" IN (0, 4) AND "DeletedAt" IS NULL;
