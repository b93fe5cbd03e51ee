UPDATE "BotApiAnswers" SET
    "Status" = @status,
    "Body" = CAST(@body AS varchar),
    "At" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "KeyHash" = CAST(@key_hash AS varchar) AND "RequestHash" = CAST(@request_hash AS varchar) AND "Status" = 0;
