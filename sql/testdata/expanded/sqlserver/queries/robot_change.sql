UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Metadata = CASE WHEN CAST(@sets_metadata AS BIGINT) = 1 THEN @metadata ELSE Metadata END,
    Tags = CASE WHEN CAST(@sets_tags AS BIGINT) = 1 THEN @tags ELSE Tags END,
    Priority = COALESCE(CAST(@priority AS INT), Priority),
    NaturalKey = CASE WHEN CAST(@sets_key AS BIGINT) = 1 THEN @natural_key ELSE NaturalKey END,
    UniqueKey = CASE WHEN CAST(@sets_key AS BIGINT) = 1 THEN @unique_key ELSE UniqueKey END
WHERE Id = @id AND Fence = @fence AND State IN (0, 4) AND DeletedAt IS NULL;
