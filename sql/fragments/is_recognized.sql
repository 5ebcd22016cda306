-- Whether the id of `visitors` is the same on another day: those of version 8 are made for one day (docs/metrics.md "Recognized").
((get_byte(uuid_send(visitors.id), 6) >> 4) <> 8)
