-- Nothing happens when it is rows already.
select decompress_chunk($1::regclass, true)
