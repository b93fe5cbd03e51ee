-- robot_change_set: what a robot changes of an item. What it does not set keeps its value.
-- In:  sets_metadata (1: set metadata), metadata (NULL: none), sets_tags, tags, priority (NULL: unchanged),
--      sets_key (1: set natural_key and unique_key), natural_key, unique_key
Metadata = CASE WHEN CAST(@sets_metadata AS BIGINT) = 1 THEN @metadata ELSE Metadata END,
Tags = CASE WHEN CAST(@sets_tags AS BIGINT) = 1 THEN @tags ELSE Tags END,
Priority = COALESCE(CAST(@priority AS INT), Priority),
NaturalKey = CASE WHEN CAST(@sets_key AS BIGINT) = 1 THEN @natural_key ELSE NaturalKey END,
UniqueKey = CASE WHEN CAST(@sets_key AS BIGINT) = 1 THEN @unique_key ELSE UniqueKey END
