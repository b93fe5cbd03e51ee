-- large: read the texts of a claimed item that were too large for its claim to return. It leaves
-- out a text that is larger than 1 MB and than twice the limit of its queue. Such a text was
-- written by hand or before the limit was set. Twice, because an encrypted text is longer than the
-- plain one.
-- In:  id, fence
-- Out: the bytes of the payload and of the pipeline, and pipeline, payload and output; NULL: left out
SELECT
    octet_length(i."Payload"), octet_length(i."IntegrationConfig"),
    CASE WHEN octet_length(i."IntegrationConfig") <= (COALESCE(b."MaxPayload", 1048576) * 2 + 1048576) THEN i."IntegrationConfig" END,
    CASE WHEN octet_length(i."Payload") <= (COALESCE(b."MaxPayload", 1048576) * 2 + 1048576) THEN i."Payload" END,
    CASE WHEN octet_length(i."Output") <= (COALESCE(b."MaxOutput", 1048576) * 2 + 1048576) THEN i."Output" END
FROM "BotWorkQueueItems" i
JOIN "BotQueues" b ON b."Name" = i."QueueName"
WHERE i."Id" = @id AND i."Fence" = @fence AND i."State" = 1;
