SELECT e."Epoch", e."Timeline",
    (SELECT CASE WHEN has_sequence_privilege(s."Name", 'SELECT, USAGE') THEN pg_sequence_last_value(CAST(s."Name" AS regclass)) END
     FROM (SELECT pg_get_serial_sequence('"BotWorkQueueItems"', 'Id') AS "Name") s),
    (SELECT w."Beats" FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
FROM "BotInstallation" e;
