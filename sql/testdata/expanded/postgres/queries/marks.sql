SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), m."Name", m."Value"
FROM "BotAssignmentMarks" m;
