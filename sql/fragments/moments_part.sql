-- A part of 256 KB of the bytes of `moments` and `times`: the driver reads a row in one step.
part,
hits,
substring(moments from part * 262144 + 1 for 262144) as moments,
substring(times from part * 262144 + 1 for 262144) as times
