INSERT INTO "BotPipelineTexts" ("Hash", "Pipeline", "Body", "LoadedAt", "UsedAt")
SELECT j."Hash", j."Pipeline", j."Body", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text, "Pipeline" text, "Body" text)
WHERE NOT EXISTS (SELECT 1 FROM "BotPipelineTexts" t WHERE t."Hash" = j."Hash" AND t."Pipeline" = j."Pipeline");
