-- +goose Up

-- A foreign key is a trigger for each row, which took longer than all else that an
-- insert of many items does. These say the same once for a statement: that an item's
-- queue is there, and that a queue that has items is neither deleted nor renamed.
-- Both sides lock the queue's row, as a foreign key does. They run with the rights
-- of the tables' owner, so that who writes items needs none on BotQueues, and look in
-- the schema of the table that they stand on, whatever the session's search_path is.
-- The statement enqueue, which looks at the queue's policy anyway, locks the row
-- itself and says so for the rest of its transaction in botwork.queues_checked.
-- +goose StatementBegin
CREATE FUNCTION "BotWorkQueueItems_Inserted"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    queue text;
BEGIN
    PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
    -- In one order, so that no two wait for each other.
    FOR queue IN SELECT DISTINCT a."QueueName" FROM added a ORDER BY a."QueueName" LOOP
        PERFORM FROM "BotQueues" b WHERE b."Name" = queue FOR KEY SHARE;
        IF NOT FOUND THEN
            RAISE foreign_key_violation USING CONSTRAINT = 'FK_BotWorkQueueItems_Queue', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
                MESSAGE = 'insert on table "BotWorkQueueItems" violates foreign key constraint "FK_BotWorkQueueItems_Queue"',
                DETAIL = format('Key ("QueueName")=(%s) is not present in table "BotQueues".', queue);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION "BotWorkQueueItems_Moved"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
    PERFORM FROM "BotQueues" b WHERE b."Name" = NEW."QueueName" FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE foreign_key_violation USING CONSTRAINT = 'FK_BotWorkQueueItems_Queue', TABLE = TG_TABLE_NAME, SCHEMA = TG_TABLE_SCHEMA,
            MESSAGE = 'update on table "BotWorkQueueItems" violates foreign key constraint "FK_BotWorkQueueItems_Queue"',
            DETAIL = format('Key ("QueueName")=(%s) is not present in table "BotQueues".', NEW."QueueName");
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- After the row is gone, that is under its lock: who inserts meanwhile has waited,
-- or has committed, and the look at the items sees that. A transaction that sees the
-- database as it was when it began would miss it, so it may not.
-- +goose StatementBegin
CREATE FUNCTION "BotQueues_Left"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
        RAISE feature_not_supported USING MESSAGE = 'a queue is deleted or renamed at the isolation level read committed alone',
            HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED';
    END IF;
    PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
    IF TG_OP = 'TRUNCATE' THEN
        PERFORM FROM "BotWorkQueueItems" LIMIT 1;
    ELSE
        PERFORM FROM "BotWorkQueueItems" i WHERE i."QueueName" = OLD."Name" LIMIT 1;
    END IF;
    IF FOUND THEN
        RAISE foreign_key_violation USING CONSTRAINT = 'FK_BotWorkQueueItems_Queue', TABLE = 'BotWorkQueueItems', SCHEMA = TG_TABLE_SCHEMA,
            MESSAGE = lower(TG_OP) || ' on table "BotQueues" violates foreign key constraint "FK_BotWorkQueueItems_Queue" on table "BotWorkQueueItems"',
            DETAIL = 'Items of the queue are still referenced from table "BotWorkQueueItems".';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

ALTER TABLE "BotWorkQueueItems" DROP CONSTRAINT "FK_BotWorkQueueItems_Queue";
CREATE TRIGGER "FK_BotWorkQueueItems_Inserted" AFTER INSERT ON "BotWorkQueueItems"
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT
    WHEN (current_setting('botwork.queues_checked', true) IS DISTINCT FROM 'yes') EXECUTE FUNCTION "BotWorkQueueItems_Inserted"();
CREATE TRIGGER "FK_BotWorkQueueItems_Moved" AFTER UPDATE OF "QueueName" ON "BotWorkQueueItems"
    FOR EACH ROW WHEN (OLD."QueueName" IS DISTINCT FROM NEW."QueueName") EXECUTE FUNCTION "BotWorkQueueItems_Moved"();
CREATE TRIGGER "FK_BotQueues_Deleted" AFTER DELETE ON "BotQueues" FOR EACH ROW EXECUTE FUNCTION "BotQueues_Left"();
CREATE TRIGGER "FK_BotQueues_Renamed" AFTER UPDATE OF "Name" ON "BotQueues"
    FOR EACH ROW WHEN (OLD."Name" IS DISTINCT FROM NEW."Name") EXECUTE FUNCTION "BotQueues_Left"();
CREATE TRIGGER "FK_BotQueues_Truncated" BEFORE TRUNCATE ON "BotQueues" FOR EACH STATEMENT EXECUTE FUNCTION "BotQueues_Left"();

-- +goose Down
DROP TRIGGER "FK_BotQueues_Truncated" ON "BotQueues";
DROP TRIGGER "FK_BotQueues_Renamed" ON "BotQueues";
DROP TRIGGER "FK_BotQueues_Deleted" ON "BotQueues";
DROP TRIGGER "FK_BotWorkQueueItems_Moved" ON "BotWorkQueueItems";
DROP TRIGGER "FK_BotWorkQueueItems_Inserted" ON "BotWorkQueueItems";
DROP FUNCTION "BotQueues_Left"();
DROP FUNCTION "BotWorkQueueItems_Moved"();
DROP FUNCTION "BotWorkQueueItems_Inserted"();
ALTER TABLE "BotWorkQueueItems" ADD CONSTRAINT "FK_BotWorkQueueItems_Queue" FOREIGN KEY ("QueueName") REFERENCES "BotQueues" ("Name");
