-- robot_change_set: what a robot changes of an item. What it does not set keeps its value.
-- In:  sets_metadata (1: set metadata), metadata (NULL: none), sets_tags, tags, priority (NULL: unchanged),
--      sets_key (1: set natural_key and unique_key), natural_key, unique_key
"Metadata" = CASE WHEN CAST(@sets_metadata AS bigint) = 1 THEN CAST(@metadata AS text) ELSE "Metadata" END,
"Tags" = CASE WHEN CAST(@sets_tags AS bigint) = 1 THEN CAST(@tags AS text) ELSE "Tags" END,
"Priority" = COALESCE(CAST(@priority AS int), "Priority"),
"NaturalKey" = CASE WHEN CAST(@sets_key AS bigint) = 1 THEN CAST(@natural_key AS text) ELSE "NaturalKey" END,
"UniqueKey" = CASE WHEN CAST(@sets_key AS bigint) = 1 THEN CAST(@unique_key AS text) ELSE "UniqueKey" END
