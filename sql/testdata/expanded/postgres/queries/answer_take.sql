UPDATE "BotApiAnswers" SET
    "RequestHash" = CAST(@request_hash AS varchar),
    "Status" = 0,
    "Body" = '',
    "At" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "KeyHash" = CAST(@key_hash AS varchar)
  AND ("At" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
    OR "Status" = 0 AND "RequestHash" = CAST(@request_hash AS varchar) AND "At" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@patience_ms AS bigint) * INTERVAL '1 millisecond');
