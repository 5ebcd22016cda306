-- Does nothing when the chunk is not compressed.
select decompress_chunk($1::regclass, true)
