-- Moves the horizon of aggregate $1 forward to $2, once no transaction is writing by the old one.
update horizons set horizon = $2::timestamptz where aggregate = $1::text and horizon < $2::timestamptz
