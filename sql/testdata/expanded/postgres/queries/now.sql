SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
