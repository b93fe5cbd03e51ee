-- token_revoke: end a token that is not revoked.
-- In:  id, by, now (NULL: the database clock)
UPDATE "BotTokens" SET
    "RevokedAt" = {{now}},
    "RevokedBy" = CAST(@by AS varchar)
WHERE "Id" = @id AND "RevokedAt" IS NULL;
