SELECT s."Hash", s."Id", s."CreatedAt", s."SeenAt", s."IdleUntil", s."ExpiresAt", s."Address", s."UserAgent", s."SignedInBy",
    u."Id", u."Name", u."Role", u."Queues", u."PasswordHash", u."Subject", u."CreatedAt", u."CreatedBy", u."SignedInAt", u."DisabledAt",
    u."Failures", u."LockedUntil"
FROM "BotSessions" s
JOIN "BotUsers" u ON u."Id" = s."UserId"
WHERE s."Hash" IN (SELECT j."Hash" FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" varchar)) AND s."IdleUntil" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND u."DisabledAt" IS NULL;
