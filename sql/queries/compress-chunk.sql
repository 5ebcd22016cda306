select compress_chunk($1::regclass, true)
