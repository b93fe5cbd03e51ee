UPDATE "BotPipelineTexts" SET
    "UsedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text, "Pipeline" text)
WHERE "BotPipelineTexts"."Hash" = j."Hash" AND "BotPipelineTexts"."Pipeline" = j."Pipeline";
